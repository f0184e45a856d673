from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("collection", "0004_topic_about")]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="first_submitted",
            field=models.DateTimeField(null=True),
        ),
    ]
