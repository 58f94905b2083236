"""The hooks as their users have them: real pre-commit and prek, installed from a repository."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from filelock import FileLock

from tests.builders import case, dataset, predictions, release, write
from tests.e2e.act import BIN, ROOT
from tests.e2e.conftest import program

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.once

# What the package is built of, and the manifest.
PARTS = (
    *("contractlab", "schemas", "docs/rules.md", "docs/default-rubric.md"),
    *("pyproject.toml", "README.md", "LICENSE"),
)
MANIFEST = ".pre-commit-hooks.yaml"


class Project:
    """A git repository, committed to as a person does."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        self.folder = folder
        self.env = env
        folder.mkdir(exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, fails: bool = False) -> str:
        return self.run("git", *arguments, fails=fails)

    def run(self, *command: str, fails: bool = False) -> str:
        """Runs a command; it has to succeed, or to fail. Gives what it said."""
        done = subprocess.run(
            list(command),
            cwd=self.folder,
            env=self.env,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        said = done.stdout.decode()
        assert (done.returncode != 0) is fails, said
        return said

    def commit(self, *, fails: bool = False, everything: bool = True) -> str:
        """Commits, hooks and all."""
        if everything:
            self.git("add", "-A")
        return self.git("commit", "-m", "change", fails=fails)

    def configure(self, hooks: Path, revision: str) -> None:
        entries = [{"id": "contractlab-validate"}, {"id": "contractlab-compare"}]
        repository = {"repo": str(hooks), "rev": revision, "hooks": entries}
        config = {"repos": [repository]}
        (self.folder / ".pre-commit-config.yaml").write_text(json.dumps(config), encoding="utf-8")


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of one run have: installing the hooks takes a minute."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "hook clients"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def env(shared: Path) -> dict[str, str]:
    """The machine's environment with stores of our own for both clients, and no git settings."""
    settings = shared / f"gitconfig-{os.getpid()}"
    settings.write_text(
        "[user]\nname = a\nemail = a@example.test\n[core]\nquotePath = false\nautocrlf = false\n",
        encoding="utf-8",
    )
    kept = {name: each for name, each in os.environ.items() if not name.startswith("GIT_")}
    return {
        **kept,
        "PATH": f"{BIN}{os.pathsep}{kept['PATH']}",
        "PRE_COMMIT_HOME": str(shared / "pre-commit"),
        "PREK_HOME": str(shared / "prek"),
        "GIT_CONFIG_GLOBAL": str(settings),
        "GIT_CONFIG_SYSTEM": os.devnull,
        "PYTHONUTF8": "1",
    }


@pytest.fixture(scope="session")
def hooks(shared: Path, env: dict[str, str]) -> Project:
    """The hooks' repository, with everything committed."""
    program("pre-commit")
    program("git")
    with FileLock(shared / "lock"):
        project = Project(shared / "contractlab", env)
        if not (project.folder / MANIFEST).exists():
            copy_package(project.folder)
            project.git("add", "-A")
            project.git("commit", "-qm", "hooks")
    return project


def copy_package(folder: Path) -> None:
    for name in (*PARTS, MANIFEST):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, target)


