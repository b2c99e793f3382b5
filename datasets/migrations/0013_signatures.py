"""Releases are signed by their owners."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("datasets", "0012_deposits")]

    operations = [
        migrations.AddField(
            model_name="releasepage",
            name="signature",
            field=models.TextField(blank=True, db_default="", help_text="The manifest's .minisig. Empty: none."),
        ),
        migrations.AddField(
            model_name="releasepage",
            name="signing_key",
            field=models.CharField(blank=True, db_default="", help_text="Its public key.", max_length=56),
        ),
        migrations.AddField(
            model_name="releasepage",
            name="signed_at",
            field=models.DateTimeField(
                blank=True, help_text="By its trusted comment, or else when it was added.", null=True
            ),
        ),
    ]
