"""Since when a participation is there, and what a reviewer wrote to the participant."""

from django.db import migrations, models

import core.clock


class Migration(migrations.Migration):
    dependencies = [("studies", "0002_taking_part")]

    operations = [
        migrations.AddField(
            model_name="participation",
            name="created",
            field=models.DateTimeField(default=core.clock.now),
        ),
        migrations.AddField(
            model_name="participation",
            name="message",
            field=models.TextField(blank=True),
        ),
    ]
