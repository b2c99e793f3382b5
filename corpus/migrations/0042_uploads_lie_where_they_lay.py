"""Files that were taken before they were numbered lie under their own names."""

from typing import Any

from django.db import migrations
from django.db.models import F

AT_ONCE = 5000


def fill(apps: Any, schema_editor: Any) -> None:
    uploads = apps.get_model("corpus", "VideoUpload").objects
    while some := list(uploads.filter(state="taken", stored_as="").values_list("pk", flat=True)[:AT_ONCE]):
        uploads.filter(pk__in=some).update(stored_as=F("name"))


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("corpus", "0041_stored_names_of_uploads")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
