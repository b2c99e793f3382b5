"""What was judged by the paper's words on a shorter scale keeps them; others have words of their own scale from now."""

from django.db import migrations

KEEP = """
UPDATE foundation_collection c SET grade_words = 'paper'
 WHERE c.top_grade < 4 AND c.grade_words = ''
   AND EXISTS (SELECT FROM annotation_judgment j JOIN annotation_pair p ON p.id = j.pair_id
                 JOIN annotation_batch b ON b.id = p.batch_id WHERE b.collection_id = c.id)
"""


class Migration(migrations.Migration):
    atomic = False  # one statement over few rows, safe to repeat

    dependencies = [("annotation", "0006_grades_to_100"), ("foundation", "0005_grade_words")]

    operations = [migrations.RunSQL(KEEP, migrations.RunSQL.noop)]
