"""Addresses of participants: where a recruiter sends people, and everything behind a personal
link."""

from django.urls import path

from studies.taking_part import views

app_name = "taking_part"
_link = "p/<str:token>/"
urlpatterns = [
    path("join/<slug:study>/<slug:activity>/", views.join, name="join"),
    path(_link, views.home, name="home"),
    path(f"{_link}consent/", views.consent, name="consent"),
    path(f"{_link}decline/", views.decline, name="decline"),
    path(f"{_link}screening/", views.screening, name="screening"),
    path(f"{_link}language/", views.language, name="language"),
    path(f"{_link}leave/", views.leave, name="leave"),
]
