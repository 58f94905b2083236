from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from contractlab.github.pulls import FoundPull, find_pull
from tests.github.helpers import OTHER_SHA, SHA, Direct, client_of
from tests.github.standin import Fault, GitHub

if TYPE_CHECKING:
    from tests.github.simulated import HandClock

FORK = "octocat/agent"


def find(
    github: GitHub,
    hand: HandClock,
    *,
    sha: str = SHA,
    head_repository: str | None = FORK,
    branch: str | None = "change",
) -> FoundPull:
    return find_pull(
        client_of(Direct(github), hand),
        repository="acme/agent",
        head_sha=sha,
        head_repository=head_repository,
        head_branch=branch,
    )


def test_the_one_open_pull_request_of_the_fork_is_found(hand: HandClock) -> None:
    github = GitHub()
    github.open_pull(6, SHA, head_repository="mallory/agent")
    github.open_pull(7, SHA, head_repository=FORK)
    github.open_pull(8, OTHER_SHA, head_repository=FORK, branch="another")
    assert find(github, hand) == FoundPull(number=7)


def test_a_commit_that_only_the_fork_has_is_found_by_its_branch(hand: HandClock) -> None:
    github = GitHub()
    github.hides_fork_commits = True
    github.open_pull(7, SHA, head_repository=FORK, branch="fix/a&b #1 ü")
    assert find(github, hand, branch="fix/a&b #1 ü") == FoundPull(number=7)
    assert find(github, hand, branch=None).number is None


def test_a_commit_that_the_repository_does_not_know_is_looked_for_by_branch(
    hand: HandClock,
) -> None:
    github = GitHub()
    github.faults.append(Fault(on="/commits/", status=422, body='{"message": "No commit found"}'))
    github.open_pull(7, SHA, head_repository=FORK)
    assert find(github, hand) == FoundPull(number=7)


def test_names_of_repositories_have_no_case(hand: HandClock) -> None:
    github = GitHub()
    github.open_pull(7, SHA, head_repository="Octocat/Agent")
    assert find(github, hand).number == 7


def test_the_one_is_found_on_a_later_page(hand: HandClock) -> None:
    github = GitHub()
    for number in range(1, 240):
        github.open_pull(number, SHA, head_repository="mallory/agent")
    github.open_pull(240, SHA, head_repository=FORK)
    assert find(github, hand).number == 240


def test_two_open_pull_requests_are_refused_by_name(hand: HandClock) -> None:
    github = GitHub()
    github.open_pull(7, SHA, head_repository=FORK)
    github.open_pull(9, SHA, head_repository=FORK)
    found = find(github, hand)
    assert found.number is None
    assert "Several" in found.reason
    assert "#7, #9" in found.reason


@pytest.mark.parametrize(
    ("pull", "reason"),
    [
        ({"head_repository": FORK, "state": "closed"}, "is closed"),
        ({"head_repository": "mallory/agent"}, "No open pull request into acme/agent"),
        ({"head_repository": None}, "No open pull request into acme/agent"),
    ],
    ids=["closed", "another fork", "a fork that is gone"],
)
def test_what_does_not_match_is_refused_with_the_reason(
    pull: dict[str, str], reason: str, hand: HandClock
) -> None:
    github = GitHub()
    github.open_pull(7, SHA, **pull)  # type: ignore[arg-type]
    found = find(github, hand)
    assert found.number is None
    assert reason in found.reason


def test_a_head_that_moved_on_is_refused(hand: HandClock) -> None:
    github = GitHub()
    github.open_pull(7, OTHER_SHA, head_repository=FORK)
    assert "has moved on from aaaaaaaaaaaa" in find(github, hand).reason


@pytest.mark.parametrize(
    ("sha", "head_repository"), [("not hex", FORK), (SHA, None)], ids=["commit", "repository"]
)
def test_without_a_commit_and_a_repository_nothing_is_asked(
    sha: str, head_repository: str | None, hand: HandClock
) -> None:
    github = GitHub()
    found = find(github, hand, sha=sha, head_repository=head_repository)
    assert found.number is None
    assert found.reason
    assert github.exchanges == []


def test_an_api_that_gives_no_answer_is_told_apart_from_a_refusal(hand: HandClock) -> None:
    github = GitHub()
    github.faults.append(Fault(on="GET", times=9))
    assert find(github, hand).unavailable
    assert not find(GitHub(token_mode="none"), hand).unavailable
