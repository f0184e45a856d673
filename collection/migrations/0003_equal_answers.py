"""Equal answers are found by how they begin."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("collection", "0002_exports")]

    operations = [
        migrations.AddIndex(
            model_name="answer",
            index=models.Index(
                models.Func(
                    models.F("folded"),
                    output_field=models.TextField(),
                    template="SUBSTR(%(expressions)s, 1, 40)",
                ),
                name="answers_by_how_they_begin",
            ),
        ),
    ]