@pytest.fixture(scope="session")
def origin(
    hooks: Project, env: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Project:
    """A project with good contracts and the hooks in its configuration."""
    project = Project(tmp_path_factory.mktemp("origin") / "project", env)
    project.configure(hooks.folder, hooks.git("rev-parse", "HEAD").strip())
    contracts(project.folder)
    project.git("add", "-A")
    project.git("commit", "-qm", "contracts")
    return project


@pytest.fixture
def clone(origin: Project, env: dict[str, str], tmp_path: Path) -> Project:
    """A fresh clone of it, with `pre-commit install` run."""
    project = Project(tmp_path / "clone", env)
    project.git("pull", "-q", str(origin.folder), "main")
    project.run("pre-commit", "install", "-t", "pre-commit", "-t", "pre-push")
    return project


def contracts(folder: Path) -> None:
    of = dataset(case("c1"), case("c2", expected_label="negative"))
    write(folder / "dataset.json", of)
    shutil.copy(ROOT / "fixtures" / "valid" / "rubric.json", folder)
    (folder / "runs").mkdir()
    write(folder / "runs" / "run.json", predictions(release("baseline", of)))


def text(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def shape(folder: Path) -> None:
    rubric = json.loads((folder / "rubric.json").read_bytes())
    rubric["gates"]["min_f1"] = 2
    write(folder / "rubric.json", text(rubric))


def syntax(folder: Path) -> None:
    write(folder / "dataset.json", '{\n  "schema_version": "eval-dataset-v1",\n  oops')


def leakage(folder: Path) -> None:
    of = dataset(case("c1"), case("c2"), case("c0", split="train", family_id="family of c1"))
    write(folder / "dataset.json", text(of))


def coverage(folder: Path) -> None:
    write(folder / "runs" / "run.json", text(predictions(release("a", dataset(case("c1"))))))


def look_alike(folder: Path) -> None:
    write(folder / "dataset.json", text(dataset(case("c1"), case("с1"))))


def homeless(folder: Path) -> None:
    write(folder / "runs" / "run.json", text(predictions(dataset_version="cases-0")))


FAULTS: dict[str, Callable[[Path], None]] = {
    "CL204": shape,
    "CL103": syntax,
    "CL301": leakage,
    "CL303": coverage,
    "CL311": look_alike,
    "CL008": homeless,
}


def test_a_commit_from_a_fresh_clone_is_refused_for_each_kind_of_fault_and_passes_when_mended(
    clone: Project,
) -> None:
    for code, spoil in FAULTS.items():
        spoil(clone.folder)
        said = clone.commit(fails=True)
        assert code in said
        told = [line for line in said.splitlines() if code in line]
        assert told[0].split(" ")[0].count(":") == 3  # file:line:column:
        ours = [line for line in said.splitlines() if not line.startswith("[INFO]")]
        assert max(map(len, ours)) <= 80
        clone.git("reset", "-q", "--hard")
    write(
        clone.folder / "dataset.json",
        text(json.loads((clone.folder / "dataset.json").read_bytes())),
    )
    assert "Passed" in clone.commit()


def test_other_json_is_left_alone(clone: Project) -> None:
    write(clone.folder / "settings.json", "{ // no contract\n")
    write(clone.folder / "package.json", b"{")
    clone.commit()


def test_names_with_spaces_accents_and_a_dash_in_front_are_files(clone: Project) -> None:
    of = dataset(case("c1"), case("c2"), dataset_version="cases-2")
    names = ["a b ü 語.json", "--strict.json", "it's.json"]
    for at, name in enumerate(names):
        write(clone.folder / name, text({**of, "dataset_version": f"cases {at}"}))
    clone.commit()
    for name in names:
        write(clone.folder / name, text({**of, "frozen_test": False}))
    said = clone.commit(fails=True)
    for name in names:
        assert f"{name}:" in said


def test_one_wrong_contract_among_300_is_found_in_one_process(clone: Project) -> None:
    for at in range(300):
        of = dataset(case("c1"), case("c2"), dataset_version=f"cases at {at}")
        write(clone.folder / f"{'a long name ' * 8}{at}.json", of)
    clone.commit()
    # A replay whose dataset is in the same commit: in another process it would have none.
    for at in range(300):
        of = dataset(case("c1"), case("c2"), dataset_version=f"cases now {at}")
        write(clone.folder / f"{'a long name ' * 8}{at}.json", of)
        run = predictions(release("a", of), dataset_version=f"cases now {at}")
        write(clone.folder / f"zz run {at}.json", run)
    clone.commit()
    write(clone.folder / "zz run 7.json", predictions(dataset_version="cases nowhere"))
    write(
        clone.folder / "zz run 8.json", predictions(release("b", of), dataset_version="cases now 8")
    )
    said = clone.commit(fails=True)
    assert said.count("CL008") == 1


def test_deleted_and_renamed_files_stop_nothing(clone: Project) -> None:
    clone.git("mv", "runs/run.json", "runs/renamed ü.json")
    clone.git("rm", "-q", "rubric.json")
    clone.commit(everything=False)
    clone.git("rm", "-q", "dataset.json")
    clone.commit(everything=False)


def test_what_is_staged_is_judged_and_not_what_is_on_disk(clone: Project) -> None:
    path = clone.folder / "dataset.json"
    right = path.read_bytes()
    leakage(clone.folder)
    wrong = path.read_bytes()
    # Wrong on disk, right in the index.
    write(path, right + b"\n")
    clone.git("add", "-A")
    path.write_bytes(wrong)
    clone.commit(everything=False)
    assert path.read_bytes() == wrong
    # The other way round.
    clone.git("add", "-A")
    path.write_bytes(right)
    assert "CL301" in clone.commit(everything=False, fails=True)
    assert path.read_bytes() == right


def test_a_push_of_a_candidate_that_regressed_is_stopped(clone: Project, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    clone.git("init", "-q", "--bare", str(bare))
    for path in (ROOT / "fixtures" / "valid").iterdir():
        shutil.copy(path, clone.folder)
    shutil.copytree(ROOT / "runs", clone.folder / "runs", dirs_exist_ok=True)
    (clone.folder / "runs" / "run.json").unlink()

    def candidate(name: str) -> None:
        (clone.folder / "contractlab.toml").write_text(
            'dataset = "dataset.json"\nrubric = "rubric.json"\n'
            f'predictions = ["runs/baseline.json", "runs/candidate-{name}.json"]\n',
            encoding="utf-8",
        )
        clone.commit()

    candidate("regression")
    assert "BLOCK" in clone.git("push", str(bare), "main", fails=True)
    candidate("pass")
    clone.git("push", str(bare), "main")


def test_try_repo_passes_and_refuses(hooks: Project, origin: Project) -> None:
    command = ["pre-commit", "try-repo", str(hooks.folder), "contractlab-validate"]
    assert "Passed" in origin.run(*command, "--all-files")
    syntax(origin.folder)
    try:
        assert "dataset.json:3:3: CL103" in origin.run(*command, "--all-files", fails=True)
    finally:
        origin.git("checkout", "-q", "--", ".")


def test_prek_runs_the_same_configuration_to_the_same_end(clone: Project) -> None:
    prek = program("prek")
    clone.run(prek, "run", "--all-files")
    coverage(clone.folder)
    clone.git("add", "-A")
    said = clone.run(prek, "run", fails=True)
    assert "runs/run.json:" in said
    assert "CL303" in said
