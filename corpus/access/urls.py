"""Addresses of the first page, login and tokens."""

from django.contrib.auth import views as auth
from django.urls import path

from corpus.access import account_views, home_views, logins, token_views

urlpatterns = [
    path("", home_views.home, name="home"),
    path("login/", logins.Login.as_view(), name="login"),
    path("account/", account_views.account, name="account"),
    path("account/erased/", account_views.erased, name="erased"),
    path("tokens/", token_views.tokens, name="tokens"),
    path("tokens/<int:token_id>/revoke", token_views.revoke, name="token-revoke"),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
]
