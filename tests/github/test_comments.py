from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from contractlab.github.client import Client
from contractlab.github.comments import STATUSES
from contractlab.github.marker import Run
from tests.github.helpers import OTHER_SHA, SHA, TOKEN, Direct, client_of, head, post
from tests.github.standin import NO_ACCESS, SECONDARY, Fault, GitHub, served

if TYPE_CHECKING:
    from contractlab.github.transport import Request
    from tests.github.simulated import HandClock

HTML = {"content-type": "text/html"}


def github_with(*bodies: str, **settings: str) -> GitHub:
    github = GitHub(**settings)  # type: ignore[arg-type]
    github.open_pull(7, SHA)
    for body in bodies:
        github.add_comment(7, body)
    return github


def fresh(github: GitHub, hand: HandClock) -> Client:
    return client_of(Direct(github), hand)


def bodies(github: GitHub) -> list[str]:
    return [row.body for row in github.there()]


def writes(github: GitHub) -> list[str]:
    return [line for line in github.asked() if not line.startswith("GET")]


# ── the ordinary ways ──────────────────────────────────────────────────────────────────────


def test_the_first_report_is_created_under_its_marker(hand: HandClock) -> None:
    github = github_with()
    posted = post(fresh(github, hand), "# PASS")
    assert (posted.status, posted.detail) == ("created", "")
    assert posted.url == "https://api.example.test/acme/agent/pull/7#issuecomment-1001"
    assert bodies(github) == [f"{head('100.1')}\n# PASS"]


def test_the_next_run_updates_it_in_place(hand: HandClock) -> None:
    github = github_with(f"{head('99.1')}\n# PASS")
    assert post(fresh(github, hand), "# BLOCK").status == "updated"
    assert [(row.id, row.body) for row in github.there()] == [(1001, f"{head('100.1')}\n# BLOCK")]


def test_what_is_equal_is_not_touched(hand: HandClock) -> None:
    github = github_with(f"{head('100.1')}\r\n# PASS\r\n")
    posted = post(fresh(github, hand), "# PASS\n\n")
    assert (posted.status, writes(github), hand.slept_s) == ("unchanged", [], [])
    assert posted.url is not None


def test_equal_content_of_a_newer_run_moves_the_marker_so_that_order_holds(
    hand: HandClock,
) -> None:
    github = github_with(f"{head('99.1')}\n# PASS")
    assert post(fresh(github, hand), "# PASS").status == "updated"
    assert post(fresh(github, hand), "# BLOCK", run=Run(99, 1)).status == "superseded"
    assert bodies(github) == [f"{head('100.1')}\n# PASS"]


def test_a_second_post_of_the_same_run_replaces_the_first(hand: HandClock) -> None:
    github = github_with(f"{head('100.1')}\nzzz")
    assert post(fresh(github, hand), "aaa").status == "updated"
    assert bodies(github) == [f"{head('100.1')}\naaa"]


def test_each_comment_id_has_a_comment_of_its_own(hand: HandClock) -> None:
    github = github_with()
    post(fresh(github, hand), "one", comment_id="a")
    post(fresh(github, hand), "two", comment_id="a.b")
    post(fresh(github, hand), "three", comment_id="a", run=Run(101))
    assert [body.splitlines()[1] for body in bodies(github)] == ["three", "two"]


def test_ours_is_found_on_the_third_page(hand: HandClock) -> None:
    github = github_with(*["chatter"] * 250, f"{head('99.1')}\nold")
    assert post(fresh(github, hand)).status == "updated"
    assert len(github.asked("/comments?per_page=100")) == 6  # three pages, looked at twice
    assert len(github.there()) == 251


def test_it_works_below_the_path_of_github_enterprise_over_the_wire(hand: HandClock) -> None:
    github = github_with(*["chatter"] * 130, prefix="/api/v3")
    with served(github) as api:
        client = Client(api, TOKEN, sleep=hand.sleep, clock=hand.clock)
        assert post(client).status == "created"
        assert post(client, "more", run=Run(101)).status == "updated"
    assert {one.path.startswith("/api/v3/") for one in github.exchanges} == {True}


# ── whose comment ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("body", "login", "kind"),
    [
        (f"{head('999.1')}\nforged", "mallory", "User"),
        (f"{head('999.1')}\nforged", "other[bot]", "Bot"),
        (f"> {head('999.1')}\nquoted", "", ""),
    ],
    ids=["a person's", "another bot's", "a quotation"],
)
def test_a_marker_that_is_not_ours_is_left_alone(
    body: str, login: str, kind: str, hand: HandClock
) -> None:
    github = github_with()
    github.add_comment(7, body, login=login, kind=kind)
    assert post(fresh(github, hand)).status == "created"
    assert bodies(github)[0] == body
    assert len(github.there()) == 2


