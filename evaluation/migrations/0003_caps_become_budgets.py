"""A run's cap moves into a budget row, with what the run has spent of it so far."""

from django.db import migrations
from django.db.models import Sum


def fill(apps, schema_editor):
    Run = apps.get_model("evaluation", "Run")
    Budget = apps.get_model("inference", "Budget")
    Call = apps.get_model("inference", "Call")
    for run in Run.objects.exclude(cap_micro=None):
        spent = Call.objects.filter(purpose=f"run {run.pk}").aggregate(sum=Sum("cost_micro"))
        run.budget = Budget.objects.create(cap=run.cap_micro, spent=spent["sum"] or 0)
        run.save(update_fields=["budget"])


def empty(apps, schema_editor):
    Run = apps.get_model("evaluation", "Run")
    for run in Run.objects.exclude(budget=None).select_related("budget"):
        budget, run.budget, run.cap_micro = run.budget, None, run.budget.cap
        run.save(update_fields=["budget", "cap_micro"])
        budget.delete()


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0002_judges_and_stages")]

    operations = [migrations.RunPython(fill, empty)]
