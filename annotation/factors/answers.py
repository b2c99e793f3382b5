"""What was answered to factors with a grade, checked. Pure."""

from collections.abc import Mapping, Sequence

from annotation.models import Factor
from foundation.models import Collection, FactorsAsked


class BadFactors(ValueError):
    """Answers that don't go with the grade; the message says what was found and expected."""


def are_asked(collection: Collection, grade: int) -> bool:
    """Whether factors are asked after a grade."""
    asked = collection.factors_asked
    return asked == FactorsAsked.EVERY or (asked == FactorsAsked.BETWEEN and 0 < grade < collection.top_grade)


def checked_answers(
    collection: Collection, factors: Sequence[Factor], grade: int, sent: Mapping[str, int | None] | None
) -> dict[Factor, int | None]:
    """The answers sent with a grade, in the order of the factors; None for "can't say".

    Of a retired factor one may be there, from a page that was open before it was retired.

    Args: factors: the collection's whose answers are taken. sent: by key.
    Raises: BadFactors for a factor that is missing, unknown, not asked after this grade, or has another value.
    """
    given = sent or {}
    wanted = {factor.key: factor for factor in factors} if are_asked(collection, grade) else {}
    if not wanted:
        if given:
            raise BadFactors(f"found the factors {_listed(given)} with the grade {grade}, expected none")
        return {}
    expected = ", ".join(_values(factor) for factor in factors if factor.retired_at is None) or "none"
    if unknown := [key for key in given if key not in wanted]:
        raise BadFactors(f"found the factors {_listed(unknown)}, expected {expected}")
    if missing := [key for key, factor in wanted.items() if factor.retired_at is None and key not in given]:
        raise BadFactors(f"found no {_listed(missing)} among the factors, expected {expected}")
    for key, value in given.items():
        if not (wanted[key].may_skip if value is None else 0 <= value < len(wanted[key].answers)):
            raise BadFactors(f"found the factor {key} with {value}, expected {_values(wanted[key])}")
    return {factor: given[key] for key, factor in wanted.items() if key in given}


def _values(factor: Factor) -> str:
    skip = " or null" if factor.may_skip else ""
    return f"{factor.key} (0 to {len(factor.answers) - 1}{skip})"


def _listed(keys: Mapping[str, object] | Sequence[str]) -> str:
    return f"{', '.join(keys):.200}"
