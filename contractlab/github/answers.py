"""From the API's JSON to the few values used of it; anything of another shape is refused here."""

from __future__ import annotations

from dataclasses import dataclass

from contractlab.github.addresses import origin
from contractlab.github.errors import UnavailableError
from contractlab.github.marker import SHA, Comment


@dataclass(frozen=True, slots=True, kw_only=True)
class Pull:
    """A pull request as the API gives it."""

    number: int
    is_open: bool
    head_sha: str
    head_repository: str | None
    """None where the fork is gone."""
    base_repository: str | None

    @property
    def from_fork(self) -> bool:
        """Whether the head is in another repository than the base, or in none any more."""
        return not same_repository(self.head_repository, self.base_repository)


def same_repository(one: str | None, other: str | None) -> bool:
    """Whether two full names are known and name one repository (GitHub ignores their case)."""
    return one is not None and other is not None and one.lower() == other.lower()


def comment_from(value: object) -> Comment:
    """A comment; one whose account is gone has the login "".

    Raises:
        UnavailableError: it has no number, so it is no comment.
    """
    number = number_at(value, "id")
    if number is None:
        raise UnavailableError("GitHub gave a comment without a number")
    url = text_at(value, "html_url") or ""
    return Comment(
        id=number,
        body=text_at(value, "body") or "",
        login=text_at(value, "user", "login") or "",
        is_bot=text_at(value, "user", "type") == "Bot",
        url=url if origin(url) else "",
    )


def pull_from(value: object) -> Pull:
    """A pull request.

    Raises:
        UnavailableError: without a number or a head commit it is no pull request.
    """
    number, head_sha = number_at(value, "number"), text_at(value, "head", "sha")
    if number is None or head_sha is None or not SHA.fullmatch(head_sha):
        raise UnavailableError("GitHub gave a pull request without a number or head commit")
    return Pull(
        number=number,
        is_open=text_at(value, "state") == "open",
        head_sha=head_sha,
        head_repository=text_at(value, "head", "repo", "full_name"),
        base_repository=text_at(value, "base", "repo", "full_name"),
    )


def at(value: object, *keys: str) -> object:
    """What stands under the keys, one inside the other; None where one is missing."""
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def text_at(value: object, *keys: str) -> str | None:
    """The text under the keys, or None."""
    found = at(value, *keys)
    return found if isinstance(found, str) else None


def number_at(value: object, *keys: str) -> int | None:
    """The positive whole number under the keys, or None."""
    found = at(value, *keys)
    # bool is an int to Python; GitHub's numbers fit a double.
    if isinstance(found, bool) or not isinstance(found, int):
        return None
    return found if 0 < found < 2**53 else None
