"""Names of videos and workers in Unicode NFC, as they are read from now on.

One that would then have another's name stays as it is.
"""

from contextlib import suppress
from typing import Any
from unicodedata import normalize

from django.db import IntegrityError, migrations, transaction
from django.db.models.expressions import RawSQL


def compose(apps: Any, schema_editor: Any) -> None:
    for name, column in (("Video", "name"), ("Membership", "worker")):
        model = apps.get_model("corpus", name)
        wrong = model.objects.annotate(wrong=RawSQL(f'"{column}" IS NOT NFC NORMALIZED', ())).filter(wrong=True)
        for pk, said in list(wrong.values_list("pk", column)):
            with suppress(IntegrityError), transaction.atomic():
                model.objects.filter(pk=pk).update(**{column: normalize("NFC", said)})


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("corpus", "0037_one_way_to_mail")]

    operations = [migrations.RunPython(compose, migrations.RunPython.noop)]
