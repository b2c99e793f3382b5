"""Who came from a platform, and logins of which no trace is kept."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("foundation", "0010_consent"),
    ]

    operations = [
        migrations.AddField(
            model_name="membership",
            name="recruited",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Sent by a platform: works in sessions, which a recruitment ends.",
            ),
        ),
        migrations.AddField(
            model_name="session",
            name="traceless",
            field=models.BooleanField(
                db_default=False, default=False, help_text="Whether device and address are never noted."
            ),
        ),
    ]
