from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.action.runner import Runner

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def runner(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> Runner:
    return Runner(tmp_path, monkeypatch, capsysbinary)