def test_a_users_token_updates_its_own_comment_and_not_the_bots(hand: HandClock) -> None:
    github = github_with(login="release-robot", kind="User")
    github.add_comment(7, f"{head('999.1')}\nbot", login="github-actions[bot]", kind="Bot")
    github.add_comment(7, f"{head('99.1')}\nold")
    assert post(fresh(github, hand)).status == "updated"
    assert [row.login for row in github.there()] == ["github-actions[bot]", "release-robot"]


def test_another_apps_token_learns_its_name_from_its_new_comment_and_keeps_one(
    hand: HandClock,
) -> None:
    github = github_with(f"{head('99.1')}\nold", login="our-app[bot]")
    assert post(fresh(github, hand), "new").status == "updated"
    assert [(row.id, row.body) for row in github.there()] == [(1001, f"{head('100.1')}\nnew")]


# ── older and newer ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("stored", ["101.1", "100.2"])
def test_an_older_run_or_attempt_never_overwrites_a_newer_one(stored: str, hand: HandClock) -> None:
    github = github_with(f"{head(stored)}\nnewer")
    posted = post(fresh(github, hand), run=Run(100, 1))
    assert (posted.status, writes(github)) == ("superseded", [])
    assert "is newer" in posted.detail
    assert posted.url is not None


def test_a_run_for_an_older_head_writes_nothing(hand: HandClock) -> None:
    github = github_with()
    github.pulls[7].head_sha = OTHER_SHA
    posted = post(fresh(github, hand))
    assert (posted.status, writes(github)) == ("superseded", [])
    assert "the head is now cccccccccccc" in posted.detail


def test_a_damaged_marker_is_repaired(hand: HandClock) -> None:
    github = github_with("<!-- contractlab:report v1 id=default edited -->\nby hand")
    assert post(fresh(github, hand)).status == "updated"
    assert bodies(github) == [f"{head('100.1')}\nreport"]


# ── duplicates and deletions ───────────────────────────────────────────────────────────────


def test_of_duplicates_the_lowest_stays_with_the_newest_text(hand: HandClock) -> None:
    github = github_with(*[f"{head(run)}\nold" for run in ("97.1", "99.1", "98.1")])
    assert post(fresh(github, hand), "new").status == "updated"
    assert [(row.id, row.body) for row in github.there()] == [(1001, f"{head('100.1')}\nnew")]


def test_an_older_run_merges_duplicates_too_and_keeps_the_newer_text(hand: HandClock) -> None:
    github = github_with(f"{head('99.1')}\nold", f"{head('101.1')}\nnewest")
    assert post(fresh(github, hand)).status == "superseded"
    assert [(row.id, row.body) for row in github.there()] == [(1001, f"{head('101.1')}\nnewest")]


def test_a_comment_deleted_just_before_the_update_is_created_anew(hand: HandClock) -> None:
    github = github_with(f"{head('99.1')}\nold")
    send = Direct(github)

    def delete(request: Request) -> None:
        if request.method == "PATCH":
            github.comments[1001].deleted = True
            github.comments[1001].listed.append((0.0, None))

    send.meanwhile = delete
    assert post(client_of(send, hand)).status == "created"
    assert [row.id for row in github.there()] == [1002]


def test_a_list_that_still_shows_a_deleted_comment_does_not_mislead(hand: HandClock) -> None:
    github = github_with(f"{head('99.1')}\nold")
    github.comments[1001].deleted = True
    assert post(fresh(github, hand)).status == "created"
    assert len(github.there()) == 1


def test_a_run_stays_until_its_comment_shows_in_the_list(hand: HandClock) -> None:
    github = GitHub(clock=hand.clock, lag=lambda: 5.5)
    github.open_pull(7, SHA)
    assert post(fresh(github, hand)).status == "created"
    assert hand.slept_s == [1.0, 1.0, 2.0, 2.0]


def test_a_comment_that_never_shows_is_still_created_and_said_so(hand: HandClock) -> None:
    github = GitHub(clock=hand.clock, lag=lambda: 1e9)
    github.open_pull(7, SHA)
    posted = post(fresh(github, hand))
    assert (posted.status, posted.detail) == ("created", "It does not show in the list yet.")
    assert len(github.there()) == 1


def test_a_newer_text_once_seen_is_not_lost_with_the_comment_that_held_it(hand: HandClock) -> None:
    github = github_with(f"{head('99.1')}\nold", f"{head('101.1')}\nnewest")
    send = Direct(github)

    def an_older_run_writes_late(request: Request) -> None:
        if request.method == "DELETE":
            github.comments[1001].body = f"{head('98.1')}\nlate"

    send.meanwhile = an_older_run_writes_late
    assert post(client_of(send, hand)).status == "superseded"
    assert [(row.id, row.body) for row in github.there()] == [(1001, f"{head('101.1')}\nnewest")]


