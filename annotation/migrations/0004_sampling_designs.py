import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from foundation.audit.triggers import watch

OF_DESIGN = "SELECT collection_id FROM annotation_samplingdesign WHERE id = ($1->>'design_id')::bigint"


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0003_machine_judges"),
        ("foundation", "0003_discarded_names"),
        ("queries", "0005_captions_elsewhere_and_calibrations"),
    ]

    operations = [
        migrations.CreateModel(
            name="SamplingDesign",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "unit",
                    models.CharField(
                        choices=[("query", "whole queries"), ("pair", "pairs of each query")], max_length=5
                    ),
                ),
                (
                    "strata",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "nothing"),
                            ("split", "split of the query"),
                            ("rank", "band of ranks"),
                            ("run", "run that found it"),
                            ("machine", "grade by a machine judge"),
                        ],
                        help_text="Of queries: split, or none.",
                        max_length=7,
                    ),
                ),
                (
                    "bands",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.PositiveIntegerField(),
                        default=list,
                        help_text="The last rank of each band but the last band's.",
                        size=None,
                    ),
                ),
                ("seed", models.BigIntegerField()),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "collection",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sampling_design",
                        to="foundation.collection",
                    ),
                ),
                (
                    "judge",
                    models.ForeignKey(
                        blank=True,
                        help_text="Whose grades are strata.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="annotation.machinejudge",
                    ),
                ),
                (
                    "member",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="foundation.membership",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SamplingStage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveSmallIntegerField(help_text="From 1.")),
                (
                    "asked",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.PositiveIntegerField(),
                        help_text="How many are drawn from then on, of queries, or of each query's pairs: in all, or of each stratum.",
                        size=None,
                    ),
                ),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "design",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="stages",
                        to="annotation.samplingdesign",
                    ),
                ),
                (
                    "member",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="foundation.membership",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SamplingStratum",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=200)),
                ("place", models.PositiveIntegerField(help_text="Among the strata beside it, from 0.")),
                ("size", models.PositiveIntegerField(help_text="N_h: units in the frame.")),
                ("drawn", models.PositiveIntegerField(help_text="n_h: those drawn by now.")),
                (
                    "design",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="of_strata",
                        to="annotation.samplingdesign",
                    ),
                ),
                (
                    "query",
                    models.ForeignKey(
                        blank=True,
                        help_text="Empty: a stratum of queries.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="queries.query",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "sampling strata",
            },
        ),
        migrations.CreateModel(
            name="SampledUnit",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.FloatField(help_text="Its permanent random number, in [0, 1).")),
                ("probability", models.FloatField(help_text="Of its inclusion by now: n_h / N_h.")),
                (
                    "stage",
                    models.PositiveSmallIntegerField(
                        blank=True, help_text="That drew it; empty: not drawn.", null=True
                    ),
                ),
                ("drawn_at", models.DateTimeField(blank=True, help_text="Empty: not drawn.", null=True)),
                (
                    "candidate",
                    models.ForeignKey(
                        blank=True,
                        help_text="Empty: the whole query.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="sampled",
                        to="queries.candidate",
                    ),
                ),
                (
                    "query",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="sampled", to="queries.query"
                    ),
                ),
                (
                    "design",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="units",
                        to="annotation.samplingdesign",
                    ),
                ),
                (
                    "stratum",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="units",
                        to="annotation.samplingstratum",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="samplingdesign",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("strata__in", ["", "split"]), ("unit", "query")),
                    models.Q(("strata__in", ["", "rank", "run", "machine"]), ("unit", "pair")),
                    _connector="OR",
                ),
                name="sampling_design_strata",
            ),
        ),
        migrations.AddConstraint(
            model_name="samplingstage",
            constraint=models.UniqueConstraint(fields=("design", "number"), name="one_sampling_stage_a_number"),
        ),
        migrations.AddConstraint(
            model_name="samplingstratum",
            constraint=models.UniqueConstraint(
                fields=("design", "query", "name"), name="one_sampling_stratum_a_name", nulls_distinct=False
            ),
        ),
        migrations.AddConstraint(
            model_name="samplingstratum",
            constraint=models.CheckConstraint(
                condition=models.Q(("drawn__lte", models.F("size")), ("size__gte", 1)), name="sampling_stratum_drawn"
            ),
        ),
        migrations.AddConstraint(
            model_name="sampledunit",
            constraint=models.UniqueConstraint(
                fields=("design", "query", "candidate"), name="one_sampled_unit_a_pair", nulls_distinct=False
            ),
        ),
        migrations.AddConstraint(
            model_name="sampledunit",
            constraint=models.CheckConstraint(
                condition=models.Q(("number__gte", 0), ("number__lt", 1)), name="sampled_unit_number"
            ),
        ),
        migrations.AddConstraint(
            model_name="sampledunit",
            constraint=models.CheckConstraint(
                condition=models.Q(("probability__gte", 0), ("probability__lte", 1)), name="sampled_unit_probability"
            ),
        ),
        migrations.AddConstraint(
            model_name="sampledunit",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("drawn_at__isnull", True), ("stage__isnull", True)),
                    models.Q(("drawn_at__isnull", False), ("probability__gt", 0), ("stage__isnull", False)),
                    _connector="OR",
                ),
                name="sampled_unit_drawn",
            ),
        ),
        watch("annotation_samplingdesign"),
        watch("annotation_samplingstage", place=OF_DESIGN),
    ]
