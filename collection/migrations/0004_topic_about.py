from django.db import migrations

import studies.fields


class Migration(migrations.Migration):
    dependencies = [("collection", "0003_equal_answers")]

    operations = [
        migrations.AddField("topic", "about", studies.fields.LanguageMapField(default=dict))
    ]
