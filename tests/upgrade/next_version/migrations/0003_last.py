from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("next_version", "0002_late")]

    operations = [migrations.DeleteModel("Early")]
