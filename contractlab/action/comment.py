"""The step that posts the comment; the only one with a token, and it judges nothing.

It needs the standard library only, so that it can say that nothing was judged even where the
gate's packages could not be installed.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from contractlab.action.inputs import DECISIONS, read_inputs
from contractlab.github.client import Client
from contractlab.github.comments import upsert_comment
from contractlab.github.environment import MalformedEnvironmentError, read_environment
from contractlab.github.posted import Posted
from contractlab.github.pulls import find_pull

if TYPE_CHECKING:
    from collections.abc import Mapping

    from contractlab.action.console import Console
    from contractlab.action.inputs import Inputs
    from contractlab.github.environment import Environment

_MOST_BYTES = 1024 * 1024
COMMENT = "comment.md"


def run(variables: Mapping[str, str], console: Console) -> int:
    """Posts what the gate wrote, or that it wrote nothing; says why where it could not."""
    inputs, _ = read_inputs(variables)
    try:
        environment = read_environment(variables)
        client = Client(environment.api_url, variables.get("CL_GITHUB_TOKEN", ""))
    except MalformedEnvironmentError as error:
        posted = Posted(status="failed", detail=str(error))
    except ValueError as error:
        posted = Posted(status="failed", detail=f"{error}.")
    else:
        body = _body(variables, environment)
        posted = _post(client, body, inputs, environment)
    console.outputs({"comment-status": posted.status, "comment-url": posted.url or ""})
    if posted.status in ("forbidden", "unavailable", "failed"):
        # A notice: the gate may have used up what the runner shows of warnings.
        console.notice(
            f"The report was not posted as a comment ({posted.status}); the job summary has it."
            f" {posted.detail}"
        )
    console.untrusted(f"comment: {posted.status} {posted.url or ''} {posted.detail}\n")
    return 0


def _post(client: Client, body: str, inputs: Inputs, environment: Environment) -> Posted:
    pull, run, head_sha = environment.pull, environment.run, environment.head_sha
    if inputs.mode == "comment":
        followed = environment.workflow_run
        if followed is None or followed.event != "pull_request":
            return Posted(status="skipped", detail="This run follows no run of a pull request.")
        if not client.has_token:
            return Posted(status="skipped", detail="No token was given, so nothing was posted.")
        run, head_sha = followed.run, followed.head_sha
        if environment.repository is None or head_sha is None:
            return Posted(status="failed", detail="The event names no repository or head commit.")
        found = find_pull(
            client,
            repository=environment.repository,
            head_sha=head_sha,
            head_repository=followed.head_repository,
            head_branch=followed.head_branch,
        )
        if found.number is None:
            status = "unavailable" if found.unavailable else "skipped"
            return Posted(status=status, detail=found.reason)  # type: ignore[arg-type]
        pull = found.number
    if run is None or head_sha is None:
        return Posted(status="failed", detail="The runner gives no run number or head commit.")
    return upsert_comment(
        client,
        pull,
        body,
        repository=environment.repository,
        comment_id=inputs.comment_id,
        run=run,
        head_sha=head_sha,
    )


def _body(variables: Mapping[str, str], environment: Environment) -> str:
    """The gate's text; where there is none, that nothing was judged."""
    folder = variables.get("CL_FOLDER", "")
    if folder and variables.get("CL_DECISION", "") in DECISIONS:
        try:
            with Path(folder, COMMENT).open("rb") as file:
                return file.read(_MOST_BYTES).decode("utf-8", "replace")
        except OSError:
            pass
    url = environment.run_url
    log = f"[The run's log]({url})" if url else "The run's log"
    return (
        "### ❌ ERROR: nothing was judged\n\n"
        "**The gate ended before it could decide.** There is no verdict on the candidate, neither"
        f" good nor bad. {log} says why.\n"
    )
