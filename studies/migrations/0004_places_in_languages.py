"""What places are called in every language; what they are called now is in the study's first."""

from typing import Any

from django.db import migrations

import studies.fields


def name_in_first_language(apps: Any, schema_editor: Any) -> None:
    places = apps.get_model("studies", "Place")
    for place in places.objects.select_related("study").iterator():
        place.names = {place.study.languages[0]: place.name}
        place.save(update_fields=["names"])


class Migration(migrations.Migration):
    dependencies = [("studies", "0003_reviewing")]

    operations = [
        migrations.AddField("place", "names", studies.fields.LanguageMapField(default=dict)),
        migrations.RunPython(name_in_first_language, migrations.RunPython.noop),
    ]
