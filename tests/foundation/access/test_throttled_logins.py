"""Guessing is slowed down: passwords by account and address, tokens and invitations by address. No lockout."""

import logging
from typing import Any

import pytest
import redis
from django.conf import settings as configured
from django.test import Client
from django.utils import timezone

from annotation.models import Invitation
from annotation.qualification.invitation_views import WRONG_LINKS
from annotation.qualification.invitations import make_invitation
from foundation.access import logins
from foundation.access.guards import WRONG_TOKENS
from foundation.access.throttle import Limit, Throttled, forget, take
from foundation.access.token_views import NEW_TOKENS
from foundation.accounts.joining import JOINED
from foundation.accounts.password_links import NEW_LINKS
from foundation.collections.members import get_or_create_collection
from foundation.models import Account, Collection, Membership
from tests.foundation.conftest import PASSWORD

HERE, ELSEWHERE = "198.51.100.7", "203.0.113.9"


@pytest.fixture(autouse=True)
def counted_anew(collection: Collection) -> Any:
    """Whatever was tried before, by whichever test."""

    server = redis.Redis.from_url(configured.CELERY_BROKER_URL)

    def forget_all() -> None:
        for key in server.scan_iter("*qreels-*"):
            server.delete(key)

    forget_all()
    yield
    forget_all()


def at(address: str, **headers: str) -> Client:
    return Client(REMOTE_ADDR=address, headers=headers)


def log_in(client: Client, name: str = "bo", password: str = "guessed") -> Any:
    return client.post("/login/", {"username": name, "password": password})


def test_who_is_called_the_same_but_for_its_case_takes_no_guess_back() -> None:
    Account.objects.create_user("BO", password="the-thief-s-own")
    thief, answers = at(HERE), []
    for _ in range(3):
        answers += [log_in(thief).status_code for _ in range(9)]
        own = at(HERE)
        assert log_in(own, "BO", "the-thief-s-own").status_code == 302
    assert len(answers) == 27 and answers.count(429) == 27 - logins.FROM_ONE_PLACE.attempts
    assert log_in(thief, password=PASSWORD).status_code == 429


def test_guesses_from_one_place_are_stopped_with_the_time_to_wait_and_written_down(caplog: Any) -> None:
    thief = at(HERE)
    with caplog.at_level(logging.INFO, "qreels.logins"):
        for _ in range(logins.FROM_ONE_PLACE.attempts):
            assert log_in(thief).status_code == 200
        stopped = log_in(thief)
    assert stopped.status_code == 429
    assert "Try again in 10 minutes." in stopped.content.decode()
    assert 540 < int(stopped["Retry-After"]) <= 600
    assert log_in(thief, password=PASSWORD).status_code == 429, "the right one isn't found out either"
    assert log_in(at(HERE), "cy", PASSWORD).status_code == 302, "others who sit there log in"
    assert log_in(at(ELSEWHERE), password=PASSWORD).status_code == 302, "and so does bo elsewhere"
    logged = caplog.text
    assert f"login failed: 'bo' from {HERE}" in logged and f"login throttled: from {HERE}" in logged
    assert "guessed" not in logged
    log_in(at(HERE), "a-password-in-the-wrong-field")
    assert "a-password-in-the-wrong-field" not in caplog.text


def test_a_browser_that_is_known_is_held_up_by_nobody() -> None:
    mine = at(HERE)
    assert log_in(mine, password=PASSWORD).status_code == 302
    mine.post("/logout/")
    for _ in range(logins.FROM_ONE_PLACE.attempts + 1):
        refused = log_in(at(HERE))
    assert refused.status_code == 429
    assert log_in(mine, password=PASSWORD).status_code == 302
    mine.post("/logout/")
    assert log_in(mine, "cy").status_code == 200
    forged = at(HERE)
    forged.cookies[logins.COOKIE] = mine.cookies[logins.COOKIE].value[:-2] + "xx"
    assert log_in(forged, password=PASSWORD).status_code == 429


def test_an_attack_from_many_addresses_is_slowed_and_locks_nobody_out() -> None:
    tried = 0
    for number in range(1, 200):
        thief = at(f"192.0.2.{number}")
        for _ in range(logins.FROM_ONE_PLACE.attempts):
            tried += log_in(thief).status_code == 200
        if tried >= logins.FROM_ANYWHERE.attempts:
            break
    late = at("198.51.100.99")
    assert [log_in(late).status_code for _ in range(4)] == [200, 200, 200, 429]
    assert log_in(at(ELSEWHERE), password=PASSWORD).status_code == 302


