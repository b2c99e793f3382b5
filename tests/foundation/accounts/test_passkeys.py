"""Passkeys: a second factor, or a login alone; another site's, copied, foreign and repeated answers are refused."""

import json
import re
from copy import deepcopy
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.internal.auth import STATE_SESSION_KEY
from django.test import Client
from fido2.utils import websafe_decode

from annotation.people.own_data import own_data
from foundation.access.fresh_login import FRESH_MINUTES, LOGGED_IN_AT
from foundation.access.throttle import Limit
from foundation.accounts import passkey_views, passkeys
from foundation.accounts.second_factors import second_factor_of
from foundation.models import Account, Session
from tests.conftest import World
from tests.foundation.accounts.passkey_device import Device
from tests.foundation.accounts.test_second_factor import PAGE, STEP, Phone, code_of, post
from tests.foundation.conftest import PASSWORD

pytestmark = pytest.mark.django_db

ADD, NEW, PROOF, LOGIN = (
    "/account/passkeys/add",
    "/account/passkeys/options",
    "/login/passkey/options",
    "/login/passkey/",
)


def browser(host: str = "localhost") -> Client:
    return Client(headers={"host": host})


def logged_in(name: str = "bo", client: Client | None = None) -> Client:
    client = client or browser()
    account = Account.objects.get(username=name)
    if not account.password:
        account.set_password(PASSWORD)
        account.save()
    client.post("/login/", {"username": name, "password": PASSWORD})
    return client


def add(client: Client, device: Device, **sent: str) -> Any:
    return post(client, ADD, credential=device.create(client.post(NEW).json()), **sent)


def answer(client: Client, device: Device, address: str = LOGIN, **sent: str) -> Any:
    return post(client, address, credential=device.get(client.post(PROOF).json()), **sent)


def said(response: Any) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).replace("&#x27;", "'").split())


@pytest.fixture
def key(world: World) -> Device:
    """Bo's, the first one."""
    device = Device()
    assert add(logged_in(), device, name="Blue key").status_code == 200
    return device


def make_old(client: Client, seconds: int = FRESH_MINUTES * 60 + 1) -> None:
    session = client.session
    session[LOGGED_IN_AT] -= seconds
    session.save()


def test_the_first_one_brings_recovery_codes_and_ends_other_logins(world: World) -> None:
    here, elsewhere, device = logged_in(), logged_in(), Device()
    shown = add(here, device, name="Blue key", next="/c/paper/judge/")
    codes = re.findall(r"<li><code>(\d+)</code>", shown.content.decode())
    assert len(codes) == 10 and 'href="/c/paper/judge/"' in shown.content.decode()
    assert elsewhere.get("/account/").status_code == 302 and here.get("/account/").status_code == 200
    assert "You have 1 passkey." in said(here.get("/account/"))
    assert "Blue key" in said(here.get(PAGE)) and "Not used yet" in said(here.get(PAGE))
    second = Device()
    assert add(here, second)["Location"] == PAGE, "no codes again"
    assert "A security key" not in said(here.get(PAGE)) and "unknown" in said(here.get(PAGE)), "named by its browser"
    half = browser()
    assert half.post("/login/", {"username": "bo", "password": PASSWORD})["Location"] == STEP
    assert post(half, STEP, code=codes[0]).status_code == 302, "a recovery code opens the account without it"
    own = json.loads("".join(own_data(Account.objects.get(username="bo"))))
    assert [passkey["name"] for passkey in own["profile"]["passkeys"]] == ["Blue key", "unknown"]


def test_it_logs_in_by_itself_and_counts_as_the_second_factor_of_a_lead(world: World, settings: Any) -> None:
    settings.TWO_FACTORS = "leads"
    device, ada = Device(), logged_in("ada")
    assert ada.get("/c/paper/members/")["Location"].startswith(PAGE)
    assert add(ada, device).status_code == 200
    assert ada.get("/c/paper/members/").status_code == 200, "who added one has proved it"
    fresh = browser()
    assert "Log in with a passkey" in said(fresh.get("/login/"))
    assert answer(fresh, device, next="/c/paper/members/")["Location"] == "/c/paper/members/"
    assert fresh.get("/c/paper/members/").status_code == 200
    assert answer(browser(), device, next="//elsewhere.example/")["Location"] == "/"
    assert "Last used" in said(fresh.get(PAGE))
    stale = browser()
    stale.force_login(Account.objects.get(username="ada"))
    assert stale.get("/c/paper/members/")["Location"] == "/login/?next=/c/paper/members/&why=factor"


