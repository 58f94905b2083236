"""Answers that were recorded as the pieces of a stream, put together again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from contractlab.importers.values import arr, first, obj, text, word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contractlab.importers.neutral import Where

_PIECE = "chat.completion.chunk"


@dataclass(slots=True)
class _Answer:
    where: Where
    named: dict[str, Any] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    calls: dict[int, dict[str, Any]] = field(default_factory=dict)
    reason: Any = None
    usage: Any = None


@dataclass(slots=True)
class Pieces:
    """Chunks of OpenAI's chat API, by the answer that they are of."""

    _answers: dict[str, _Answer] = field(default_factory=dict)

    @staticmethod
    def is_piece(value: Any) -> bool:
        """Whether a value is a chunk of an answer."""
        return obj(value).get("object") == _PIECE

    def take(self, value: Any, where: Where) -> bool:
        """Keeps a chunk; whether the value is one."""
        if not self.is_piece(value):
            return False
        id_ = word(value.get("id"))
        answer = self._answers.setdefault(id_, _Answer(where))
        for key in ("case_id", "custom_id", "task_id", "messages", "trial"):
            if value.get(key) is not None:
                answer.named[key] = value[key]
        answer.usage = first(value, "usage") or answer.usage
        for choice in map(obj, arr(value.get("choices"))):
            if choice.get("index", 0) == 0:
                _add(answer, choice)
        return True

    def whole(self) -> Iterator[tuple[dict[str, Any], Where]]:
        """Each answer as the API would have given it in one piece."""
        for answer in self._answers.values():
            calls = [answer.calls[index] for index in sorted(answer.calls)]
            message: dict[str, Any] = {
                "role": "assistant",
                "content": "".join(answer.texts) or None,
            }
            if calls:
                message["tool_calls"] = calls
            choice = {"message": message, "finish_reason": answer.reason}
            yield {**answer.named, "choices": [choice], "usage": answer.usage}, answer.where


def _add(answer: _Answer, choice: dict[str, Any]) -> None:
    delta = obj(choice.get("delta"))
    answer.reason = first(choice, "finish_reason") or answer.reason
    answer.texts.append(text(delta.get("content")) or text(delta.get("refusal")) or "")
    for piece in map(obj, arr(delta.get("tool_calls"))):
        index = piece.get("index")
        call = answer.calls.setdefault(
            index if type(index) is int else 0, {"function": {"name": "", "arguments": ""}}
        )
        if text(piece.get("id")):
            call["id"] = piece["id"]
        function = obj(piece.get("function"))
        for key in ("name", "arguments"):
            call["function"][key] += text(function.get(key)) or ""
