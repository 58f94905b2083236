"""Anthropic's answers that were recorded as the events of a stream, put together again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from contractlab.importers.values import obj, parsed, text, word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contractlab.importers.neutral import Where

_EVENTS = {
    *("message_start", "content_block_start", "content_block_delta", "content_block_stop"),
    *("message_delta", "message_stop", "ping"),
}
_DELTAS = {"text_delta": "text", "input_json_delta": "partial_json", "thinking_delta": "thinking"}


@dataclass(slots=True)
class Events:
    """Stream events; a new answer begins at each `message_start`."""

    _answers: list[tuple[dict[str, Any], Where]] = field(default_factory=list)
    _blocks: dict[int, dict[str, Any]] = field(default_factory=dict)
    _texts: dict[int, list[str]] = field(default_factory=dict)

    @staticmethod
    def is_event(value: Any) -> bool:
        """Whether a value is an event of a stream, with what it needs."""
        kind = word(obj(value).get("type"))
        return kind in _EVENTS and (kind != "message_start" or "message" in obj(value))

    def take(self, value: Any, where: Where) -> bool:
        """Keeps an event; whether the value is one that belongs to an answer."""
        if not self.is_event(value):
            return False
        given, kind = obj(value), word(obj(value).get("type"))
        if kind == "message_start":
            self._close()
            self._answers.append(({"type": "message", **obj(given["message"])}, where))
        if not self._answers:
            return kind == "ping"
        index = given.get("index") if type(given.get("index")) is int else 0
        if kind == "content_block_start":
            self._blocks[index or 0] = dict(obj(given.get("content_block")))
        elif kind == "content_block_delta":
            delta = obj(given.get("delta"))
            piece = text(delta.get(_DELTAS.get(word(delta.get("type")), "")))
            self._texts.setdefault(index or 0, []).append(piece or "")
        elif kind == "message_delta":
            answer = self._answers[-1][0]
            answer |= obj(given.get("delta"))
            answer["usage"] = {**obj(answer.get("usage")), **obj(given.get("usage"))}
        return True

    def _close(self) -> None:
        """Writes what was collected into the answer that it is of."""
        if not self._answers:
            return
        content = []
        for index in sorted(self._blocks):
            block, told = self._blocks[index], "".join(self._texts.get(index, []))
            if block.get("type") == "text":
                block["text"] = word(block.get("text")) + told
            elif told:
                block["input"] = parsed(told)
            content.append(block)
        if content:
            self._answers[-1][0]["content"] = content
        self._blocks, self._texts = {}, {}

    def whole(self) -> Iterator[tuple[dict[str, Any], Where]]:
        """Each answer as the API would have given it in one piece."""
        self._close()
        yield from self._answers
