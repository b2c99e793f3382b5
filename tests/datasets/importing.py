"""The command `import_judgments`, and what it says of a file that it refuses."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Judgment, Pair
from corpus.models import Video
from foundation.models import Collection, Membership
from tests.datasets.judgment_files import QUERIES


def run(*arguments: object) -> str:
    out = StringIO()
    call_command("import_judgments", *map(str, arguments), stdout=out)
    return out.getvalue()


def refusal(name: str, path: Path, *options: str) -> str:
    """What the command says of a file that it refuses; nothing may be there afterwards."""
    before = tuple(model.objects.count() for model in (Collection, Video, Membership, Judgment, Pair))
    with pytest.raises(CommandError) as refused:
        run(name, path, *options)
    assert before == tuple(model.objects.count() for model in (Collection, Video, Membership, Judgment, Pair))
    return str(refused.value)


def pair(query: str, video: str, start: float) -> Pair:
    return Pair.objects.get(
        candidate__query__text=QUERIES[query], candidate__moment__video__name=video, candidate__moment__start=start
    )
