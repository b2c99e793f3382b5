import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("corpus", "0032_changes_of_webhooks_are_kept"),
        ("datasets", "0012_changes_are_kept"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Campaign",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "name",
                    models.CharField(
                        help_text="In its address.",
                        max_length=60,
                        unique=True,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z0-9][a-z0-9-]*\\Z", "lower-case letters, digits and hyphens"
                            )
                        ],
                    ),
                ),
                ("title", models.CharField(max_length=200)),
                ("rules", models.TextField(blank=True, help_text="Markdown: what teams have to know.")),
                (
                    "contact",
                    models.CharField(blank=True, help_text="Where teams ask; empty: not stated.", max_length=200),
                ),
                ("split", models.CharField(choices=[("val", "val"), ("test", "test")], max_length=4)),
                (
                    "judged_later",
                    models.BooleanField(default=False, help_text="Whether the pool is made from the teams' runs."),
                ),
                ("opens_at", models.DateTimeField(help_text="From when on teams get the topics and send runs.")),
                ("closes_at", models.DateTimeField(help_text="Runs that begin to arrive later are late.")),
                ("results_at", models.DateTimeField(help_text="When results are announced for; a lead opens them.")),
                (
                    "results_opened_at",
                    models.DateTimeField(blank=True, help_text="Since when results are open.", null=True),
                ),
                (
                    "audience",
                    models.CharField(
                        choices=[
                            ("public", "everybody, without a login"),
                            ("teams", "the campaign's teams"),
                            ("leads", "the collection's leads alone"),
                        ],
                        default="teams",
                        max_length=6,
                    ),
                ),
                (
                    "own_scores",
                    models.BooleanField(
                        default=False,
                        help_text="Whether a team sees the scores of its own runs before results are open.",
                    ),
                ),
                ("most_submissions", models.PositiveSmallIntegerField(default=8, help_text="Of a team in all.")),
                ("most_a_day", models.PositiveSmallIntegerField(default=4, help_text="Of a team in a day (UTC).")),
                (
                    "most_pooled",
                    models.PositiveSmallIntegerField(
                        default=4,
                        help_text="Of a team's runs, by its priorities, so many count for the pool and the board.",
                    ),
                ),
                ("most_predictions", models.PositiveIntegerField(default=1000, help_text="For one topic, in one run.")),
                (
                    "reminded_at",
                    models.DateTimeField(blank=True, help_text="When teams were told of the near deadline.", null=True),
                ),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="campaigns", to="corpus.collection"
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="corpus.membership",
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        blank=True,
                        help_text="Whose split runs are scored against; empty: not judged yet.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="campaigns",
                        to="datasets.release",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="CampaignCorpus",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("videos", models.JSONField(help_text="Video name -> seconds; null: not known.")),
                ("end_slack", models.FloatField(help_text="Seconds that a moment may end after its video.")),
                ("taken_at", models.DateTimeField(auto_now=True)),
                (
                    "campaign",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="corpus", to="campaigns.campaign"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="CampaignScoring",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "due_at",
                    models.DateTimeField(
                        blank=True, help_text="When its message in the queue is due; empty: none was sent.", null=True
                    ),
                ),
                (
                    "begun",
                    models.PositiveIntegerField(
                        db_default=0,
                        default=0,
                        help_text="How often a worker has begun since it was asked for or last went well.",
                    ),
                ),
                (
                    "touched_at",
                    models.DateTimeField(blank=True, help_text="When a worker last said how far it is.", null=True),
                ),
                (
                    "problem",
                    models.TextField(blank=True, db_default="", help_text="Why it ended without what was asked for."),
                ),
                ("asked_at", models.DateTimeField(auto_now_add=True)),
                ("started_at", models.DateTimeField(blank=True, help_text="When a worker last began.", null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("done", models.PositiveBigIntegerField(db_default=0, default=0, help_text="How much of it is done.")),
                (
                    "total",
                    models.PositiveBigIntegerField(
                        db_default=0, default=0, help_text="How much there is; 0: not known."
                    ),
                ),
                (
                    "step",
                    models.CharField(
                        blank=True, db_default="", help_text="What a worker is doing with it.", max_length=200
                    ),
                ),
                ("said", models.TextField(blank=True, db_default="", help_text="What came of it, in words.")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "waits for a worker"),
                            ("running", "is under way"),
                            ("done", "done"),
                            ("refused", "refused"),
                            ("stopped", "stopped"),
                        ],
                        default="queued",
                        max_length=8,
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="scorings", to="campaigns.campaign"
                    ),
                ),
                (
                    "member",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="corpus.membership",
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="Submission",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "due_at",
                    models.DateTimeField(
                        blank=True, help_text="When its message in the queue is due; empty: none was sent.", null=True
                    ),
                ),
                (
                    "begun",
                    models.PositiveIntegerField(
                        db_default=0,
                        default=0,
                        help_text="How often a worker has begun since it was asked for or last went well.",
                    ),
                ),
                (
                    "touched_at",
                    models.DateTimeField(blank=True, help_text="When a worker last said how far it is.", null=True),
                ),
                (
                    "problem",
                    models.TextField(blank=True, db_default="", help_text="Why it ended without what was asked for."),
                ),
                ("asked_at", models.DateTimeField(auto_now_add=True)),
                ("started_at", models.DateTimeField(blank=True, help_text="When a worker last began.", null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("done", models.PositiveBigIntegerField(db_default=0, default=0, help_text="How much of it is done.")),
                (
                    "total",
                    models.PositiveBigIntegerField(
                        db_default=0, default=0, help_text="How much there is; 0: not known."
                    ),
                ),
                (
                    "step",
                    models.CharField(
                        blank=True, db_default="", help_text="What a worker is doing with it.", max_length=200
                    ),
                ),
                ("said", models.TextField(blank=True, db_default="", help_text="What came of it, in words.")),
                (
                    "name",
                    models.CharField(
                        help_text="The system's, of this team; another file replaces it by name.", max_length=80
                    ),
                ),
                ("description", models.TextField(blank=True)),
                (
                    "priority",
                    models.PositiveSmallIntegerField(
                        default=1, help_text="1 comes first where not all of a team count."
                    ),
                ),
                ("file_name", models.CharField(help_text="As the sender's machine calls it.", max_length=200)),
                (
                    "stored_file",
                    models.CharField(blank=True, help_text="In the storage; empty: refused, not kept.", max_length=300),
                ),
                ("sha256", models.CharField(help_text="Of the file's bytes, hexadecimal.", max_length=64)),
                ("size", models.BigIntegerField(help_text="Bytes.")),
                (
                    "begun_at",
                    models.DateTimeField(help_text="When its request began to arrive, by the database's clock."),
                ),
                (
                    "late",
                    models.BooleanField(default=False, help_text="Whether that was after the campaign's own deadline."),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("received", "waits for its check"),
                            ("checking", "is being checked"),
                            ("accepted", "accepted"),
                            ("refused", "refused"),
                            ("stopped", "stopped"),
                        ],
                        default="received",
                        max_length=8,
                    ),
                ),
                ("faults", models.JSONField(default=list, help_text='The first: [{"place", "found", "expected"}].')),
                ("unanswered", models.PositiveIntegerField(default=0, help_text="Topics without a prediction.")),
                ("predictions", models.PositiveBigIntegerField(default=0)),
                ("format", models.CharField(blank=True, help_text="As evaluation.reading calls it.", max_length=20)),
                (
                    "withdrawn_at",
                    models.DateTimeField(blank=True, help_text="By its team, or replaced by it.", null=True),
                ),
                ("excluded_at", models.DateTimeField(blank=True, help_text="By a lead.", null=True)),
                ("excluded_reason", models.TextField(blank=True)),
                (
                    "account",
                    models.ForeignKey(
                        help_text="Who sent it; empty: was erased.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SubmissionScore",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("values", models.JSONField(help_text="measure -> value")),
                (
                    "per_query",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=django.contrib.postgres.fields.ArrayField(
                            base_field=models.FloatField(null=True), size=None
                        ),
                        help_text="Queries (in the board's order) x measures (in the board's order); null: no value.",
                        size=None,
                    ),
                ),
                ("unanswered", models.PositiveIntegerField(help_text="Queries without predictions; they count 0.")),
                ("unknown", models.PositiveIntegerField(help_text="Its rows that the ground truth doesn't know.")),
                ("scored_at", models.DateTimeField(auto_now=True)),
                (
                    "board",
                    models.ForeignKey(
                        help_text="Of the release's split, with its measures.",
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="datasets.board",
                    ),
                ),
                (
                    "submission",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="score", to="campaigns.submission"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Team",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveSmallIntegerField()),
                ("name", models.CharField(max_length=80)),
                ("affiliation", models.CharField(blank=True, max_length=200)),
                ("contact", models.CharField(blank=True, help_text="For the organiser alone.", max_length=200)),
                ("anonymous", models.BooleanField(default=False, help_text="Whether boards call it by its number.")),
                ("extended_until", models.DateTimeField(blank=True, help_text="Its own later deadline.", null=True)),
                ("disqualified_at", models.DateTimeField(blank=True, null=True)),
                ("disqualified_reason", models.TextField(blank=True)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="teams", to="campaigns.campaign"
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="submission",
            name="team",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="submissions", to="campaigns.team"
            ),
        ),
        migrations.CreateModel(
            name="TeamLink",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "digest",
                    models.CharField(help_text="SHA-256 of the token, in hexadecimal.", max_length=64, unique=True),
                ),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(blank=True, null=True)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                (
                    "made_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="links", to="campaigns.team"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="TeamMember",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("joined_at", models.DateTimeField(auto_now_add=True)),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="team_places",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        help_text="That of the team.",
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="campaigns.campaign",
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="members", to="campaigns.team"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Topic",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveIntegerField(help_text="From 0, in the order of files.")),
                ("topic_id", models.TextField(help_text="The query's id in releases, as text.")),
                ("text", models.TextField()),
                ("narrative", models.TextField(blank=True)),
                ("language", models.CharField(blank=True, max_length=35)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="topics", to="campaigns.campaign"
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="campaign",
            constraint=models.CheckConstraint(
                condition=models.Q(("closes_at__lte", models.F("results_at")), ("opens_at__lt", models.F("closes_at"))),
                name="campaign_phases",
            ),
        ),
        migrations.AddConstraint(
            model_name="campaign",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("most_a_day__gte", 1),
                    ("most_pooled__gte", 1),
                    ("most_predictions__gte", 1),
                    ("most_submissions__gte", 1),
                ),
                name="campaign_limits",
            ),
        ),
        migrations.AddConstraint(
            model_name="campaign",
            constraint=models.CheckConstraint(
                condition=models.Q(("split__in", ["val", "test"])), name="campaign_split"
            ),
        ),
        migrations.AddConstraint(
            model_name="campaign",
            constraint=models.CheckConstraint(
                condition=models.Q(("audience__in", ["public", "teams", "leads"])), name="campaign_audience"
            ),
        ),
        migrations.AddConstraint(
            model_name="campaign",
            constraint=models.CheckConstraint(
                condition=models.Q(("judged_later", True), ("release__isnull", False), _connector="OR"),
                name="campaign_has_truth_or_gets_it",
            ),
        ),
        migrations.AddConstraint(
            model_name="campaignscoring",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["queued", "running", "done", "refused", "stopped"])),
                name="campaignscoring_state",
            ),
        ),
        migrations.AddConstraint(
            model_name="campaignscoring",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ["queued", "running"])),
                fields=("campaign",),
                name="one_unfinished_scoring_a_campaign",
            ),
        ),
        migrations.AddConstraint(
            model_name="team",
            constraint=models.UniqueConstraint(
                models.F("campaign"), django.db.models.functions.text.Lower("name"), name="one_team_a_name"
            ),
        ),
        migrations.AddConstraint(
            model_name="team",
            constraint=models.UniqueConstraint(fields=("campaign", "number"), name="one_team_a_number"),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["received", "checking", "accepted", "refused", "stopped"])),
                name="submission_state",
            ),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.UniqueConstraint(
                condition=models.Q(("withdrawn_at", None), models.Q(("state", "refused"), _negated=True)),
                fields=("team", "name"),
                name="one_standing_submission_a_name",
            ),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.UniqueConstraint(
                condition=models.Q(("withdrawn_at", None), models.Q(("state", "refused"), _negated=True)),
                fields=("team", "sha256"),
                name="one_standing_submission_a_file",
            ),
        ),
        migrations.AddConstraint(
            model_name="teammember",
            constraint=models.UniqueConstraint(fields=("campaign", "account"), name="one_team_an_account"),
        ),
        migrations.AddConstraint(
            model_name="topic",
            constraint=models.UniqueConstraint(fields=("campaign", "position"), name="one_campaign_topic_a_position"),
        ),
        migrations.AddConstraint(
            model_name="topic",
            constraint=models.UniqueConstraint(fields=("campaign", "topic_id"), name="one_campaign_topic_an_id"),
        ),
    ]
