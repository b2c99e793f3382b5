"""Which consent text holds for whom."""

from django.db import migrations, models

from foundation.audit.triggers import watch

# What a person does with their own place isn't in the trail, which would tell whose place it is.
OWN_PLACE = ("account_id", "guideline_confirmed", "repeat_waits", "consent_confirmed", "consent_withdrawn_at")


class Migration(migrations.Migration):
    dependencies = [("foundation", "0009_gold")]

    operations = [
        migrations.AddField(
            model_name="collection",
            name="consent_version",
            field=models.PositiveIntegerField(
                db_default=0,
                default=0,
                help_text="The consent text's published version that annotators have to confirm; 0 when there is none.",
            ),
        ),
        migrations.AddField(
            model_name="membership",
            name="consent_confirmed",
            field=models.PositiveIntegerField(
                db_default=0,
                default=0,
                help_text="The consent text's version that holds for this person; 0 for none.",
            ),
        ),
        migrations.AddField(
            model_name="membership",
            name="consent_withdrawn_at",
            field=models.DateTimeField(
                blank=True, help_text="Since when their consent is withdrawn; empty: it isn't.", null=True
            ),
        ),
        watch(
            "foundation_membership",
            secret=("account_id", "pay_per_hour"),
            quiet=OWN_PLACE,
            operations=("update", "delete"),
        ),
    ]
