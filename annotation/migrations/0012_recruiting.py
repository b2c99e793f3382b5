"""Recruitments, those who came by them, and their sessions."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from decimal import Decimal
from django.db import migrations, models

from foundation.audit.triggers import watch


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0011_consent_and_survey"),
        ("foundation", "0011_recruited"),
    ]

    operations = [
        migrations.CreateModel(
            name="Recruit",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "platform",
                    models.CharField(
                        choices=[
                            ("prolific", "Prolific"),
                            ("mturk", "Amazon Mechanical Turk"),
                            ("toloka", "Toloka"),
                            ("sona", "a university's pool (SONA)"),
                            ("other", "another platform"),
                        ],
                        max_length=8,
                    ),
                ),
                (
                    "person",
                    models.CharField(blank=True, help_text="The platform's id; empty: it is erased.", max_length=100),
                ),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="recruits", to="foundation.collection"
                    ),
                ),
                (
                    "member",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="recruit", to="foundation.membership"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Recruitment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(help_text="For the lead to tell it from others.", max_length=100)),
                (
                    "platform",
                    models.CharField(
                        choices=[
                            ("prolific", "Prolific"),
                            ("mturk", "Amazon Mechanical Turk"),
                            ("toloka", "Toloka"),
                            ("sona", "a university's pool (SONA)"),
                            ("other", "another platform"),
                        ],
                        max_length=8,
                    ),
                ),
                (
                    "token",
                    models.CharField(
                        help_text="Of the entry address, which all who come have.", max_length=43, unique=True
                    ),
                ),
                ("person_parameter", models.CharField(max_length=40)),
                ("session_parameter", models.CharField(blank=True, max_length=40)),
                ("study_parameter", models.CharField(blank=True, max_length=40)),
                (
                    "signed",
                    models.BooleanField(default=False, help_text="Whether an address needs the platform's signature."),
                ),
                (
                    "known",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=64),
                        blank=True,
                        help_text="Digests of the ids that may enter; null: all that the platform sends.",
                        null=True,
                        size=None,
                    ),
                ),
                (
                    "until",
                    models.CharField(
                        choices=[
                            ("judgments", "a number of judgments"),
                            ("minutes", "minutes of work"),
                            ("screening", "the exam, handed in"),
                        ],
                        max_length=9,
                    ),
                ),
                (
                    "amount",
                    models.PositiveIntegerField(
                        blank=True, help_text="Judgments or minutes; null: the screening.", null=True
                    ),
                ),
                (
                    "most_out",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="Percent of exam grades that may be out; null: the lead decides.",
                        null=True,
                    ),
                ),
                ("code", models.CharField(blank=True, help_text="Of a complete session.", max_length=100)),
                ("screened_code", models.CharField(blank=True, help_text="Of who wasn't admitted.", max_length=100)),
                (
                    "return_address",
                    models.CharField(blank=True, help_text="With {code}, {person}, {session}.", max_length=500),
                ),
                (
                    "people",
                    models.PositiveIntegerField(
                        blank=True, help_text="How many may come; null: any number.", null=True
                    ),
                ),
                ("most_sessions", models.PositiveSmallIntegerField(default=1, help_text="Of one person.")),
                (
                    "most_judgments",
                    models.PositiveIntegerField(blank=True, help_text="Of one person; null: any number.", null=True),
                ),
                (
                    "languages",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=35),
                        blank=True,
                        default=list,
                        help_text="BCP 47.",
                        size=None,
                    ),
                ),
                ("opens_at", models.DateTimeField(blank=True, null=True)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "paid_by",
                    models.CharField(
                        choices=[
                            ("session", "a complete session"),
                            ("judgment", "a judgment"),
                            ("hour", "an hour, as the platform counts it"),
                        ],
                        default="session",
                        max_length=8,
                    ),
                ),
                (
                    "rate",
                    models.DecimalField(
                        decimal_places=4, default=Decimal("0"), help_text="Of what it is paid by.", max_digits=9
                    ),
                ),
                (
                    "reward",
                    models.DecimalField(
                        decimal_places=2,
                        default=Decimal("0"),
                        help_text="Paid by the platform for each approved.",
                        max_digits=8,
                    ),
                ),
                ("currency", models.CharField(blank=True, max_length=8)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="recruitments",
                        to="foundation.collection",
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="foundation.membership"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="RecruitSession",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "session",
                    models.CharField(
                        blank=True, help_text="The platform's id of it; empty: none, or erased.", max_length=100
                    ),
                ),
                (
                    "study",
                    models.CharField(blank=True, help_text="The platform's id of the study or task.", max_length=100),
                ),
                (
                    "submit_to",
                    models.CharField(
                        blank=True, help_text="MTurk's host that takes the form at the end.", max_length=100
                    ),
                ),
                (
                    "entered_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(),
                        help_text="By the database's clock, as judgments.",
                    ),
                ),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "outcome",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("complete", "complete"),
                            ("short", "complete: no work was left"),
                            ("screened", "screened out"),
                            ("left", "not completed"),
                        ],
                        help_text="Empty while it goes on.",
                        max_length=8,
                    ),
                ),
                (
                    "recruit",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="sessions", to="annotation.recruit"
                    ),
                ),
                (
                    "recruitment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sessions",
                        to="annotation.recruitment",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="recruit",
            constraint=models.UniqueConstraint(
                condition=models.Q(("person", ""), _negated=True),
                fields=("collection", "platform", "person"),
                name="one_recruit_a_platform_s_id",
            ),
        ),
        migrations.AddConstraint(
            model_name="recruitment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("amount", None), ("until", "screening")),
                    models.Q(("amount__gte", 1), ("until__in", ["judgments", "minutes"])),
                    _connector="OR",
                ),
                name="recruitment_completes",
            ),
        ),
        migrations.AddConstraint(
            model_name="recruitment",
            constraint=models.CheckConstraint(
                condition=models.Q(("people", None), ("people__gte", 1), _connector="OR"), name="recruitment_people"
            ),
        ),
        migrations.AddConstraint(
            model_name="recruitment",
            constraint=models.CheckConstraint(
                condition=models.Q(("most_sessions__gte", 1)), name="recruitment_sessions"
            ),
        ),
        migrations.AddConstraint(
            model_name="recruitment",
            constraint=models.CheckConstraint(
                condition=models.Q(("most_out", None), ("most_out__lte", 100), _connector="OR"),
                name="recruitment_most_out",
            ),
        ),
        migrations.AddConstraint(
            model_name="recruitsession",
            constraint=models.UniqueConstraint(
                condition=models.Q(("session", ""), _negated=True),
                fields=("recruitment", "session"),
                name="one_recruit_session_an_id",
            ),
        ),
        migrations.AddConstraint(
            model_name="recruitsession",
            constraint=models.UniqueConstraint(
                condition=models.Q(("ended_at", None)), fields=("recruit",), name="one_recruit_session_at_a_time"
            ),
        ),
        migrations.AddConstraint(
            model_name="recruitsession",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("ended_at", None), ("outcome", "")),
                    models.Q(("ended_at__isnull", False), models.Q(("outcome", ""), _negated=True)),
                    _connector="OR",
                ),
                name="recruit_session_ended_somehow",
            ),
        ),
        watch("annotation_recruitment", secret=("known",)),
    ]