def test_a_run_whose_comment_was_merged_into_one_that_lags_waits_for_that_one(
    hand: HandClock,
) -> None:
    github = GitHub(clock=hand.clock)
    github.open_pull(7, SHA)
    send = Direct(github)

    def another_run_merges(request: Request) -> None:
        if request.method == "GET" and 1001 in github.comments and 1002 not in github.comments:
            github.comments[1001].deleted = True
            merged = github.add_comment(7, f"{head('101.1')}\nnewer")
            merged.listed = [(hand.now_s + 1.5, merged.body)]

    send.meanwhile = another_run_merges
    assert post(client_of(send, hand)).status == "superseded"
    assert len(github.asked("POST")) == 1
    assert [row.id for row in github.there()] == [1002]


def test_a_comment_that_somebody_deletes_for_good_is_created_anew_in_the_end(
    hand: HandClock,
) -> None:
    github = github_with()
    send = Direct(github)

    def delete(request: Request) -> None:
        if request.method == "GET" and list(github.comments) == [1001]:
            github.comments[1001].deleted = True

    send.meanwhile = delete
    assert post(client_of(send, hand)).status == "created"
    assert [row.id for row in github.there()] == [1002]


# ── writes of unknown outcome ──────────────────────────────────────────────────────────────


@pytest.mark.parametrize("broken", [False, True], ids=["502", "broken connection"])
def test_a_creation_that_happened_unheard_is_not_repeated(broken: bool, hand: HandClock) -> None:
    github = github_with()
    github.faults.append(Fault(on="POST", after=True, broken=broken))
    posted = post(fresh(github, hand))
    assert posted.status == "created"
    assert len(writes(github)) == len(github.there()) == 1


def test_a_creation_that_did_not_happen_is_repeated_after_a_look(hand: HandClock) -> None:
    github = github_with()
    github.faults.append(Fault(on="POST", times=3))
    assert post(fresh(github, hand)).status == "created"
    assert len(github.there()) == 1
    asked = [line.split("?")[0] for line in github.asked("/issues/7/comments")]
    assert asked[:4] == ["GET /repos/acme/agent/issues/7/comments", asked[1]] * 2
    assert hand.slept_s[:3] == [0.5, 1.0, 2.0]


def test_the_fourth_failed_write_is_the_last(hand: HandClock) -> None:
    github = github_with()
    github.faults.append(Fault(on="POST", times=9))
    assert post(fresh(github, hand)).status == "unavailable"
    assert len(writes(github)) == 4


def test_an_update_of_unknown_outcome_does_not_undo_a_newer_run(hand: HandClock) -> None:
    github = github_with(f"{head('99.1')}\nold")
    github.faults.append(Fault(on="PATCH"))
    send = Direct(github)

    def newer_run(request: Request) -> None:
        if request.method == "PATCH":
            github.comments[1001].body = f"{head('101.1')}\nnewer"

    send.meanwhile = newer_run
    assert post(client_of(send, hand)).status == "superseded"
    assert bodies(github) == [f"{head('101.1')}\nnewer"]


def test_trouble_after_the_write_leaves_the_outcome_and_says_what_is_unknown(
    hand: HandClock,
) -> None:
    github = github_with()
    github.faults.append(Fault(on="/comments?per_page", skip=1, times=9))
    posted = post(fresh(github, hand))
    assert posted.status == "created"
    assert "Whether it is the only one is unknown" in posted.detail


# ── refusals ───────────────────────────────────────────────────────────────────────────────


def test_a_read_only_token_is_forbidden_with_what_to_do(hand: HandClock) -> None:
    github = github_with(token_mode="readonly")
    posted = post(fresh(github, hand))
    assert posted.status == "forbidden"
    assert "permissions: pull-requests: write" in posted.detail
    assert NO_ACCESS in posted.detail
    assert len(writes(github)) == 1


@pytest.mark.parametrize("fork", ["mallory/agent", None], ids=["a fork", "a fork that is gone"])
def test_a_forks_read_only_token_is_told_of_the_second_workflow(
    fork: str | None, hand: HandClock
) -> None:
    github = github_with(token_mode="readonly")
    github.pulls[7].head_repository = fork
    posted = post(fresh(github, hand))
    assert posted.status == "forbidden"
    assert "from a fork" in posted.detail
    assert "workflow_run" in posted.detail


def test_an_old_comment_that_may_not_be_edited_is_forbidden(hand: HandClock) -> None:
    github = github_with(f"{head('99.1')}\nold", token_mode="readonly")
    assert post(fresh(github, hand)).status == "forbidden"


def test_a_worthless_token_is_forbidden(hand: HandClock) -> None:
    posted = post(fresh(github_with(token_mode="none"), hand))
    assert posted.status == "forbidden"
    assert "does not accept the token" in posted.detail


