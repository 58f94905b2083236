"""The Action from end to end: real steps, bash and installation; GitHub's API is the stand-in.

Few rows, since each starts a runner. The whole matrix of decisions, tokens and evidence is in
tests/action, without one.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from contractlab.action.gate import REPORT_JSON
from tests.builders import write
from tests.e2e.act import ROOT, SHA, TOKEN, pull_request, workflow_run
from tests.github.helpers import head
from tests.github.standin import GitHub, served

if TYPE_CHECKING:
    from tests.e2e.act import Act, Ran

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(os.name == "nt", reason="act runs steps on the host with POSIX paths"),
]

FOLDER = "agents/my agent ü"


def inputs(candidate: str, **other: str) -> dict[str, str]:
    return {
        "dataset": "dataset.json",
        "rubric": "rubric.json",
        "predictions": f"runs/baseline.json\nruns/candidate-{candidate}.js*\n",
        "working-directory": FOLDER,
        **{name.replace("_", "-"): value for name, value in other.items()},
    }


def contracts(act: Act) -> Path:
    folder = act.checkout / FOLDER
    shutil.copytree(ROOT / "fixtures" / "valid", folder)
    shutil.copytree(ROOT / "runs", folder / "runs")
    return folder


def run(act: Act, github: GitHub, candidate: str = "pass", **given: Any) -> Ran:
    """The workflow on the teaching contracts, with inputs of the Action and options of `run`."""
    options = {
        name: given.pop(name) for name in ("event", "event_name", "token", "env") if name in given
    }
    workflow = {
        name: given.pop(name) for name in ("uses", "before", "after", "job_env") if name in given
    }
    if not (act.checkout / FOLDER).exists():
        contracts(act)
    act.workflow(inputs(candidate, **given), **workflow)
    with served(github) as api_url:
        return act.run(api_url, **options)


def bodies(github: GitHub, pull: int = 7) -> list[str]:
    return [row.body for row in github.there(pull)]


ROWS = {
    # (candidate, fail-on, token): the job passes, decision, comment-status
    ("pass", "block", "writable"): (True, "PASS", "created"),
    ("review", "review", "writable"): (False, "REVIEW", "created"),
    ("review", "block", "none"): (True, "REVIEW", "forbidden"),
    ("regression", "block", "readonly"): (False, "BLOCK", "forbidden"),
    ("regression", "never", "writable"): (True, "BLOCK", "created"),
}


@pytest.mark.parametrize("row", ROWS, ids="-".join)
def test_the_job_ends_as_decision_and_fail_on_say_whatever_the_token_may(
    act: Act, github: GitHub, row: tuple[str, str, str]
) -> None:
    candidate, fail_on, github.token_mode = row
    passes, decision, status = ROWS[row]
    ran = run(act, github, candidate, fail_on=fail_on)
    assert (ran.code == 0) is passes, ran.text
    assert ran.outputs["decision"] == decision
    assert ran.outputs["comment-status"] == status
    assert ran.outputs["exit-code"] == ("0" if passes else "1")
    assert ran.summary.splitlines()[0].split(" ")[2].rstrip(":") == decision
    notices = [each["arg"] for each in ran.commands("notice")]
    assert len(notices) == (status == "forbidden")
    if status == "created":
        (body,) = bodies(github)
        assert body.splitlines()[1] == ran.summary.splitlines()[0]
        assert ran.outputs["comment-url"].endswith("#issuecomment-1001")
    if decision == "BLOCK":
        places = [each["kvPairs"].get("file") for each in ran.commands("error")]
        assert places[0] == f"{FOLDER}/runs/candidate-regression.json"


def test_an_error_fails_even_under_never_and_replaces_the_green_comment(
    act: Act, github: GitHub
) -> None:
    github.add_comment(7, f"{head('1.1', sha=SHA)}\n### ✅ PASS")
    dataset = contracts(act) / "dataset.json"
    dataset.write_bytes(dataset.read_bytes()[:-10])
    ran = run(act, github, fail_on="never")
    assert ran.code != 0
    assert ran.outputs["decision"] == "ERROR"
    assert ran.outputs["comment-status"] == "updated"
    (body,) = bodies(github)
    assert "nothing was judged" in body
    assert "PASS" not in body
    (problem, verdict) = ran.commands("error")
    assert problem["kvPairs"]["file"] == f"{FOLDER}/dataset.json"
    assert int(problem["kvPairs"]["line"]) > 1
    assert verdict["arg"].startswith("ERROR")


def test_from_the_checkout_itself_a_required_comment_that_is_refused_fails_a_pass(
    act: Act, github: GitHub
) -> None:
    for part in act.action.iterdir():
        target = act.checkout / part.name
        if part.is_dir():
            shutil.copytree(part, target)
        else:
            shutil.copy(part, target)
    github.token_mode = "readonly"
    ran = run(
        act,
        github,
        comment="required",
        uses="./",
        after='echo "left: $(git status --porcelain --ignored)"; env | grep ^CL_ || true',
    )
    assert ran.code != 0
    assert (ran.outputs["decision"], ran.outputs["exit-code"]) == ("PASS", "0")
    assert ran.outputs["comment-status"] == "forbidden"
    said = [each["msg"] for each in ran.records if each.get("raw_output")]
    assert "left: \n" in said
    assert not [each for each in said if each.startswith("CL_")]


def test_without_a_python_the_job_fails_and_says_what_to_do(act: Act, github: GitHub) -> None:
    ran = run(act, github, python_path="/nowhere/python", fail_on="never")
    assert ran.code != 0
    assert ran.outputs["decision"] == "ERROR"
    (error,) = ran.commands("error")
    assert "actions/setup-python" in error["arg"]


# ── an outsider's pull request ─────────────────────────────────────────────────────────────

HOSTILE = """\
import os
with open(os.environ["PWNED_BY"], "a") as file:
    file.write(__file__ + " " + os.environ.get("CL_GITHUB_TOKEN", "") + "\\n")
