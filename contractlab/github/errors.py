"""What can go wrong with the API, told apart by what the caller may do next."""

from __future__ import annotations


class ApiError(Exception):
    """The API did not do what was asked; the text is one sentence and never holds the token."""


class RefusedError(ApiError):
    """A definite no: the request was read and not carried out.

    Attributes:
        status: the HTTP status, 401, 403, 404, 410 or 422 as a rule.
        message: GitHub's own words, untrusted, cut to 300 characters.
    """

    def __init__(self, asked: str, status: int, message: str) -> None:
        super().__init__(f"{asked} was answered {status}: {message or 'no message'}")
        self.status = status
        self.message = message


class UnavailableError(ApiError):
    """No usable answer within the tries and the time there are.

    Attributes:
        outcome_unknown: True where a write may have happened all the same. Look before
            writing again: repeating it blindly makes a second comment, or undoes a newer one.
        wait_s: seconds that the answer asks to wait first; 0 where it asks for nothing.
    """

    def __init__(self, text: str, *, outcome_unknown: bool = False, wait_s: float = 0.0) -> None:
        super().__init__(text)
        self.outcome_unknown = outcome_unknown
        self.wait_s = wait_s


class ElsewhereError(ApiError):
    """The answer pointed to another scheme, host or port: not followed, nothing was sent there."""
