from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0037_one_way_to_mail")]

    operations = [
        migrations.AddIndex(
            model_name="videoupload",
            index=models.Index(
                condition=models.Q(("state", "arriving")),
                fields=["touched_at"],
                include=("collection", "size", "received"),
                name="video_upload_arriving",
            ),
        ),
    ]
