import uuid

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0007_judgments_are_append_only"),
        ("corpus", "0002_sessions_and_judging_settings"),
    ]

    operations = [
        migrations.CreateModel(
            name="Exam",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveSmallIntegerField(help_text="The newest is the one that candidates sit.")),
                ("seed", models.BigIntegerField()),
                ("drawn_at", models.DateTimeField(auto_now_add=True)),
                ("opened_at", models.DateTimeField(blank=True, null=True)),
                (
                    "frozen_at",
                    models.DateTimeField(blank=True, help_text="When the first cohort was closed.", null=True),
                ),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="exams", to="corpus.collection"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ExamItem",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("query", models.TextField()),
                ("rank", models.PositiveSmallIntegerField()),
                (
                    "truth",
                    models.FloatField(blank=True, help_text="The cohort's median; a half is possible.", null=True),
                ),
                ("why", models.TextField(blank=True, help_text="The lead's explanation, shown in the feedback.")),
                (
                    "description",
                    models.ForeignKey(
                        help_text="The pseudo-training query it comes from.",
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="corpus.description",
                    ),
                ),
                (
                    "exam",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="items", to="annotation.exam"
                    ),
                ),
                (
                    "moment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="corpus.moment"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ExamSitting",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("begun_at", models.DateTimeField(auto_now_add=True)),
                ("handed_in_at", models.DateTimeField(blank=True, null=True)),
                (
                    "cohort",
                    models.BooleanField(default=False, help_text="Whether the truth is made of this one's grades too."),
                ),
                (
                    "candidate",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="exam_sittings",
                        to="corpus.membership",
                    ),
                ),
                (
                    "exam",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="sittings", to="annotation.exam"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ExamAnswer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("turn", models.PositiveSmallIntegerField(default=1)),
                ("grade", models.PositiveSmallIntegerField()),
                ("key", models.UUIDField(help_text="Made by the page: a request sent twice is one answer.")),
                (
                    "played",
                    models.FloatField(blank=True, help_text="The part of the clip that was seen, 0-1.", null=True),
                ),
                ("given_at", models.DateTimeField(auto_now_add=True)),
                ("taken_back_at", models.DateTimeField(blank=True, null=True)),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="answers", to="annotation.examitem"
                    ),
                ),
                (
                    "sitting",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="answers", to="annotation.examsitting"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Guideline",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveIntegerField()),
                ("source", models.TextField(help_text="Markdown.")),
                (
                    "examples",
                    models.JSONField(
                        default=list,
                        help_text='The worked examples as they were: [{"query", "moment", "grade", "why"}].',
                    ),
                ),
                (
                    "note",
                    models.TextField(blank=True, help_text="What changed, for those who knew the version before."),
                ),
                ("published_at", models.DateTimeField(auto_now_add=True)),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="guidelines", to="corpus.collection"
                    ),
                ),
                (
                    "published_by",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="corpus.membership"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="GuidelineDraft",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("source", models.TextField()),
                ("edited_at", models.DateTimeField(auto_now=True)),
                (
                    "collection",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="guideline_draft",
                        to="corpus.collection",
                    ),
                ),
                (
                    "edited_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="corpus.membership"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "digest",
                    models.CharField(help_text="SHA-256 of the token, in hexadecimal.", max_length=64, unique=True),
                ),
                (
                    "label",
                    models.CharField(blank=True, help_text="For the lead to tell it from others.", max_length=100),
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
                (
                    "places",
                    models.PositiveIntegerField(
                        blank=True, help_text="How many may join by it; empty: any number.", null=True
                    ),
                ),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="invitations", to="corpus.collection"
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="corpus.membership"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="InvitationUse",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("used_at", models.DateTimeField(auto_now_add=True)),
                (
                    "annotator",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="corpus.membership",
                    ),
                ),
                (
                    "invitation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="uses", to="annotation.invitation"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="WorkedItem",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                (
                    "use",
                    models.CharField(
                        choices=[("example", "example in the guideline"), ("practice", "practice")], max_length=8
                    ),
                ),
                ("query", models.TextField()),
                ("grade", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("why", models.TextField(blank=True)),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="worked_items", to="corpus.collection"
                    ),
                ),
                (
                    "description",
                    models.ForeignKey(
                        help_text="The pseudo-training query; the exam asks none of these.",
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="corpus.description",
                    ),
                ),
                (
                    "moment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="corpus.moment"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="PracticeAnswer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("grade", models.PositiveSmallIntegerField()),
                ("given_at", models.DateTimeField(auto_now_add=True)),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="practice_answers",
                        to="corpus.membership",
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="answers", to="annotation.workeditem"
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="exam",
            constraint=models.UniqueConstraint(fields=("collection", "number"), name="one_exam_a_number"),
        ),
        migrations.AddConstraint(
            model_name="exam",
            constraint=models.CheckConstraint(
                condition=models.Q(("frozen_at__isnull", True), ("opened_at__isnull", False), _connector="OR"),
                name="exam_opened_before_frozen",
            ),
        ),
        migrations.AddConstraint(
            model_name="examitem",
            constraint=models.UniqueConstraint(fields=("exam", "description", "rank"), name="one_exam_item_a_rank"),
        ),
        migrations.AddConstraint(
            model_name="examitem",
            constraint=models.UniqueConstraint(fields=("exam", "description", "moment"), name="one_exam_item_a_moment"),
        ),
        migrations.AddConstraint(
            model_name="examitem",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("truth__isnull", True), models.Q(("truth__gte", 0), ("truth__lte", 4)), _connector="OR"
                ),
                name="exam_item_truth",
            ),
        ),
        migrations.AddConstraint(
            model_name="examsitting",
            constraint=models.UniqueConstraint(fields=("exam", "candidate"), name="one_sitting_an_exam_and_person"),
        ),
        migrations.AddConstraint(
            model_name="examsitting",
            constraint=models.CheckConstraint(
                condition=models.Q(("cohort", False), ("handed_in_at__isnull", False), _connector="OR"),
                name="cohort_has_handed_in",
            ),
        ),
        migrations.AddConstraint(
            model_name="examanswer",
            constraint=models.UniqueConstraint(
                condition=models.Q(("taken_back_at__isnull", True)),
                fields=("sitting", "item", "turn"),
                name="one_standing_answer_an_item_and_turn",
            ),
        ),
        migrations.AddConstraint(
            model_name="examanswer",
            constraint=models.UniqueConstraint(fields=("sitting", "key"), name="one_exam_answer_a_key"),
        ),
        migrations.AddConstraint(
            model_name="examanswer",
            constraint=models.CheckConstraint(condition=models.Q(("grade__lte", 4)), name="exam_answer_grade"),
        ),
        migrations.AddConstraint(
            model_name="examanswer",
            constraint=models.CheckConstraint(condition=models.Q(("turn__gte", 1)), name="exam_answer_turn"),
        ),
        migrations.AddConstraint(
            model_name="guideline",
            constraint=models.UniqueConstraint(fields=("collection", "version"), name="one_guideline_a_version"),
        ),
        migrations.AddConstraint(
            model_name="guideline",
            constraint=models.CheckConstraint(condition=models.Q(("version__gte", 1)), name="guideline_version"),
        ),
        migrations.AddConstraint(
            model_name="invitation",
            constraint=models.CheckConstraint(
                condition=models.Q(("places__isnull", True), ("places__gte", 1), _connector="OR"),
                name="invitation_places",
            ),
        ),
        migrations.AddConstraint(
            model_name="workeditem",
            constraint=models.UniqueConstraint(
                fields=("collection", "description", "moment"), name="one_worked_item_a_query_and_moment"
            ),
        ),
        migrations.AddConstraint(
            model_name="workeditem",
            constraint=models.CheckConstraint(
                condition=models.Q(("grade__isnull", True), ("grade__lte", 4), _connector="OR"),
                name="worked_item_grade",
            ),
        ),
        migrations.AddConstraint(
            model_name="workeditem",
            constraint=models.CheckConstraint(
                condition=models.Q(("use__in", ["example", "practice"])), name="worked_item_use"
            ),
        ),
        migrations.AddConstraint(
            model_name="practiceanswer",
            constraint=models.UniqueConstraint(
                fields=("item", "annotator"), name="one_practice_answer_an_item_and_person"
            ),
        ),
        migrations.AddConstraint(
            model_name="practiceanswer",
            constraint=models.CheckConstraint(condition=models.Q(("grade__lte", 4)), name="practice_answer_grade"),
        ),
    ]
