"""The tests check something in each of the four modes they are run in."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

import contractlab


def test_an_assert_of_a_test_is_executed_in_every_mode() -> None:
    with pytest.raises(AssertionError):
        assert sys.flags is None


def test_no_production_check_rests_on_assert() -> None:
    package = Path(contractlab.__file__).parent
    with_assert = [
        str(file.relative_to(package))
        for file in package.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Assert)
    ]
    assert with_assert == []