def test_after_the_password_it_is_asked_for_without_a_pin_too(key: Device) -> None:
    key.verifies = False
    half = browser()
    assert post(half, "/login/", username="bo", password=PASSWORD)["Location"] == STEP
    page = said(half.get(STEP))
    assert "Confirm with your passkey" in page and "Recovery code" in page and half.get("/account/").status_code == 302
    options = half.post(PROOF).json()["publicKey"]
    assert len(options["allowCredentials"]) == 1 and options["userVerification"] == "preferred"
    assert post(half, STEP, credential=key.get({"publicKey": options})).status_code == 302
    assert half.get("/account/").status_code == 200
    alone = answer(browser(), key)
    assert alone.status_code == 400 and "asked for no PIN" in said(alone)


def test_what_isn_t_a_right_answer_is_refused_with_a_word(key: Device, world: World) -> None:
    elsewhere = deepcopy(key)
    elsewhere.origin = "https://evil.localhost"
    assert "a page of another site" in said(answer(browser(), elsewhere))
    stranger = Device(owner=key.owner)
    assert "belongs to no account here" in said(answer(browser(), stranger))
    stranger.number = key.number
    assert "is not valid" in said(answer(browser(), stranger)), "the right number, signed by another key"
    cy, device = logged_in("cy"), Device()
    add(cy, device)
    half = browser()
    post(half, "/login/", username="bo", password=PASSWORD)
    assert "belongs to no account here" in said(answer(half, device, STEP)), "another's"
    assert "in use already" in said(add(logged_in("di"), key)), "a key belongs to one account"
    disabled = Account.objects.get(username="cy")
    Account.objects.filter(pk=disabled.pk).update(is_active=False)
    assert "belongs to no account here" in said(answer(browser(), device))
    for nonsense in ("", "{}", "[]", "1", "x" * 30_000, "[" * 5000, '{"rawId": "é", "id": "é"}', '{"rawId": null}'):
        client = browser()
        client.post(PROOF)
        sent = post(client, LOGIN, credential=nonsense)
        assert sent.status_code == 400 and "is not valid" in said(sent), nonsense[:20]
        assert client.get("/account/").status_code == 302


def test_what_a_browser_says_of_a_new_one_is_kept_only_as_far_as_it_is_read(key: Device) -> None:
    for extensions in ([], {"credProps": 5}, {"credProps": {"rk": "yes"}}):
        client = logged_in_by(key)
        made = json.loads(Device().create(client.post(NEW).json())) | {"clientExtensionResults": extensions}
        post(client, ADD, credential=json.dumps(made))
        assert client.get(PAGE).status_code == 200
    kept = Authenticator.objects.filter(type=Authenticator.Type.WEBAUTHN).order_by("pk")
    assert [row.wrap().is_passwordless for row in kept] == [True, False], "what is no answer isn't taken"


def test_an_answer_is_good_once_and_not_for_long(key: Device, monkeypatch: Any) -> None:
    first = browser()
    options = first.post(PROOF).json()
    once = key.get(options)
    held = first.session[STATE_SESSION_KEY]
    assert post(first, LOGIN, credential=once).status_code == 302
    for client in (browser(), browser()):
        assert "sent before, or is too old" in said(post(client, LOGIN, credential=once)), "nothing was asked"
    again = browser()
    again.post(PROOF)
    assert "sent before" in said(post(again, LOGIN, credential=once)), "something else was asked"
    at_once = browser()
    at_once.post(PROOF)
    session = at_once.session
    session[STATE_SESSION_KEY] = held
    session.save()
    assert "sent before" in said(post(at_once, LOGIN, credential=once)), "a request at the same moment"
    late = browser()
    slow = key.get(late.post(PROOF).json())
    monkeypatch.setattr(passkeys, "SECONDS", -1)
    assert "too old" in said(post(late, LOGIN, credential=slow))


