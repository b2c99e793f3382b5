"""`Out`: an answer whose fields have the names of a row's, or of a selector's value."""

from typing import Any, Self

from pydantic import BaseModel


class Out(BaseModel):
    """An answer that is made from a row."""

    @classmethod
    def of(cls, row: object, /, **others: Any) -> Self:
        """Each field from the row's attribute of its name, but for `others`, which are given here."""
        facts = {name: getattr(row, name) for name in cls.model_fields if name not in others}
        return cls.model_validate(facts | others, from_attributes=True)
