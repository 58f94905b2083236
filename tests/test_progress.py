from __future__ import annotations

import io

import pytest

from contractlab.progress import Progress, for_person


class Terminal(io.StringIO):
    """A terminal's screen: what it was sent, and the line that is left standing."""

    def isatty(self) -> bool:
        return True

    @property
    def line(self) -> str:
        cells: list[str] = []
        at = 0
        for char in self.getvalue():
            if char == "\r":
                at = 0
                continue
            cells[at : at + 1] = [char]
            at += 1
        return "".join(cells).rstrip()


class Clock:
    """A clock that stands still until it is set."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class GoneTerminal(Terminal):
    def write(self, _text: str) -> int:
        raise OSError("hung up")


def test_nothing_is_drawn_in_the_first_second() -> None:
    screen, clock = Terminal(), Clock()
    with Progress(screen, now=clock) as progress:
        clock.now = 0.9
        progress.step("checking")
    assert screen.getvalue() == ""


def test_after_a_second_the_step_and_its_share_are_drawn() -> None:
    screen, clock = Terminal(), Clock()
    with Progress(screen, now=clock) as progress:
        clock.now = 1.0
        progress.step("reading", 0.5)
        assert screen.line == "[###.................] reading"
        progress.step("writing")
        assert screen.line == "[###############.....] writing"


def test_a_shorter_step_leaves_nothing_of_the_longer_one_before_it() -> None:
    screen, clock = Terminal(), Clock()
    with Progress(screen, now=clock) as progress:
        clock.now = 5
        progress.step("checking")
        progress.step("reading")
        assert screen.line.endswith("] reading")


def test_the_line_is_gone_at_the_end_also_of_a_failure() -> None:
    screen, clock = Terminal(), Clock()
    with pytest.raises(KeyError), Progress(screen, now=clock) as progress:
        clock.now = 2
        progress.step("grading")
        raise KeyError
    assert screen.line == ""
    assert screen.getvalue().endswith("\r")
    assert screen.getvalue().isascii()


def test_a_terminal_that_is_gone_stops_nothing() -> None:
    clock = Clock()
    with Progress(GoneTerminal(), now=clock) as progress:
        clock.now = 2
        progress.step("grading")
        progress.step("writing")


@pytest.mark.parametrize(
    ("quiet", "environment", "stream"),
    [
        (True, {}, Terminal()),
        (False, {"CI": "true"}, Terminal()),
        (False, {"TERM": "dumb"}, Terminal()),
        (False, {}, io.StringIO()),
    ],
    ids=["quiet", "ci", "dumb-terminal", "pipe"],
)
def test_where_nobody_waits_nothing_is_drawn(
    quiet: bool, environment: dict[str, str], stream: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contractlab.progress._PATIENCE_S", 0)
    with for_person(quiet=quiet, environment=environment, stream=stream) as progress:
        progress.step("reading")
    assert stream.getvalue() == ""


def test_a_person_at_a_terminal_sees_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("contractlab.progress._PATIENCE_S", 0)
    screen = Terminal()
    with for_person(quiet=False, environment={"TERM": "xterm"}, stream=screen) as progress:
        progress.step("reading")
        assert screen.line.endswith("reading")


def test_a_closed_standard_error_shows_nothing() -> None:
    stream = Terminal()
    stream.close()
    with for_person(quiet=False, environment={}, stream=stream) as progress:
        progress.step("reading")
