"""Names of new accounts: none is taken for another, whichever way somebody gets one; names of before stay."""

import threading
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client

from annotation.qualification.invitations import make_invitation
from foundation.accounts.names import is_taken
from foundation.accounts.outside_logins import _free_name
from foundation.models import Account
from tests.api.callers import Caller
from tests.conftest import PASSWORD, World

TOO_MUCH = "too much like that of another account"
ALIKE = {
    "another case": ("ada", "ADA"),
    "one case": ("ADA", "ada"),
    "a Cyrillic a": ("ada", "\u0430da"),
    "Cyrillic alone": ("cy", "\u0441\u0443"),
    "Cyrillic, another case": ("cy", "\u0421\u0423"),
    "Latin after Cyrillic": ("\u0441\u0443", "cy"),
    "a Greek o": ("bo", "b\u03bf"),
    "a capital I for an l": ("alice", "aIice"),
    "a one for an l": ("hall", "hal1"),
    "wide letters": ("ed", "\uff25\uff24"),
    "a dotless i": ("mia", "m\u0131a"),
    "Armenian": ("oo", "\u0585\u0585"),
    "eszett": ("strasse", "STRA\u1e9eE"),
    "composed and not": ("zo\u00eb", "ZOE\u0308"),
}
APART = [
    ("kai", "kal"),
    ("bo", "bob"),
    ("ada", "ida"),
    ("\u0436\u043e\u0440\u0430", "jora"),
    ("w1", "w2"),
    ("zoe", "zo\u00eb"),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("there", "new"), ALIKE.values(), ids=ALIKE)
def test_a_name_that_looks_like_another_is_taken(there: str, new: str) -> None:
    Account.objects.create(username=there)
    assert is_taken(new)


@pytest.mark.django_db
@pytest.mark.parametrize(("there", "new"), APART)
def test_another_name_is_free(there: str, new: str) -> None:
    Account.objects.create(username=there)
    assert not is_taken(new) and not is_taken(there), "the same to the letter is for the form to say"


@pytest.mark.django_db
def test_every_way_to_an_account_asks(world: World, client_of: Any) -> None:
    olga = Account.objects.create_superuser("olga", password=PASSWORD)
    count = Account.objects.count()
    link = f"/join/{make_invitation(lead=world['ada'], places=9).token}/"
    new = {"username": "CY", "password1": "a-new-paper-moon", "password2": "a-new-paper-moon"}
    assert TOO_MUCH in Client().post(link, new).content.decode()
    assert TOO_MUCH in client_of(olga).post("/accounts/", {"username": "\u0441\u0443"}).content.decode()
    refused = Caller(olga).post("/accounts", {"name": "\u0441y"})
    assert refused.status_code == 422 and refused.json()["errors"][0]["field"] == "body.name"
    assert _free_name("CY") == "CY-2"
    assert Account.objects.count() == count
    assert Client().post(link, {**new, "username": "cyrus"}).status_code == 302


@pytest.mark.django_db
def test_one_s_own_name_may_change_its_case_and_no_more(world: World, client_of: Any) -> None:
    bo = Account.objects.get(username="bo")
    bo.set_password(PASSWORD)
    bo.save()
    client = client_of(bo)
    form = {"email": "", "language": "", "time_zone": "", "password": PASSWORD}
    assert TOO_MUCH in client.post("/account/change", {**form, "username": "\u0441y"}).content.decode()
    assert client.post("/account/change", {**form, "username": "BO"}).status_code == 302
    assert Account.objects.get(pk=bo.pk).username == "BO"


@pytest.mark.django_db
def test_two_accounts_of_before_whose_names_look_alike_go_on(client_of: Any) -> None:
    for name in ("ada", "ADA"):
        Account.objects.create_user(name, password=PASSWORD)
    for name in ("ada", "ADA"):
        client = Client()
        assert client.post("/login/", {"username": name, "password": PASSWORD}).status_code == 302
        form = {"username": name, "email": "", "language": "de", "time_zone": "Europe/Berlin"}
        assert client.post("/account/change", form).status_code == 302
        assert Account.objects.get(username=name).language == "de"


@pytest.mark.django_db(transaction=True)
def test_of_two_who_ask_for_one_look_at_once_the_second_hears_of_the_first() -> None:
    asked, answers = threading.Event(), []

    def second() -> None:
        with transaction.atomic():
            asked.set()
            answers.append(is_taken("ADA"))
        connection.close()

    with transaction.atomic():
        assert not is_taken("ada") and not is_taken("bo")
        other = threading.Thread(target=second)
        other.start()
        assert asked.wait(30)
        Account.objects.create(username="ada")
    other.join(30)
    assert answers == [True]
