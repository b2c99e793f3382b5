from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("datasets", "0002_changes_are_kept")]

    operations = [
        migrations.CreateModel("Early", [("id", models.BigAutoField(primary_key=True)), ("text", models.TextField())])
    ]
