"""`Out`: an answer whose fields have the names of a row's, or of a selector's value."""

from dataclasses import dataclass
from typing import Annotated, Any, Self

from pydantic import BaseModel
from pydantic.fields import FieldInfo


@dataclass(frozen=True, slots=True)
class From:
    """Of which attribute of the row a field is that has another name; null where a step of the path is.

    Args: path: names with dots between them, such as answered_by.worker.
    """

    path: str


Pk = Annotated[int, From("pk")]


class Out(BaseModel):
    """An answer that is made from a row."""

    @classmethod
    def of(cls, row: object, /, **others: Any) -> Self:
        """Each field from the row's attribute of its name or its `From`, but for `others`, which are given here."""
        facts = {name: _value(row, name, field) for name, field in cls.model_fields.items() if name not in others}
        return cls.model_validate(facts | others, from_attributes=True)


def _value(row: Any, name: str, field: FieldInfo) -> Any:
    if isinstance(row, Out):
        return getattr(row, name)
    for step in next((mark.path for mark in field.metadata if isinstance(mark, From)), name).split("."):
        row = None if row is None else getattr(row, step)
    return row
