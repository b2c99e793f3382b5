"""Addresses of login and tokens."""

from django.urls import path

from foundation.access import logins, token_views

urlpatterns = [
    path("login/", logins.LoginPage.as_view(), name="login"),
    path("login/", logins.LoginPage.as_view(), name="account_login"),  # as django-allauth calls it
    path("tokens/", token_views.tokens, name="tokens"),
    path("tokens/<int:token_id>/revoke", token_views.revoke, name="token-revoke"),
    path("logout/", logins.Logout.as_view(), name="logout"),
]
