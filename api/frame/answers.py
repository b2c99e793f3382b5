"""`Out`: a response that takes after a row or a selector's value, field by field."""

from typing import Any, Self

from pydantic import BaseModel


class Out(BaseModel):
    """A response made of what its fields are named after."""

    @classmethod
    def of(cls, row: object, /, **others: Any) -> Self:
        """The row's attributes of the fields' names, but for the `others`."""
        facts = {name: getattr(row, name) for name in cls.model_fields if name not in others}
        return cls.model_validate(facts | others, from_attributes=True)
