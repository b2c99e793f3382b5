from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0040_collections_have_a_language")]

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
