from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0036_approximate_search")]

    operations = [
        migrations.RemoveConstraint(model_name="letter", name="one_letter_under_way_a_person"),
        migrations.AddField(
            model_name="letter",
            name="alone",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="With one notice, at once, beside other letters: about an account.",
            ),
        ),
        migrations.AddField(
            model_name="mailitem",
            name="held",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="It waited when the site was restored from a backup, and goes when an owner says so.",
            ),
        ),
        migrations.AlterField(
            model_name="mailitem",
            name="facts",
            field=models.JSONField(
                default=dict, help_text="Numbers of the rows that it is about, or names of what changed."
            ),
        ),
        migrations.AddConstraint(
            model_name="letter",
            constraint=models.UniqueConstraint(
                condition=models.Q(("alone", False), ("ended_at", None)),
                fields=("account", "urgent"),
                name="one_letter_under_way_a_person",
            ),
        ),
    ]
