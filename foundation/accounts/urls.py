"""Addresses of accounts: the first owner, one's own, all of the site's, password links."""

from django.urls import path

from foundation.access.study_pages import not_of_studies
from foundation.accounts import (
    account_views,
    forgotten_views,
    outside_views,
    passkey_views,
    password_link_views,
    second_factor_views,
    site_views,
    welcome_views,
)

urlpatterns = [
    path("welcome/<str:token>/", welcome_views.welcome, name="welcome"),
    path("password/<str:token>/", password_link_views.password_link, name="password-link"),
    path("login/forgotten/", forgotten_views.forgotten, name="password-forgotten"),
    path("login/oidc/", outside_views.begin, name="oidc"),
    path("login/oidc/callback/", outside_views.callback, name="oidc-callback"),
    path("account/oidc", outside_views.change_link, name="oidc-link"),
    # By the names that django-allauth gives them.
    path("login/second-factor/", second_factor_views.step, name="mfa_authenticate"),
    path("account/second-factor/", second_factor_views.second_factor, name="second-factor"),
    path("account/second-factor/change", second_factor_views.change, name="second-factor-change"),
    path("login/passkey/", passkey_views.log_in_by_passkey, name="passkey-login"),
    path("login/passkey/options", passkey_views.proof_options, name="passkey-proof-options"),
    path("account/passkeys/options", passkey_views.new_options, name="passkey-new-options"),
    path("account/passkeys/add", passkey_views.add_one, name="passkey-add"),
    path("account/passkeys/<int:passkey_id>/change", passkey_views.change, name="passkey-change"),
    path("account/", account_views.account, name="account"),
    path("account/change", account_views.change, name="account-own-change"),
    path("account/password", account_views.change_password, name="password-change"),
    path("account/logins/end", account_views.end_login, name="login-end"),
    path("account/erased/", account_views.erased, name="erased"),
    path("accounts/", site_views.accounts, name="accounts"),
    path("accounts/<int:account_id>/change", site_views.change, name="account-change"),
    path("accounts/<int:account_id>/password-link", site_views.make_link, name="account-password-link"),
    *not_of_studies(
        path(
            "c/<slug:name>/members/<int:member_id>/password-link",
            password_link_views.make_for_member,
            name="member-password-link",
        ),
    ),
]
