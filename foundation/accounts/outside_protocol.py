"""OpenID Connect as allauth speaks it, and what it leaves out: the ID token's signature and nonce, the issuer."""

from secrets import compare_digest
from typing import Any

import jwt
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.models import SocialLogin
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from allauth.utils import build_absolute_uri
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
"""Signatures by a key that the server publishes; none that our own secret would make."""
CLOCK_SECONDS = 60


class CheckedOpenIdConnect(OpenIDConnectOAuth2Adapter):  # type: ignore[misc]
    """Talks to the server. Raises: OAuth2Error for whatever it says that can't be believed."""

    nonce = ""
    """Of the login that is being finished."""

    @property
    def openid_config(self) -> dict[str, Any]:
        config: dict[str, Any] = super().openid_config
        if config.get("issuer") != settings.OIDC_ISSUER:
            raise OAuth2Error("the server calls itself otherwise than QREELS_OIDC_ISSUER")
        return config

    def get_callback_url(self, request: HttpRequest, app: Any) -> str:
        return str(build_absolute_uri(request, reverse("oidc-callback")))

    def complete_login(self, request: HttpRequest, app: Any, token: Any, **kwargs: Any) -> SocialLogin:
        claims = self._claims(app.client_id, kwargs["response"].get("id_token") or "")
        answers = {"id_token": claims}
        if "userinfo_endpoint" in self.openid_config:
            answers["userinfo"] = self._fetch_user_info(token.token)
            if answers["userinfo"].get("sub") != claims["sub"]:
                raise OAuth2Error("the server's user info is somebody else's")
        login = self.get_provider().sociallogin_from_response(request, answers)
        # Nothing of what the server says is kept, but whose login it is.
        login.account.extra_data = {"email": next((email.email for email in login.email_addresses), "")}
        return login

    def _claims(self, client_id: str, id_token: str) -> dict[str, Any]:
        """What the ID token says, once its signature, issuer, audience, time and nonce are right."""
        with get_adapter().get_requests_session() as session:
            response = session.get(self.openid_config["jwks_uri"])
            response.raise_for_status()
        try:
            keys = jwt.PyJWKSet.from_dict(response.json())
            key_id = jwt.get_unverified_header(id_token).get("kid")
            key = next(candidate for candidate in keys.keys if key_id in (None, candidate.key_id))
            claims: dict[str, Any] = jwt.decode(
                id_token,
                key,
                algorithms=ALGORITHMS,
                audience=client_id,
                issuer=settings.OIDC_ISSUER,
                leeway=CLOCK_SECONDS,
                options={"require": ["exp", "iat", "iss", "aud", "sub"]},
            )
        except (jwt.PyJWTError, StopIteration) as fault:
            raise OAuth2Error(f"the ID token is wrong: {type(fault).__name__}") from fault
        if not self.nonce or not compare_digest(str(claims.get("nonce", "")), self.nonce):
            raise OAuth2Error("the ID token is of another login")
        if claims.get("azp", client_id) != client_id:
            raise OAuth2Error("the ID token is for another client")
        return claims


class Callback(OAuth2CallbackView):  # type: ignore[misc]
    """Allauth's view of the way back, which tells the adapter the nonce."""

    adapter: CheckedOpenIdConnect

    def _get_state(self, request: HttpRequest, provider: Any) -> tuple[dict[str, Any] | None, HttpResponse | None]:
        state, response = super()._get_state(request, provider)
        self.adapter.nonce = (state or {}).get("nonce", "")
        return state, response
