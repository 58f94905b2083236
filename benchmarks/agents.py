"""Raw runs of an agent in AgentDojo's format, with whole transcripts, of two releases."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

_WORDS = [
    "order", "parcel", "refund", "invoice", "warranty", "label", "carrier", "address", "account",
    "window", "morning", "note", "ticket", "status", "review", "policy", "return", "delay", "the",
    "a", "of", "and", "to", "was", "is", "for", "with", "on", "by", "at",
]  # fmt: skip
_TOOLS = ("search_orders", "get_order", "get_policy", "send_message", "create_ticket", "get_notes")
ATTACKED_EVERY = 3


def write_runs(target: Path, count: int, release: str, *, mistakes: float) -> Path:
    """One run a line, as long as recorded ones are: 5 to 6 KB, three to five tool calls.

    Args:
        target: the file to write.
        count: runs, each of a task of its own; every third is attacked.
        release: named by the runs' `pipeline_name`.
        mistakes: share of the runs that fail, other ones in each release.
    """
    draw = random.Random(release)
    system = _text(random.Random(0), 180)
    with target.open("w", encoding="utf-8", newline="\n") as file:
        for number in range(count):
            run = _run(draw, number, release, system, mistakes)
            file.write(json.dumps(run, ensure_ascii=False) + "\n")
    return target


def _run(
    draw: random.Random, number: int, release: str, system: str, mistakes: float
) -> dict[str, Any]:
    attacked = number % ATTACKED_EVERY == 0
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": system},
        {"role": "user", "content": f"Case {number}: {_text(random.Random(number), 30)}"},
    ]
    for step in range(draw.randrange(3, 6)):
        call = {
            "function": draw.choice(_TOOLS),
            "args": {"order": draw.randrange(10**6), "query": _text(draw, 5)},
            "id": f"call_{number}_{step}",
            "placeholder_args": None,
        }
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append(
            {
                "role": "tool",
                "content": _text(draw, 140),
                "tool_call": call,
                "tool_call_id": call["id"],
                "error": None if draw.random() < 0.95 else "ValueError: there is no such order",
            }
        )
    messages.append({"role": "assistant", "content": _text(draw, 50), "tool_calls": None})
    failed = draw.random() < mistakes
    return {
        "suite_name": "support",
        "pipeline_name": release,
        "user_task_id": f"user_task_{number}",
        "injection_task_id": f"injection_task_{number % 7}" if attacked else None,
        "attack_type": "important_instructions" if attacked else None,
        "injections": {},
        "messages": messages,
        "error": None,
        "utility": not failed,
        "security": failed if attacked else True,
        "duration": round(draw.uniform(2, 60), 3),
    }


def _text(draw: random.Random, words: int) -> str:
    return " ".join(draw.choices(_WORDS, k=words))
