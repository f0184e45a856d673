"""Addresses of studies; a study is /studies/<short name>/."""

from django.urls import path

from studies import link_views, payment_views, views

app_name = "studies"
_study = "<slug:study>/"
urlpatterns = [
    path("", views.index, name="list"),
    path("new/", views.new, name="new"),
    path(_study, views.detail, name="detail"),
    path(f"{_study}open/", views.open_study, name="open"),
    path(f"{_study}facts/", views.facts, name="facts"),
    path(f"{_study}regions/", views.regions, name="regions"),
    path(f"{_study}regions/new/", views.region, name="region_new"),
    path(f"{_study}regions/<slug:region>/", views.region, name="region"),
    path(f"{_study}regions/<slug:region>/remove/", views.region_remove, name="region_remove"),
    path(f"{_study}activities/", views.activities, name="activities"),
    path(f"{_study}activities/new/", views.activity, name="activity_new"),
    path(f"{_study}activities/<slug:activity>/", views.activity, name="activity"),
    path(
        f"{_study}activities/<slug:activity>/remove/",
        views.activity_remove,
        name="activity_remove",
    ),
    path(f"{_study}consent/", views.consent, name="consent"),
    path(f"{_study}members/", views.members, name="members"),
    path(f"{_study}members/invite/", views.member_invite, name="member_invite"),
    path(f"{_study}members/role/", views.member_role, name="member_role"),
    path(f"{_study}members/remove/", views.member_remove, name="member_remove"),
    path(f"{_study}audit/", views.audit_log, name="audit"),
    path(f"{_study}links/", link_views.invite, name="links"),
    path(f"{_study}payments/", payment_views.ledger, name="payments"),
    path(f"{_study}payments/paid/", payment_views.pay, name="payments_paid"),
    path(f"{_study}payments/bonus/", payment_views.bonus, name="payment_bonus"),
    path(f"{_study}payments/list.<str:format>", payment_views.payment_list, name="payment_list"),
    path(f"{_study}withdrawals/", payment_views.withdrawals, name="withdrawals"),
]
