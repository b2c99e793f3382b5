from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0020_pay_training")]

    operations = [
        migrations.AddField(
            model_name="collection",
            name="offers_tryout",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Whether anybody may try judging on six of its decided pairs, without an account.",
            ),
        ),
    ]