def test_a_question_is_good_for_one_answer_right_or_wrong_in_all_tabs(key: Device) -> None:
    client, half, own = browser(), browser(), logged_in_by(key)
    post(half, "/login/", username="bo", password=PASSWORD)
    for asks, address, ask in ((client, LOGIN, PROOF), (half, STEP, PROOF), (own, ADD, NEW)):
        device = Device() if ask == NEW else key
        answer_to = device.create if ask == NEW else device.get
        for wrong in ("{}", "elsewhere"):
            options = asks.post(ask).json()
            device.origin = "https://evil.localhost"
            assert post(asks, address, credential=wrong if wrong == "{}" else answer_to(options)).status_code == 400
            device.origin = "http://localhost"
            assert "sent before" in said(post(asks, address, credential=answer_to(options))), (address, wrong)
        earlier, later = asks.post(ask).json(), asks.post(ask).json()
        assert "sent before" in said(post(asks, address, credential=answer_to(earlier))), "another tab asked after it"
        assert "sent before" in said(post(asks, address, credential=answer_to(later))), "and its question was used up"
        assert STATE_SESSION_KEY not in asks.session
    assert Authenticator.objects.filter(type=Authenticator.Type.WEBAUTHN).count() == 1
    assert client.get("/account/").status_code == half.get("/account/").status_code == 302


def test_a_passkey_names_its_account_by_the_number_that_it_was_made_with(key: Device) -> None:
    account = Account.objects.create_user("mal", pk=4711, password=PASSWORD)
    device = Device()
    add(logged_in("mal"), device)
    assert websafe_decode(device.owner) == b"4711"
    assert str(account.pk) == logged_in_by(device).session["_auth_user_id"]
    device.owner = key.owner
    assert "belongs to no account here" in said(answer(browser(), device)), "of bo, it says"
    device.owner = ""
    assert "belongs to no account here" in said(answer(browser(), device))


def test_a_copied_key_is_refused_and_logged(key: Device, caplog: Any) -> None:
    copy = deepcopy(key)
    for _ in range(2):
        assert answer(browser(), key).status_code == 302
    refused = answer(browser(), copy)
    assert refused.status_code == 400 and "seems to be a copy" in said(refused)
    assert "may be a copy: counted 2 after 3" in caplog.text
    assert answer(browser(), key).status_code == 302
    phone = Device(counts=False)
    add(logged_in_by(key), phone)
    for _ in range(2):
        assert answer(browser(), phone).status_code == 302, "those that count nothing are taken"


def logged_in_by(device: Device) -> Client:
    client = browser()
    assert answer(client, device).status_code == 302
    return client


def test_adding_and_removing_ask_for_a_login_of_just_now(key: Device) -> None:
    client, elsewhere = logged_in_by(key), logged_in_by(key)
    row = Authenticator.objects.get(type=Authenticator.Type.WEBAUTHN)
    change = f"/account/passkeys/{row.pk}/change"
    year = 365 * 86_400
    make_old(client, -year)
    assert "Log in once more" in said(client.get(PAGE)), "the clock was a year ahead"
    make_old(client, year + FRESH_MINUTES * 60 + 1)
    page = said(client.get(PAGE))
    assert "Log in once more" in page and "Add a passkey" not in page
    assert client.post(NEW).status_code == 400 and "log in once more" in client.post(NEW).json()["message"]
    refused = post(client, change, do="remove")
    assert refused.status_code == 400 and "log in once more" in said(refused) and Authenticator.objects.count() == 2
    assert post(client, change, do="rename", name=" Red key ").status_code == 302
    assert "Red key" in said(client.get(PAGE)) and post(client, change, do="rename", name=" ").status_code == 400
    assert post(client, f"{PAGE}change", do="codes").status_code == 302, "nor new recovery codes"
    fresh = logged_in_by(key)
    assert "<code>" in post(fresh, f"{PAGE}change", do="codes").content.decode()
    cy = logged_in("cy")
    assert post(cy, change, do="remove").status_code == 400 and Authenticator.objects.filter(pk=row.pk).exists()
    gone = fresh.post(change, {"do": "remove"}, follow=True)
    assert "You have no second factor now" in said(gone)
    assert second_factor_of(row.user) is None and not Authenticator.objects.exists(), "its recovery codes went, too"
    assert elsewhere.get("/account/").status_code == 302, "whoever had it may have been there"
    assert "belongs to no account here" in said(answer(browser(), key))
    assert browser().post("/login/", {"username": "bo", "password": PASSWORD})["Location"] == "/"


