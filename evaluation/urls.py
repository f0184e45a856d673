from django.urls import path

from evaluation import batch_views, views

app_name = "evaluation"
urlpatterns = [
    path("", views.run_list, name="list"),
    path("new/", views.new_run, name="new"),
    path("compare/", views.compare, name="compare"),
    path("<int:run>/", views.run_detail, name="detail"),
    path("<int:run>/progress/", views.run_progress, name="progress"),
    path("<int:run>/resume/", views.resume, name="resume"),
    path("<int:run>/cancel/", views.cancel, name="cancel"),
    path("<int:run>/batch/", batch_views.go_on, name="batch"),
    path("<int:run>/batch/requests.zip", batch_views.requests, name="batch_requests"),
    path("<int:run>/batch/results/", batch_views.results, name="batch_results"),
    path("<int:run>/samples/", views.sample_list, name="samples"),
    path("<int:run>/samples/<int:sample>/", views.sample_detail, name="sample"),
    path("<int:run>/download/<slug:table>.<str:format>", views.download, name="download"),
]
