"""Gold: pairs whose grade is known, given among the others, and judgments that a lead sets aside when it goes wrong."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models
from django.db.models import Q

from foundation.audit.triggers import watch

OF_MEMBER = "SELECT collection_id FROM foundation_membership WHERE id = ($1->>'member_id')::bigint"
# As 0002 has it, but that what a lead has set aside may count again.
JUDGMENTS_STAY = """
CREATE OR REPLACE FUNCTION annotation_keep_judgment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF current_setting('qreels.deletes_collection', true) = 'yes' THEN
            RETURN OLD;
        END IF;
        RAISE EXCEPTION 'judgment % can''t be deleted: judgments are append-only', OLD.id
              USING ERRCODE = '23001';
    END IF;
    IF (OLD.pair_id, OLD.annotator_id, OLD.grade, OLD.round, OLD.key, OLD.guideline, OLD.given_at)
       IS DISTINCT FROM (NEW.pair_id, NEW.annotator_id, NEW.grade, NEW.round, NEW.key, NEW.guideline, NEW.given_at)
       OR (NEW.counted AND NOT OLD.counted AND OLD.uncounted_because <> 'set-aside') THEN
        RAISE EXCEPTION 'judgment % can''t be changed, only taken back: judgments are append-only', OLD.id
              USING ERRCODE = '23001';
    END IF;
    RETURN NEW;
END $$;
"""


def key(to: str, name: str = "+", *, null: bool = False, indexed: bool = True) -> models.ForeignKey:
    return models.ForeignKey(
        to, django.db.models.deletion.PROTECT, null=null, blank=null, related_name=name, db_index=indexed
    )


def number() -> models.BigAutoField:
    return models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")


class Migration(migrations.Migration):
    dependencies = [("annotation", "0009_factors"), ("foundation", "0009_gold")]

    operations = [
        migrations.CreateModel(
            name="GoldPair",
            fields=[
                ("id", number()),
                ("grade", models.PositiveSmallIntegerField(help_text="The known one.")),
                (
                    "explanation",
                    models.TextField(
                        blank=True, help_text="Why; shown with the known grade where answers are told it."
                    ),
                ),
                (
                    "source",
                    models.CharField(
                        choices=[
                            ("decided", "decided by people"),
                            ("adjudicated", "adjudicated"),
                            ("lead", "graded by the lead"),
                        ],
                        max_length=11,
                    ),
                ),
                ("added_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("removed_at", models.DateTimeField(blank=True, null=True)),
                ("added_by", key("foundation.membership")),
                ("collection", key("foundation.collection", "gold_pairs", indexed=False)),
                ("pair", key("annotation.pair", "gold")),
                ("removed_by", key("foundation.membership", null=True)),
            ],
            options={
                "indexes": [models.Index(fields=["collection", "-id"], name="gold_of_collection")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=["pair"], condition=Q(removed_at__isnull=True), name="one_gold_that_is_given_a_pair"
                    ),
                    models.CheckConstraint(
                        condition=Q(removed_at__isnull=True, removed_by__isnull=True)
                        | Q(removed_at__isnull=False, removed_by__isnull=False),
                        name="gold_removed_as_a_whole",
                    ),
                    models.CheckConstraint(
                        condition=Q(source__in=["decided", "adjudicated", "lead"]), name="gold_source"
                    ),
                ],
            },
        ),
        migrations.AddField(
            model_name="repeatanswer",
            name="told_at",
            field=models.DateTimeField(blank=True, help_text="When its annotator was told the known grade.", null=True),
        ),
        migrations.AlterField(
            model_name="repeat",
            name="first",
            field=models.ForeignKey(
                help_text="What was said the first time; empty: gold.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="annotation.judgment",
            ),
        ),
        migrations.AddField(model_name="repeat", name="gold", field=key("annotation.goldpair", "given", null=True)),
        migrations.AddConstraint(
            model_name="repeat",
            constraint=models.CheckConstraint(
                condition=Q(first__isnull=False, gold__isnull=True) | Q(first__isnull=True, gold__isnull=False),
                name="repeat_or_gold",
            ),
        ),
        migrations.AlterField(
            model_name="judgment",
            name="uncounted_because",
            field=models.CharField(
                blank=True,
                choices=[
                    ("taken-back", "taken back"),
                    ("late", "came too late"),
                    ("second", "graded before by the same person"),
                    ("set-aside", "set aside by the lead"),
                ],
                max_length=10,
            ),
        ),
        migrations.RunSQL(JUDGMENTS_STAY, migrations.RunSQL.noop),
        migrations.CreateModel(
            name="SetAside",
            fields=[
                ("id", number()),
                ("decided_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                ("since", models.DateTimeField(help_text="When the last good gold was answered.")),
                ("reason", models.TextField()),
                (
                    "judgments",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), help_text="Those that it took out.", size=None
                    ),
                ),
                (
                    "barred",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(),
                        help_text="Assignments by which the person doesn't get them again.",
                        size=None,
                    ),
                ),
                (
                    "restored",
                    models.PositiveIntegerField(
                        blank=True, help_text="How many count again since it was withdrawn.", null=True
                    ),
                ),
                ("decided_by", key("foundation.membership")),
                ("member", key("foundation.membership", "set_asides")),
                ("withdrawn_by", key("foundation.membership", null=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=~Q(reason=""), name="set_aside_reason"),
                    models.CheckConstraint(
                        condition=Q(withdrawn_at__isnull=True, withdrawn_by__isnull=True, restored__isnull=True)
                        | Q(withdrawn_at__isnull=False, withdrawn_by__isnull=False, restored__isnull=False),
                        name="set_aside_withdrawn_as_a_whole",
                    ),
                ]
            },
        ),
        watch("annotation_goldpair", secret=("explanation",)),
        watch("annotation_setaside", place=OF_MEMBER, secret=("reason",)),
    ]