def test_app_and_passkeys_stand_beside_each_other(world: World) -> None:
    bo = Account.objects.get(username="bo")
    bo.set_password(PASSWORD)
    bo.save()
    phone, device = Phone(bo), Device()
    half = browser()
    post(half, "/login/", username="bo", password=PASSWORD)
    assert "Use a passkey" not in said(half.get(STEP))
    assert post(half, STEP, code=phone.recovery[0]).status_code == 302
    assert add(half, device)["Location"] == PAGE, "the recovery codes stay"
    assert post(half, f"{PAGE}change", do="codes").status_code == 400, "new ones ask for a code, as before"
    assert post(half, f"{PAGE}change", do="off", code=code_of(phone.secret)).status_code == 302
    left = second_factor_of(bo)
    assert left is not None and (left.app_since, left.passkeys, left.codes_left) == (None, 1, 9)
    secret = re.findall(r'<code class="key">([A-Z2-7 ]+)<', half.get(PAGE).content.decode())[0].replace(" ", "")
    assert post(half, PAGE, code=code_of(secret), password=PASSWORD)["Location"] == PAGE, "no new recovery codes"
    assert Session.objects.filter(account=bo).count() == 1


def test_why_it_isn_t_offered_stands_there(world: World, settings: Any) -> None:
    bo = Account.objects.get(username="bo")

    def page(host: str) -> str:
        client = browser(host)
        client.force_login(bo)
        assert "Add a passkey" not in said(client.get(PAGE)) and client.post(NEW).status_code == 400
        assert "passkey" not in said(client.get("/login/"))
        return said(client.get(PAGE))

    settings.ALLOWED_HOSTS = ["*"]
    assert "work at http://localhost:8000 alone" in page("127.0.0.1:8000")
    settings.PASSKEY_DOMAIN = "qreels.example.org"
    assert "over https alone, and this site is open over http, at http://qreels.example.org:81" in page(
        "qreels.example.org:81"
    )
    settings.PASSKEY_DOMAIN = ""
    assert "need a site with a name" in page("10.0.0.5")
    settings.PASSKEYS = "off"
    assert "Passkeys" not in page("localhost")


def test_settings_allow_it_as_a_second_factor_alone_and_behind_a_proxy(key: Device, settings: Any) -> None:
    settings.PASSKEYS = "factor"
    assert browser().post(PROOF).status_code == 404 and browser().post(LOGIN).status_code == 404
    assert "passkey" not in said(browser().get("/login/"))
    half = browser()
    post(half, "/login/", username="bo", password=PASSWORD)
    assert answer(half, key, STEP).status_code == 302
    settings.PASSKEYS, settings.PASSKEY_DOMAIN = "login", "example.org"
    settings.ALLOWED_HOSTS, settings.CSRF_TRUSTED_ORIGINS = ["qreels.example.org"], ["https://qreels.example.org"]
    device = Device(origin="https://qreels.example.org")
    assert add(logged_in("cy", browser("qreels.example.org")), device).status_code == 200
    assert answer(browser("qreels.example.org"), device).status_code == 302
    device.origin = "http://qreels.example.org"
    assert "another site" in said(answer(browser("qreels.example.org"), device))


def test_questions_are_counted(key: Device, monkeypatch: Any) -> None:
    monkeypatch.setattr(passkey_views, "FROM_AN_ADDRESS", Limit("passkey", 3, 10))
    assert [browser().post(PROOF).status_code for _ in range(4)] == [200, 200, 200, 429]
    assert post(browser(), LOGIN, credential="{}").status_code == 429
