from __future__ import annotations

import pytest

from contractlab.github.marker import Author, Comment, Run, is_mine, report, report_of
from tests.github.helpers import SHA, head

BOT = Author(login="github-actions[bot]", assumed=True)
USER = Author(login="release-robot", assumed=False)


def comment(body: str, *, login: str = "github-actions[bot]", is_bot: bool = True) -> Comment:
    return Comment(id=1, body=body, login=login, is_bot=is_bot, url="")


def mine(one: Comment, *, author: Author = BOT, comment_id: str = "default") -> bool:
    return is_mine(one, comment_id=comment_id, author=author)


def test_the_first_line_is_the_marker_and_the_body_follows() -> None:
    text = report("# PASS\n", comment_id="default", run=Run(100, 2), head_sha=SHA).text
    assert text == f"<!-- contractlab:report v1 id=default run=100.2 head={SHA} -->\n# PASS"


def test_what_is_written_is_read_back_as_the_same_report() -> None:
    written = report("a\r\nb  \n", comment_id="x.y", run=Run(9, 2), head_sha=SHA)
    assert report_of(comment(written.text + "\r\n")) == written


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (comment(f"> {head()}\nquoted"), "the marker is not at the start"),
        (comment(f"\n{head()}\nbody"), "the marker is not at the start"),
        (comment(head(), login="mallory", is_bot=False), "another author"),
        (comment(head(), is_bot=False), "a person with our login"),
        (comment(head(), login="other[bot]"), "another bot"),
        (comment(head(comment_id="default.b")), "an id that only starts like ours"),
        (comment(head(comment_id="Default")), "an id in other case"),
        (comment(""), "nothing"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_not_mine_is(other: Comment, why: str) -> None:
    assert not mine(other), why


def test_a_users_token_owns_that_users_comments_whatever_their_type() -> None:
    assert mine(comment(head(), login="Release-Robot", is_bot=False), author=USER)
    assert not mine(comment(head()), author=USER)


@pytest.mark.parametrize(
    "line",
    [
        "<!-- contractlab:report v1 id=default run=x head= -->",
        "<!-- contractlab:report v1 id=default -->",
        f"<!-- contractlab:report v1 id=default run={'9' * 5_000}.1 head={SHA} -->",
    ],
    ids=["no numbers", "no run", "a number too long"],
)
def test_a_damaged_marker_is_mine_and_older_than_any_run(line: str) -> None:
    assert mine(comment(line))
    assert report_of(comment(line)).run < Run(1, 1)


def test_runs_are_ordered_by_number_then_attempt() -> None:
    assert Run(99, 9) < Run(100, 1) < Run(100, 2)
