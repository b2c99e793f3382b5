from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("next_version", "0001_early")]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE datasets_run ADD COLUMN next_remark text NOT NULL DEFAULT ''",
            "ALTER TABLE datasets_run DROP COLUMN next_remark",
        )
    ]
