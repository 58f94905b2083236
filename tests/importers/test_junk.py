"""Every part of runs in many shapes, replaced by junk: never a crash, and counts that add up."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest

from contractlab.files import checker
from contractlab.importers.convert import Tally, Wanted, convert
from contractlab.importers.write import fits
from contractlab.problems import ContractError
from tests.importers import (
    test_chat,
    test_langfuse,
    test_logs,
    test_otel_events,
    test_otel_frameworks,
    test_responses,
    test_sessions,
)
from tests.importers.build import lines
from tests.importers.otlp import agent, model, otlp, tool
from tests.importers.test_benchmarks import _log, _result, _results, _sample, _seen, _trace
from tests.importers.test_convert import _damaged

if TYPE_CHECKING:
    from pathlib import Path

EVENTS = {
    "gen_ai.tool.message": {"content": '{"a": 1}'},
    "gen_ai.choice": {"message": '[{"text": "x"}]'},
}
MESSAGES = {
    "gen_ai.input.messages": test_otel_events.PARTS,
    "gen_ai.output.messages": test_otel_events.SAID,
}
TABLE = {
    "head": {"prompts": [{"label": "a", "provider": "p"}], "vars": ["q"]},
    "body": [{"vars": ["1"], "test": {"vars": {"q": 1}}, "outputs": [{"pass": True, "text": "A"}]}],
}
GENERATION = _seen("g", "GENERATION", 1, 2, output=test_langfuse.ITEMS, usage={"input": 1})

SHAPES: dict[str, tuple[str, list[Any]]] = {
    "log records": ("otel", [test_otel_events._logged()]),
    "events": ("otel", [otlp(agent(), tool("w", 20, events=EVENTS))]),
    "kvlists": ("otel", [otlp(model("m", 1, 9, **MESSAGES))]),
    "a graph": ("otel", [otlp(*test_otel_frameworks._langgraph("1"))]),
    "rows": ("langfuse", test_langfuse._rows()),
    "a trace": ("langfuse", [_trace(GENERATION, output=test_langfuse.GOOGLE)]),
    "a session": ("anthropic", test_sessions._stream(subtype="success", usage={"input_tokens": 1})),
    "a batch": ("openai-chat", [test_chat._batch()]),
    "pieces": ("openai-chat", [test_chat._chunk("a", {"content": "x"}, finish_reason="stop")]),
    "items": ("openai-responses", [[test_responses._asks("1"), test_responses._tells("1", [{}])]]),
    "a rollout": ("openai-responses", [test_responses._meta("s"), test_responses._user("q")]),
    "a table": ("promptfoo", [{"results": {"table": TABLE}}]),
    "a result": ("promptfoo", [_results(_result(response={"output": test_logs.MESSAGE}))]),
    "parts": ("atif", list(test_logs._continued())),
    "a log": ("inspect", [_log(_sample(scores={"s": {"value": {"a": "C"}}}))]),
}
JUNK: list[Any] = [
    None,
    7,
    10**40,
    True,
    "",
    "x" * 600,
    "\x00",
    '[{"type": "text"}]',
    [],
    [None],
    {},
]
JUNK += [{"a": []}, [[1]], {"role": "user"}, {"type": "text", "text": 5}]


@pytest.mark.parametrize("shape", SHAPES)
def test_junk_anywhere_in_a_shape_is_never_a_crash(tmp_path: Path, shape: str) -> None:
    format_, values = SHAPES[shape]
    _header, entry = checker("predictions-v2").lines("records")
    # Every seventh: the pieces of junk are 15, so that every part meets each sooner or later.
    for damaged in islice(_damaged(values, JUNK), 0, None, 7):
        raw = lines(tmp_path, damaged if type(damaged) is list else [damaged])
        tally = Tally()
        try:
            made = list(convert(Wanted(format_, (raw,)), tally, on_case=lambda *_: None))
        except ContractError:
            continue
        told = json.dumps(damaged)[:300]
        assert tally.read == len(made) + sum(tally.skipped.values()), told
        assert [entry.ok(each) for each in made] == [fits(each) for each in made], told