def test_the_address_comes_from_the_header_that_the_proxy_sets_and_from_no_other(settings: Any) -> None:
    def tries(**headers: str) -> int:
        return log_in(at(HERE, **headers)).status_code

    for number in range(logins.FROM_ONE_PLACE.attempts):
        assert tries(**{"X-Forwarded-For": f"10.0.0.{number}", "X-Real-IP": f"10.0.1.{number}"}) == 200
    assert tries(**{"X-Forwarded-For": "10.0.0.250"}) == 429, "what anybody can say isn't believed"
    settings.ADDRESS_HEADER = "X-Real-IP"
    assert tries(**{"X-Real-IP": "10.0.1.1"}) == 200
    settings.ADDRESS_HEADER = "X-Forwarded-For"
    for number in range(logins.FROM_ONE_PLACE.attempts):
        assert tries(**{"X-Forwarded-For": f"10.0.0.{number}, 10.0.2.1"}) == 200
    assert tries(**{"X-Forwarded-For": "10.0.0.250, 10.0.2.1"}) == 429, "only its last entry is the proxy's"
    for number in range(logins.FROM_ONE_PLACE.attempts):
        assert tries(**{"X-Forwarded-For": f"2001:db8::{number}"}) == 200
    assert tries(**{"X-Forwarded-For": "2001:db8::ffff:1"}) == 429, "a household has many IPv6 addresses"


def test_wrong_tokens_and_wrong_invitations_are_throttled() -> None:
    program = at(HERE, Authorization="Bearer guessed")
    for _ in range(WRONG_TOKENS.attempts):
        assert program.get("/c/paper/").status_code == 401
    stopped = program.get("/c/paper/")
    assert (stopped.status_code, stopped["Content-Type"]) == (429, "text/plain")
    assert int(stopped["Retry-After"]) > 0
    for _ in range(WRONG_LINKS.attempts):
        assert at(HERE).get("/join/guessed/").status_code == 404
    assert at(HERE).get("/join/guessed/").status_code == 429
    assert at(ELSEWHERE).get("/join/guessed/").status_code == 404


def test_a_class_behind_one_address_joins_at_once(settings: Any) -> None:
    lead = Collection.objects.get(name="paper").memberships.get(account__username="ada")
    token = make_invitation(lead=lead).token
    for number in range(23):
        browser = at(HERE)
        for broken in (token[:-1], token[:-5]):
            assert browser.get(f"/join/{broken}/").status_code in (404, 429)
        sent = {"username": f"annotator{number}", "password1": "moon", "password2": "moon"}
        assert browser.get(f"/join/{token}/").status_code == 200
        assert browser.post(f"/join/{token}/", sent).status_code == 200, "a slip"
        sent |= {"password1": "a-paper-moon", "password2": "a-paper-moon"}
        assert browser.post(f"/join/{token}/", sent).status_code == 302
        browser.post("/logout/")
        assert log_in(browser, f"annotator{number}").status_code == 200, "another slip"
        assert log_in(browser, f"annotator{number}", PASSWORD).status_code == 302
    assert at(HERE).get("/join/guessed/").status_code == 429


def test_one_account_makes_and_joins_only_so_much(client_of: Any) -> None:
    lead = Collection.objects.get(name="paper").memberships.get(account__username="ada")
    ada, mal = client_of(lead.account), client_of(Account.objects.get(username="mal"))
    bo = Membership.objects.get(account__username="bo")
    closed = make_invitation(lead=lead).token
    Invitation.objects.update(withdrawn_at=timezone.now())
    for attempts, sends in (
        (NEW_TOKENS.attempts, lambda: ada.post("/tokens/", {"name": ""})),
        (NEW_LINKS.attempts, lambda: ada.post(f"/c/paper/members/{bo.pk}/password-link")),
        (JOINED.attempts, lambda: mal.post(f"/join/{closed}/")),
    ):
        for _ in range(attempts):
            assert sends().status_code in (200, 410)
        refused = sends()
        assert refused.status_code == 429 and 0 < int(refused["Retry-After"]) <= 3600
        assert "Try again in" in refused.content.decode()


def test_without_redis_each_process_counts_for_itself(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from foundation.access import throttle

    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    throttle._shared.cache_clear()
    monkeypatch.setattr(throttle, "_away_until", 0.0)
    few = Limit("alone", 2, 1)
    try:
        forget(few, "bo")
        for _ in range(2):
            take(few, "bo", what="Enough.")
        with pytest.raises(Throttled, match=r"Enough\. Try again in 1 minute\."):
            take(few, "bo", what="Enough.")
    finally:
        throttle._shared.cache_clear()


def test_a_new_password_ends_the_tokens_made_before(client_of: Any) -> None:
    ada = Account.objects.get(username="ada")
    get_or_create_collection(name="paper", title="Paper")
    client = client_of(ada)
    token = client.post("/tokens/", {"name": "figures"}).context["made"]
    reads = at(HERE, Authorization=f"Bearer {token}")
    assert reads.get("/c/paper/").status_code == 200
    ada.set_password("another-paper-moon")
    ada.save()
    assert reads.get("/c/paper/").status_code == 401
    client.force_login(ada)
    assert "Changing your password revokes all tokens." in client.get("/tokens/").content.decode()
