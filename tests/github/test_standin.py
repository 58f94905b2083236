"""The stand-in as a process, the way end-to-end tests start it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from contractlab.github.client import Client
from tests.github import standin
from tests.github.helpers import SHA, TOKEN, head, post

if TYPE_CHECKING:
    from tests.github.simulated import HandClock


def test_the_process_serves_and_keeps_its_state_in_a_file(tmp_path: Path, hand: HandClock) -> None:
    port_file, state_file = tmp_path / "port file", tmp_path / "state.json"
    state_file.write_text(
        json.dumps({"comments": [{"pull": 7, "body": f"{head('99.1')}\nold"}]}), encoding="utf-8"
    )
    command = [sys.executable, str(Path(standin.__file__)), "--port", "0"]
    command += ["--port-file", str(port_file), "--state-file", str(state_file)]
    command += ["--pull", f"7:{SHA}:octocat/agent:fix", "--prefix", "/api/v3"]
    with subprocess.Popen(command, cwd=tmp_path) as process:
        try:
            while not port_file.exists():
                assert process.poll() is None
                time.sleep(0.01)
            api = f"http://127.0.0.1:{int(port_file.read_text())}/api/v3"
            client = Client(api, TOKEN, sleep=hand.sleep, clock=hand.clock)
            assert post(client, "new").status == "updated"
            state = json.loads(state_file.read_text(encoding="utf-8"))
        finally:
            process.terminate()
    assert [row["body"] for row in state["comments"]] == [f"{head('100.1')}\nnew"]
    assert state["pulls"][0]["head_repository"] == "octocat/agent"
    assert {row["authorised"] for row in state["requests"]} == {True}
    assert TOKEN not in json.dumps(state)
