"""Addresses of the survey: what participants answer, and the rooms behind it."""

from django.urls import path

from collection.views import answering, artifacts, exporting, monitoring, questions, reviewing

app_name = "collection"
_form = "p/<str:token>/forms/<int:number>/"
_questions = "studies/<slug:study>/questions/"
_answers = "studies/<slug:study>/answers/"
_artifacts = "studies/<slug:study>/artifacts/"
_review = "studies/<slug:study>/review/"
_monitor = "studies/<slug:study>/monitor/"

urlpatterns = [
    path(_form, answering.form, name="form"),
    path(f"{_form}save/", answering.save, name="save"),
    path(_questions, questions.questions, name="questions"),
    path(f"{_questions}new/", questions.question_new, name="question_new"),
    path(f"{_questions}alike/", questions.alike, name="questions_alike"),
    path(f"{_questions}load/", questions.load, name="questions_load"),
    path(f"{_questions}copy/", questions.copy, name="questions_copy"),
    path(f"{_questions}key/<slug:question>/", questions.question, name="question"),
    path(f"{_questions}key/<slug:question>/status/", questions.question_status, name="status"),
    path(f"{_questions}key/<slug:question>/move/", questions.question_move, name="move"),
    path(f"{_questions}topics/", questions.topics, name="topics"),
    path(f"{_questions}topics/load/", questions.topics_load, name="topics_load"),
    path(f"{_questions}topics/new/", questions.topic, name="topic_new"),
    path(f"{_questions}topics/of/<slug:topic>/", questions.topic, name="topic"),
    path(
        f"{_questions}topics/of/<slug:topic>/remove/", questions.topic_remove, name="topic_remove"
    ),
    path(f"{_questions}topics/of/<slug:topic>/merge/", questions.topic_merge, name="topic_merge"),
    path(f"{_questions}of/<slug:activity>/plan/", questions.plan, name="plan"),
    path(f"{_questions}of/<slug:activity>/preview/", questions.preview, name="preview"),
    path(f"{_questions}of/<slug:activity>/publish/", questions.publish, name="publish"),
    path(_answers, exporting.answers, name="export"),
    path(f"{_answers}progress/", exporting.progress, name="export_progress"),
    path(f"{_answers}<int:export>/file/", exporting.file, name="export_file"),
    path(f"{_answers}<int:export>/manifest/", exporting.manifest, name="export_manifest"),
    path(_artifacts, artifacts.listed, name="artifacts"),
    path(f"{_artifacts}suggestions/", artifacts.suggested, name="artifacts_suggested"),
    path(f"{_artifacts}gather/", artifacts.gather, name="artifacts_gather"),
    path(f"{_artifacts}decide/", artifacts.decide, name="artifacts_decide"),
    path(f"{_artifacts}undo/", artifacts.undo, name="artifacts_undo"),
    path(f"{_artifacts}new/", artifacts.new, name="artifact_new"),
    path(f"{_artifacts}of/<slug:code>/", artifacts.one, name="artifact"),
    path(f"{_artifacts}of/<slug:code>/names/remove/", artifacts.name_remove, name="name_remove"),
    path(_review, reviewing.queue, name="review"),
    path(f"{_review}accept/", reviewing.accept_many, name="review_accept_many"),
    path(f"{_review}<slug:code>/", reviewing.one, name="review_one"),
    path(f"{_review}<slug:code>/accept/", reviewing.accept, name="review_accept"),
    path(f"{_review}<slug:code>/ask-again/", reviewing.ask_again, name="review_ask_again"),
    path(f"{_review}<slug:code>/reject/", reviewing.reject, name="review_reject"),
    path(f"{_review}<slug:code>/pay/", reviewing.pay, name="review_pay"),
    path(f"{_review}<slug:code>/include/", reviewing.include, name="review_include"),
    path(f"{_review}<slug:code>/flag/", reviewing.flag, name="review_flag"),
    path(_monitor, monitoring.monitor, name="monitor"),
    path(f"{_monitor}counts/", monitoring.counts, name="monitor_counts"),
    path(f"{_monitor}<slug:table>.<str:format>", monitoring.file, name="monitor_file"),
]
