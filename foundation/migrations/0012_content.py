"""Ages, what people avoid, and whether a collection has such videos become columns."""

import django.contrib.postgres.fields
import django.core.validators
from django.db import migrations, models

from foundation.audit.triggers import watch

# What a person does with their own place isn't in the trail, as 0010 has it, nor what they say of themselves.
OWN_PLACE = ("account_id", "guideline_confirmed", "repeat_waits", "consent_confirmed", "consent_withdrawn_at")
OWN_WORDS = ("age", "avoids")


class Migration(migrations.Migration):
    dependencies = [
        ("foundation", "0011_recruited"),
    ]

    operations = [
        migrations.AddField(
            model_name="collection",
            name="marks_content",
            field=models.BooleanField(
                db_default=False, default=False, help_text="Whether some video has kinds of content or a minimum age."
            ),
        ),
        migrations.AddField(
            model_name="collection",
            name="minimum_age",
            field=models.PositiveSmallIntegerField(
                db_default=0,
                default=0,
                help_text="Years of age from which on people may join and judge, by their own word; 0 asks nobody.",
                validators=[django.core.validators.MaxValueValidator(99)],
            ),
        ),
        migrations.AddField(
            model_name="membership",
            name="age",
            field=models.PositiveSmallIntegerField(
                db_default=0,
                default=0,
                help_text="Years that this person is old at least, by their own word; 0: not said.",
            ),
        ),
        migrations.AddField(
            model_name="membership",
            name="avoids",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=40),
                blank=True,
                db_default=[],
                default=list,
                help_text="Kinds of content that this person is not given.",
                size=None,
            ),
        ),
        watch(
            "foundation_membership",
            secret=("account_id", "pay_per_hour", *OWN_WORDS),
            quiet=(*OWN_PLACE, *OWN_WORDS),
            operations=("update", "delete"),
        ),
    ]
