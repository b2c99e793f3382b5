"""`Out`: an answer whose fields have the names of a row's, or of a selector's value."""

from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo


def From(path: str, **field: Any) -> Any:
    """A `Field` of an answer that is another attribute of the row than that of its name.

    Args: path: names with dots between them, such as answered_by.worker; null where a step is. field: as of `Field`.
    """
    return Field(validation_alias=path, **field)


class Out(BaseModel):
    """An answer that is made from a row."""

    model_config = ConfigDict(validate_by_name=True)

    @classmethod
    def of(cls, row: object, /, **others: Any) -> Self:
        """Each field from the row's attribute of its name or its `From`, but for `others`, which are given here."""
        facts = {name: _value(row, name, field) for name, field in cls.model_fields.items() if name not in others}
        return cls.model_validate(facts | others, from_attributes=True)


def _value(row: Any, name: str, field: FieldInfo) -> Any:
    for step in (name if isinstance(row, Out) else str(field.validation_alias or name)).split("."):
        row = None if row is None else getattr(row, step)
    return row
