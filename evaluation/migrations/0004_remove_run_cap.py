from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0003_caps_become_budgets")]

    operations = [migrations.RemoveField(model_name="run", name="cap_micro")]
