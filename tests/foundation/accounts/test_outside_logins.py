"""Logins by OpenID Connect against a real server: whose they are, and what of a lying server isn't believed."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import requests
from allauth.socialaccount.models import SocialAccount, SocialToken
from cryptography.hazmat.primitives.asymmetric import rsa
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from config.embedded import free_port
from config.logins import login_settings
from config.variables import Logins
from foundation.accounts.outside_logins import unlink_login
from foundation.accounts.password_links import mailed_token, set_password_by_link
from foundation.accounts.proved_addresses import account_of_address, note_proved_address
from foundation.models import Account, Membership, Session
from tests.foundation.accounts.test_second_factor import STEP, Phone, code_of
from tests.foundation.conftest import PASSWORD
from tests.oidc_server import CLIENT, SECRET, OidcServer, oidc_server

pytestmark = pytest.mark.django_db

BEGIN, CALLBACK = "/login/oidc/", "/login/oidc/callback/"
BO = {"sub": "number-7", "email": "bo@example.org", "email_verified": True, "preferred_username": "bo"}


def environment(issuer: str, **more: str) -> dict[str, str]:
    return (
        {"QREELS_OIDC_ISSUER": issuer, "QREELS_OIDC_CLIENT_ID": CLIENT, "QREELS_OIDC_CLIENT_SECRET": SECRET}
        | {"QREELS_OIDC_NAME": "The university"}
        | more
    )


@pytest.fixture
def server(settings: Any) -> Iterator[OidcServer]:
    with oidc_server() as running:
        for name, value in login_settings(Logins.read(environment(running.issuer)), ["localhost"]).items():
            setattr(settings, name, value)
        running.person = dict(BO)
        yield running


@pytest.fixture
def bo(db: None) -> Account:
    made = Account.objects.create_user("bo", email="bo@example.org", password=PASSWORD)
    note_proved_address(made)
    return made


def there(client: Client, address: str = BEGIN) -> str:
    """Begin in a browser and log in at the server. Returns the address that it leads back to."""
    away = client.get(address)
    assert away.status_code == 302, away.content
    back = requests.get(away["Location"], allow_redirects=False, timeout=5).headers["Location"]
    return back.removeprefix("http://testserver")


def log_in(client: Client, address: str = BEGIN) -> Any:
    return client.get(there(client, address))


def test_a_proved_address_logs_in_and_is_linked(server: OidcServer, bo: Account) -> None:
    client = Client()
    assert "Log in with The university" in client.get("/login/?next=/account/").content.decode()
    assert log_in(client, f"{BEGIN}?next=/account/")["Location"] == "/account/"
    assert "logged in as <b>bo</b>" in client.get("/account/").content.decode()
    server.person = {"sub": BO["sub"]}
    assert log_in(Client())["Location"] == "/", "linked now, it needs no address"
    assert SocialAccount.objects.get().extra_data == {"email": ""} and not SocialToken.objects.exists()
    assert log_in(Client(), f"{BEGIN}?next=https://elsewhere.example/")["Location"] == "/"
    assert log_in(Client(), f"{BEGIN}?next=//elsewhere.example/")["Location"] == "/"


@pytest.mark.parametrize("verified", [False, None, "true", 1])
def test_an_address_that_the_server_didn_t_verify_is_nobody_s(server: OidcServer, bo: Account, verified: Any) -> None:
    server.person["email_verified"] = verified
    refused = log_in(Client())
    assert refused.status_code == 403 and "No account here belongs to this login" in refused.content.decode()
    assert not SocialAccount.objects.exists()


def test_an_address_that_was_never_proved_here_is_linked_by_its_account_alone(server: OidcServer) -> None:
    trap = Account.objects.create_user("mal", email="bo@example.org", password=PASSWORD)
    refused = log_in(Client())
    assert refused.status_code == 403 and "never proved" in refused.content.decode()
    set_password_by_link(token=mailed_token(trap), password=PASSWORD)
    assert log_in(Client())["Location"] == "/", "a mailed link proves it"
    Account.objects.filter(pk=trap.pk).update(email="else@example.org")
    assert account_of_address("bo@example.org") is None and account_of_address("else@example.org") is None


@pytest.mark.parametrize("what", ["owns the site", "owns the site, disabled", "has an app"])
def test_an_address_alone_ties_no_owner_of_the_site_nor_an_account_with_a_second_factor(
    server: OidcServer, bo: Account, client_of: Any, what: str
) -> None:
    """Whoever runs the outside server can say of any address that it is proved."""
    if what == "has an app":
        Phone(bo)
    else:
        Account.objects.filter(pk=bo.pk).update(is_superuser=True, is_active="disabled" not in what)
    refused = log_in(Client())
    assert refused.status_code == 403 and "only its holder can link it" in refused.content.decode()
    assert not SocialAccount.objects.exists()
    Account.objects.filter(pk=bo.pk).update(is_active=True)
    client = client_of(bo)
    client.post("/account/oidc", {"do": "link", "password": PASSWORD})
    assert log_in(client, f"{BEGIN}?link=1")["Location"] == "/account/#outside"
    server.person = {"sub": BO["sub"]}
    assert log_in(Client())["Location"] == (STEP if what == "has an app" else "/")


def test_new_people_come_in_only_if_the_site_says_so_and_without_a_collection(
    server: OidcServer, settings: Any, world: Any
) -> None:
    server.person |= {"preferred_username": "bo <b>", "email": "new@example.org"}
    assert log_in(Client()).status_code == 403 and Account.objects.filter(email="new@example.org").count() == 0
    settings.OIDC_NEW_ACCOUNTS = True
    client = Client()
    assert log_in(client)["Location"] == "/"
    made = Account.objects.get(email="new@example.org")
    assert made.username == "bob" and not made.has_usable_password() and not made.creates_collections
    assert not Membership.objects.filter(account=made).exists()
    assert client.get("/").status_code == 200 and client.get("/c/paper/judge/").status_code == 404
    server.person = {"sub": "number-8", "email": "x@example.org", "email_verified": False, "preferred_username": "BO"}
    assert log_in(Client()).status_code == 302
    assert Account.objects.get(username="BO-2").email == "", "an address that nobody verified isn't kept"


LIES: dict[str, dict[str, Any]] = {
    "another nonce": {"nonce": "of another login"},
    "no nonce": {"nonce": None},
    "a foreign issuer": {"iss": "https://elsewhere.example"},
    "another audience": {"aud": "another client"},
    "several audiences, for another": {"aud": [CLIENT, "another"], "azp": "another"},
    "expired": {"exp": 1_000_000},
    "never ends": {"exp": None},
    "nobody": {"sub": None},
    "calls itself otherwise": {"issuer": "https://elsewhere.example"},
}


@pytest.mark.parametrize("lie", LIES)
def test_a_token_that_lies_logs_nobody_in(server: OidcServer, bo: Account, lie: str) -> None:
    client = Client()
    back = there(client)
    server.lies = LIES[lie]
    refused = client.get(back)
    assert refused.status_code == 400 and "nobody was logged in" in refused.content.decode()
    assert client.get("/account/").status_code == 302 and not SocialAccount.objects.exists()


@pytest.mark.parametrize("how", ["another key", "no signature", "a shared secret", "somebody else's user info"])
def test_a_signature_that_isn_t_the_server_s_logs_nobody_in(server: OidcServer, bo: Account, how: str) -> None:
    if how == "another key":
        server.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    elif how == "somebody else's user info":
        server.other_person = BO | {"sub": "number-1"}
    else:
        server.algorithm = {"no signature": "none", "a shared secret": "HS256"}[how]
    refused = log_in(Client())
    assert refused.status_code == 400 and not SocialAccount.objects.exists()


def test_a_way_back_that_isn_t_this_browser_s_logs_nobody_in(server: OidcServer, bo: Account) -> None:
    mine, other = Client(), Client()
    back = there(mine)
    assert other.get(back).status_code == 400, "its state is in another browser"
    state = parse_qs(urlsplit(back).query)["state"][0]
    for query in (f"state={state[:-1]}&code=x", "code=x", "", f"state={state}&code=guessed"):
        assert mine.get(f"{CALLBACK}?{query}").status_code == 400, query
    assert mine.get(back).status_code == 400, "a state is good once"
    back = there(mine)
    fixed = mine.cookies["sessionid"].value
    assert mine.get(back).status_code == 302 and mine.cookies["sessionid"].value != fixed
    assert mine.get(back).status_code == 400


@pytest.mark.parametrize("careless", [False, True])
def test_the_code_of_another_s_login_logs_nobody_in(server: OidcServer, bo: Account, careless: bool) -> None:
    """Also where the server takes it: its ID token has the nonce of the login that it was made for."""
    server.takes_any_verifier = careless
    thief = Client()
    state, code = (
        parse_qs(urlsplit(there(client)).query)[name][0] for client, name in ((thief, "state"), (Client(), "code"))
    )
    assert thief.get(f"{CALLBACK}?{urlencode({'state': state, 'code': code})}").status_code == 400
    assert thief.get("/account/").status_code == 302 and not SocialAccount.objects.exists()


def test_who_changes_their_mind_and_a_server_that_is_down(server: OidcServer, bo: Account, settings: Any) -> None:
    server.denies = True
    assert "cancelled there" in log_in(Client()).content.decode()
    server.denies = False
    client = Client()
    back = there(client)
    away = login_settings(Logins.read(environment(f"http://127.0.0.1:{free_port()}")), ["localhost"])
    settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"][0]["settings"] = away["SOCIALACCOUNT_PROVIDERS"][
        "openid_connect"
    ]["APPS"][0]["settings"]
    for response in (client.get(back), Client().get(BEGIN)):
        assert response.status_code == 503 and "can&#x27;t be reached" in response.content.decode()
    assert client.post("/login/", {"username": "bo", "password": PASSWORD}).status_code == 302, "the password works on"


def test_an_outside_login_skips_no_second_factor_and_no_disabled_account(server: OidcServer, bo: Account) -> None:
    assert log_in(Client())["Location"] == "/"
    phone = Phone(bo)
    client = Client()
    assert log_in(client, f"{BEGIN}?next=/account/")["Location"] == STEP
    assert client.get("/account/").status_code == 302
    assert client.post(STEP, {"code": code_of(phone.secret)})["Location"] == "/account/"
    Account.objects.filter(pk=bo.pk).update(is_active=False)
    assert "is disabled" in log_in(Client()).content.decode()
    assert not Session.objects.filter(account=bo, expire_date__isnull=True).exists()


def test_a_login_is_linked_and_unlinked_on_the_account_s_page(server: OidcServer, client_of: Any) -> None:
    cy = Account.objects.create_user("cy", password=PASSWORD)
    client = client_of(cy)
    assert "Link The university" in client.get("/account/").content.decode()
    assert client.get(f"{BEGIN}?link=1")["Location"] == "/account/", "a link from elsewhere links nothing"
    client.post("/account/oidc", {"do": "link", "password": "no"})
    assert client.get(f"{BEGIN}?link=1")["Location"] == "/account/"
    assert "?link=1" in client.post("/account/oidc", {"do": "link", "password": PASSWORD}).content.decode()
    assert log_in(client, f"{BEGIN}?link=1")["Location"] == "/account/#outside"
    assert SocialAccount.objects.get().user == cy
    assert "Unlink bo@example.org" in client.get("/account/").content.decode()
    other = client_of(Account.objects.create_user("di", password=PASSWORD))
    other.post("/account/oidc", {"do": "link", "password": PASSWORD})
    assert "linked to another account" in log_in(other, f"{BEGIN}?link=1").content.decode()
    other.post("/account/oidc", {"do": "link", "password": PASSWORD})
    back = there(other, f"{BEGIN}?link=1")
    other.logout()
    assert other.get(back).status_code == 400, "the session is gone, and with it what was asked"
    link = SocialAccount.objects.get()
    other = client_of(Account.objects.get(username="di"))
    other.post("/account/oidc", {"unlink": str(link.pk), "password": PASSWORD})
    assert SocialAccount.objects.exists(), "another's can't be unlinked"
    for number in ("x", "9" * 40):
        assert client.post("/account/oidc", {"unlink": number, "password": PASSWORD}).status_code == 302
    client.post("/account/oidc", {"unlink": str(link.pk), "password": PASSWORD})
    assert not SocialAccount.objects.exists()


def test_the_only_way_into_an_account_isn_t_unlinked(server: OidcServer, settings: Any) -> None:
    settings.OIDC_NEW_ACCOUNTS = True
    client = Client()
    log_in(client)
    link = SocialAccount.objects.get()
    answer = client.post("/account/oidc", {"unlink": str(link.pk)}, follow=True)
    assert "the only way into it" in answer.content.decode() and SocialAccount.objects.exists()
    link.user.set_password(PASSWORD)
    link.user.save()
    unlink_login(account=link.user, link_id=link.pk)
    assert not SocialAccount.objects.exists()


def test_without_a_server_there_is_no_such_login(settings: Any, client_of: Any, db: None) -> None:
    settings.OIDC_NAME = ""
    assert "oidc" not in Client().get("/login/").content.decode()
    assert Client().get(BEGIN).status_code == 404 and Client().get(CALLBACK).status_code == 404
    bo = client_of(Account.objects.create(username="bo"))
    assert bo.post("/account/oidc").status_code == 404 and bo.get("/account/").status_code == 200


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"QREELS_OIDC_ISSUER": "http://idp.example.org"}, "expected the issuer's https address"),
        ({"QREELS_OIDC_ISSUER": "idp"}, "expected the issuer's https address"),
        ({"QREELS_OIDC_CLIENT_SECRET": ""}, "not set: QREELS_OIDC_CLIENT_SECRET"),
        ({"QREELS_OIDC_NEW_ACCOUNTS": "yes"}, "expected '0' or '1'"),
        ({"QREELS_TWO_FACTORS": "on"}, "QREELS_TWO_FACTORS is 'on': expected 'off', 'offered' or 'leads'"),
    ],
)
def test_settings_that_make_no_sense_say_what_was_expected(wrong: dict[str, str], sentence: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=sentence):
        Logins.read(environment("https://idp.example.org") | wrong)
