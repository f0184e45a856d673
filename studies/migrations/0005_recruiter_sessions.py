"""Every session somebody came with, beside the newest one."""

from typing import Any

from django.db import migrations, models

import core.clock


def keep_sessions(apps: Any, schema_editor: Any) -> None:
    session = apps.get_model("studies", "RecruiterSession")
    rows = apps.get_model("studies", "Participation").objects.exclude(recruiter_session="")
    session.objects.bulk_create(
        [
            session(
                participation=row,
                recruiter=row.recruiter,
                session=row.recruiter_session,
                at=row.created,
            )
            for row in rows.iterator()
        ],
        batch_size=1000,
    )


class Migration(migrations.Migration):
    dependencies = [("studies", "0004_places_in_languages")]

    operations = [
        migrations.CreateModel(
            name="RecruiterSession",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("recruiter", models.CharField(max_length=60)),
                ("session", models.CharField(max_length=120)),
                ("at", models.DateTimeField(default=core.clock.now)),
                (
                    "participation",
                    models.ForeignKey(
                        on_delete=models.deletion.CASCADE,
                        related_name="sessions",
                        to="studies.participation",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("recruiter", "session"), name="a_session_is_of_one"
                    )
                ],
            },
        ),
        migrations.RunPython(keep_sessions, migrations.RunPython.noop),
    ]