def test_a_locked_conversation_is_forbidden_and_named(hand: HandClock) -> None:
    github = github_with()
    github.pulls[7].locked = True
    posted = post(fresh(github, hand))
    assert posted.status == "forbidden"
    assert "is locked" in posted.detail


def test_a_report_over_githubs_limit_fails_and_says_so(hand: HandClock) -> None:
    posted = post(fresh(github_with(), hand), "x" * 65_536)
    assert posted.status == "failed"
    assert "65,536" in posted.detail


@pytest.mark.parametrize("status", [404, 410, 422])
def test_a_plain_refusal_fails_after_one_try(status: int, hand: HandClock) -> None:
    github = github_with()
    github.faults.append(Fault(on="POST", status=status, body='{"message": "No"}', times=9))
    posted = post(fresh(github, hand))
    assert posted.status == "failed"
    assert str(status) in posted.detail
    assert len(writes(github)) == 1


def test_an_unknown_pull_request_fails(hand: HandClock) -> None:
    assert post(fresh(github_with(), hand), pull=8).status == "failed"


@pytest.mark.parametrize(
    "fault",
    [
        Fault(on="GET /repos", times=9),
        Fault(on="GET /repos", status=200, body="<html>Sign in</html>", headers=HTML, times=9),
        Fault(on="GET /repos", status=403, body="<html>Blocked</html>", headers=HTML, times=9),
        Fault(on="GET /repos", status=200, body="{}", times=9),
        Fault(on="/comments?", status=200, body="{}", times=9),
        Fault(on="/comments?", status=200, body="[1]", times=9),
        Fault(on="GET /user", status=200, body="{}", times=9),
        Fault(on="GET /repos", broken=True, times=9),
        Fault(on="POST", status=200, body="<html>", headers=HTML, times=9),
        Fault(on="POST", status=403, body=f'{{"message": "{SECONDARY}"}}', times=9),
    ],
    ids=lambda fault: f"{fault.on} {fault.status} {fault.body[:9]}",
)
def test_an_api_without_a_usable_answer_is_unavailable(fault: Fault, hand: HandClock) -> None:
    github = github_with()
    github.faults.append(fault)
    assert post(fresh(github, hand)).status == "unavailable"
    assert sum(hand.slept_s) <= 120.0


@pytest.mark.parametrize(
    ("status", "body", "headers", "wait_s"),
    [
        (429, "{}", {"retry-after": "7"}, 7.0),
        (403, f'{{"message": "{SECONDARY}"}}', {"retry-after": "7"}, 7.0),
        (403, f'{{"message": "{SECONDARY}"}}', {}, 60.0),
    ],
)
def test_a_rate_limit_is_waited_for_and_the_comment_is_made(
    status: int, body: str, headers: dict[str, str], wait_s: float, hand: HandClock
) -> None:
    github = github_with()
    github.faults.append(Fault(on="POST", status=status, body=body, headers=headers))
    assert post(fresh(github, hand)).status == "created"
    assert hand.slept_s == [wait_s, 1.0]


def test_a_write_that_was_given_up_is_not_begun_again(hand: HandClock) -> None:
    github = github_with()
    limit = f'{{"message": "{SECONDARY}"}}'
    github.faults.append(Fault(on="POST", status=403, body=limit, times=9))
    assert post(fresh(github, hand)).status == "unavailable"
    assert (len(writes(github)), hand.slept_s) == (2, [60.0])


# ── nothing to ask ─────────────────────────────────────────────────────────────────────────


def test_without_a_pull_request_or_a_token_nothing_is_asked(hand: HandClock) -> None:
    github = github_with()
    without_token = client_of(Direct(github), hand, token="")
    assert post(fresh(github, hand), pull=None).status == "skipped"
    assert post(without_token).status == "skipped"
    assert github.exchanges == []


@pytest.mark.parametrize("comment_id", ["", "a b", "x" * 65, "a-->", "ä", "a\n"])
def test_a_comment_id_that_no_marker_can_hold_fails_unasked(
    comment_id: str, hand: HandClock
) -> None:
    github = github_with()
    assert post(fresh(github, hand), comment_id=comment_id).status == "failed"
    assert post(fresh(github, hand), head_sha="--> x").status == "failed"
    assert github.exchanges == []


def test_the_statuses_are_those_of_the_actions_output() -> None:
    assert STATUSES == (
        "created",
        "updated",
        "unchanged",
        "superseded",
        "forbidden",
        "unavailable",
        "failed",
        "skipped",
    )


def test_what_is_sent_is_the_whole_text_as_json(hand: HandClock) -> None:
    github = github_with()
    post(fresh(github, hand), "naïve \U0001f600 \u202e")
    sent = next(one for one in github.exchanges if one.method == "POST")
    assert json.loads(sent.body) == {"body": f"{head('100.1')}\nnaïve \U0001f600 \u202e"}
