"""The only place where numbers become text. They round towards the worse side.

A rate just below 1 never reads as 1, and an observed value never reads as the limit that
it missed. Undefined reads `n/a (0/0)`; there is no `-0.0`.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contractlab.interval import Interval

UNDEFINED = "n/a (0/0)"
NOT_MEASURED = "not measured"
_ROUNDING = {"down": ROUND_FLOOR, "up": ROUND_CEILING, "nearest": ROUND_HALF_EVEN}
_ROOMY = Context(prec=400)  # the largest double has 309 digits before the point
_PLACES = [Decimal(1).scaleb(-places) for places in range(9)]
Number = Fraction | float | int


def rounded(value: Number, places: int, towards: str) -> Decimal:
    """A value at so many decimal places, `down`, `up` or `nearest`; never minus zero."""
    if isinstance(value, Fraction):
        exact = _ROOMY.divide(Decimal(value.numerator), Decimal(value.denominator))
    else:
        exact = Decimal(repr(value))  # as written: 0.7 is not 0.69999
    result = exact.quantize(_PLACES[places], _ROUNDING[towards], _ROOMY)
    return result or abs(result)


def rate(value: Number | None, towards: str = "down") -> str:
    """A rate from 0 to 1, three places: `0.833`."""
    return UNDEFINED if value is None else f"{rounded(value, 3, towards):f}"


def difference(value: Number, towards: str = "down") -> str:
    """A difference of rates, signed: `+0.333`, `-0.025`, `0.000`."""
    number = rounded(value, 3, towards)
    return f"{number:+f}" if number else f"{number:f}"


def percent(value: Number | None, towards: str = "down") -> str:
    """A rate as a percentage, one place: `83.3 %`."""
    return UNDEFINED if value is None else f"{rounded(_times_100(value), 1, towards):f} %"


def points(value: Number, towards: str = "down") -> str:
    """A difference of rates in percentage points, signed: `+33.3`."""
    number = rounded(_times_100(value), 1, towards)
    return f"{number:+f}" if number else f"{number:f}"


def milliseconds(value: Number | None) -> str:
    """A latency, whole from 100 ms on: `1,010 ms`."""
    if value is None:
        return NOT_MEASURED
    if isinstance(value, float) and value >= 100:
        return f"{ceil(value):,} ms"  # no decimal text of a double lies beyond its integers
    return f"{_sized(value, 100, 0, 1):,f} ms"


def usd(value: Number | None) -> str:
    """A cost with the places that it needs: `$0.0042`."""
    if value is None:
        return NOT_MEASURED
    if isinstance(value, float) and 0.001 <= value < 1:
        digits = repr(value)[2:]  # no exponent from 0.0001 on, and no trailing zeros
        tenthousandths = int(digits[:4].ljust(4, "0")) + (len(digits) > 4)
        return f"${tenthousandths // 10_000}.{tenthousandths % 10_000:04}"
    if 0 < value < 0.001:
        return f"${rounded(value, 8, 'up').normalize():f}"
    return f"${_sized(value, 1, 2, 4):,f}"


def tokens(value: Number) -> str:
    """A number of tokens, one place where it is a mean: `1,647.2`, `2,999`."""
    return f"{rounded(value, 1, 'up').normalize():,f}"


def count(value: int | Fraction) -> str:
    """A number of cases with thousands set apart: `1,000`; trials may leave a part of one."""
    return f"{value:,}" if isinstance(value, int) else amount(value)


def amount(value: int | Fraction) -> str:
    """Cases that passed: `12`; with trials a mean may leave a part, `12.25`."""
    return f"{value}" if isinstance(value, int) else f"{rounded(value, 2, 'down').normalize():f}"


def counted(value: int, noun: str) -> str:
    """So many of a thing: `1 case`, `2,000 cases`."""
    return f"{count(value)} {noun}{'' if value == 1 else 's'}"


def interval(bounds: Interval) -> str:
    """An interval of a difference, in percentage points: `[-4.2, +1.7]`, both rounded down."""
    return f"[{points(bounds.low)}, {points(bounds.high)}]"


def limit(value: float) -> str:
    """A threshold in ms or USD as the rubric wrote it, with thousands set apart: `30,000`."""
    text = f"{Decimal(repr(value)):,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def confidence(value: Number) -> str:
    """A confidence level as it was written: `95 %`, `99.9 %`."""
    return f"{limit(float(_times_100(value)))} %"


def _sized(value: Number, large: int, places: int, more_places: int) -> Decimal:
    return rounded(value, places if value >= large else more_places, "up")


def _times_100(value: Number) -> Number:
    # repr, not the float: 0.07 * 100 is 7.000000000000001
    return (value if isinstance(value, Fraction) else Fraction(repr(value))) * 100