os._exit(0)
"""
MODULES = ["json", "sitecustomize", "usercustomize", "venv", "pip", "re", "typing", "contractlab"]


def test_nothing_in_the_checkout_is_imported(act: Act, github: GitHub, tmp_path: Path) -> None:
    folder = contracts(act)
    for place in (act.checkout, folder):
        for name in MODULES:
            (place / f"{name}.py").write_text(HOSTILE, encoding="utf-8")
        (place / "pyvenv.cfg").write_text("home = /nowhere\n", encoding="utf-8")
        (place / "uv.toml").write_text("offline = true\n", encoding="utf-8")
        (place / "pyproject.toml").write_text("[tool.uv]\noffline = true\n", encoding="utf-8")
    pwned = tmp_path / "pwned"
    env = {
        "PWNED_BY": str(pwned),
        "PYTHONPATH": ".",
        "PYTHONSTARTUP": "json.py",
        "PYTHONUSERBASE": ".",
        "PYTHONHOME": "",
    }
    ran = run(act, github, "regression", job_env=env)
    assert not pwned.exists(), pwned.read_text(encoding="utf-8")
    assert ran.code != 0
    assert (ran.outputs["decision"], ran.outputs["comment-status"]) == ("BLOCK", "created")
    assert TOKEN not in ran.text


def test_no_title_branch_name_or_input_becomes_a_command(
    act: Act, github: GitHub, tmp_path: Path
) -> None:
    pwned = tmp_path / "pwned"
    touch = f'touch "{pwned}"'
    forged = "%0A::error::forged\n::error::forged"
    attack = f'x"; {touch}; $({touch}) `{touch}`{forged}'
    names = ("candidate", "baseline", "fail-on", "comment-id", "config")
    words = dict.fromkeys(names, attack)
    event = pull_request(title=attack, head={"ref": attack})
    ran = run(act, github, event=event, **words)
    assert not pwned.exists()
    assert ran.code != 0
    assert ran.outputs["decision"] == "ERROR"
    assert [each for each in ran.commands("error") if each["arg"].startswith("forged")] == []
    assert set(ran.outputs) == set(OUTPUTS)


OUTPUTS = (
    *("decision", "exit-code", "primary-reason", "evidence-sha256"),
    *("report-json", "report-markdown", "comment-url", "comment-status"),
)


# ── the second workflow, after a fork's run ────────────────────────────────────────────────


def evidence(tmp_path: Path, **changes: Any) -> Path:
    """What the fork's run kept, as the download leaves it."""
    from contractlab.front import run as contractlab  # noqa: PLC0415 (runs in this process)

    path = tmp_path / "downloaded" / REPORT_JSON
    contracts = [f"--{name}={ROOT}/fixtures/valid/{name}.json" for name in ("dataset", "rubric")]
    runs = [
        f"--predictions={ROOT}/runs/{name}.json" for name in ("baseline", "candidate-regression")
    ]
    assert contractlab(["compare", *contracts, *runs, f"--report-json={path}"]) == 1
    value = {**json.loads(path.read_bytes()), **changes}
    return Path(write(path, value))


def follow(act: Act, github: GitHub, downloaded: Path) -> Ran:
    act.workflow(
        {"mode": "comment", "working-directory": str(downloaded.parent), "fail-on": "never"}
    )
    github.pulls.clear()
    github.open_pull(8, SHA, head_repository="forker/agent")
    with served(github) as api_url:
        return act.run(api_url, event_name="workflow_run", event=workflow_run())


def test_a_forks_evidence_is_judged_again_and_posted_on_its_pull_request(
    act: Act, github: GitHub, tmp_path: Path
) -> None:
    ran = follow(act, github, evidence(tmp_path))
    assert ran.code == 0, ran.text
    assert (ran.outputs["decision"], ran.outputs["comment-status"]) == ("BLOCK", "created")
    (body,) = bodies(github, 8)
    assert f"run=55.1 head={SHA}" in body.splitlines()[0]
    assert "of code from `forker/agent`" in body
    assert "BLOCK" in body.splitlines()[1]


def test_tampered_evidence_is_refused_and_said_to_be(
    act: Act, github: GitHub, tmp_path: Path
) -> None:
    github.add_comment(8, f"{head('1.1', sha=SHA)}\n### ✅ PASS")
    ran = follow(act, github, evidence(tmp_path, action="PASS", reasons=[], primary_reason="@all"))
    assert ran.code != 0
    assert ran.outputs["decision"] == "ERROR"
    (body,) = bodies(github, 8)
    assert "cannot be used" in body
