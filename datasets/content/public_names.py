"""Names of models as a release tells them."""

from pathlib import Path


def public_name(model: str) -> str:
    """A model's name; of one that is a folder of this machine, whose place is nobody's business, the folder's.

    >>> public_name("org/model"), public_name("/srv/models/model")
    ('org/model', 'model')
    """
    return Path(model).name if Path(model).is_absolute() or model.startswith((".", "~")) else model
