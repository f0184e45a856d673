from django.urls import path

from evaluation.views import batch, reporting, runs, samples, starting, validation

app_name = "evaluation"
urlpatterns = [
    path("", runs.run_list, name="list"),
    path("new/", starting.new_run, name="new"),
    path("compare/", reporting.compare, name="compare"),
    path("<int:run>/", runs.run_detail, name="detail"),
    path("<int:run>/progress/", runs.run_progress, name="progress"),
    path("<int:run>/spend/", runs.spend, name="spend"),
    path("<int:run>/manifest.json", runs.manifest_file, name="manifest"),
    path("<int:run>/pause/", runs.pause, name="pause"),
    path("<int:run>/resume/", runs.resume, name="resume"),
    path("<int:run>/cancel/", runs.cancel, name="cancel"),
    path("<int:run>/rejudge/", runs.rejudge, name="rejudge"),
    path("<int:run>/reparse/", runs.reparse, name="reparse"),
    path("<int:run>/batch/", batch.go_on, name="batch"),
    path("<int:run>/batch/requests.zip", batch.requests, name="batch_requests"),
    path("<int:run>/batch/results/", batch.results, name="batch_results"),
    path("<int:run>/validation/", validation.validation, name="validation"),
    path("<int:run>/samples/", samples.sample_list, name="samples"),
    path("<int:run>/samples/<int:sample>/", samples.sample_detail, name="sample"),
    path("<int:run>/failures/", samples.failures, name="failures"),
    path("<int:run>/download/<slug:table>.<str:format>", reporting.download, name="download"),
]
