"""LLM settings in the browser: who may set what, where values come from, and that no key is ever told."""

import logging
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

from foundation.collections.members import add_member
from foundation.infra.sealed import SealBroken, seal, unseal
from foundation.models import Account, Collection, Membership
from foundation.refused import Refused
from queries.models import Caption, Exchange, LlmChoice, LlmServer, LlmTrial, RewriteJob
from queries.rewriting.costs import limit_from, prices_from
from queries.rewriting.llm_settings import environ_of, llm_settings
from queries.rewriting.llm_terms import save_choice, save_server
from queries.rewriting.llm_trial import run_trial
from queries.rewriting.rewriters.interface import RewriterError
from queries.rewriting.run_job import ask_once, collection_rewriter
from queries.rewriting.tasks import go_on_rewriting
from tests.queries.chat_server import Reply, refusal, serving, well
from tests.queries.conftest import doors, make_collection

pytestmark = pytest.mark.django_db
KEY = "sk-paper-moon-4711-abcd"


@pytest.fixture
def collection(monkeypatch: pytest.MonkeyPatch) -> Collection:
    """Led by ada, owned by olga; root owns the installation."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "REWRITER_MODEL", "REWRITER_PRICE_IN", "REWRITER_PRICE_OUT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("REWRITER_FIRST_PAUSE", "0.01")
    collection = make_collection(doors(3), name="paper")
    for name, role in (("ada", "lead"), ("olga", "owner")):
        add_member(collection=collection, account=Account.objects.create(username=name), role=role)
    Account.objects.create(username="root", is_superuser=True)
    Account.objects.create(username="mal", may_create_collections=True)
    return collection


def client_of(name: str) -> Client:
    client = Client()
    client.force_login(Account.objects.get(username=name))
    return client


def root() -> Account:
    return Account.objects.get(username="root")


def olga(collection: Collection) -> Membership:
    return collection.memberships.get(account__username="olga")


def server(address: str = "http://llm.example.org/v1", **fields: str) -> LlmServer:
    values = {"name": "Ours", "address": address, "model": "m", "key": KEY, **fields}
    return save_server(account=root(), typed=values)


def page(name: str, *more: Any) -> str:
    return reverse(name, args=["paper", *more] if name.startswith("rewriting") else more)


def test_only_owners_of_the_installation_say_which_servers_are_asked(collection: Collection) -> None:
    """Whoever names an address has this machine send requests to it: a collection's owner only chooses."""
    llm = server()
    for name in ("ada", "olga", "mal"):
        client = client_of(name)
        assert client.get(page("llm")).status_code == 403
        assert client.post(page("llm"), {"name": "x", "address": "http://169.254.169.254/"}).status_code == 403
        assert client.post(page("llm-try", llm.pk)).status_code == 403
        assert client.get(page("llm-trial", llm.pk)).status_code == 403
    assert Client().get(page("llm")).status_code == 302
    assert LlmServer.objects.count() == 1
    client_of("olga").post(page("rewriting-llm-change"), {"address": "http://169.254.169.254/", "model": "x"})
    assert llm_settings(collection).shown["address"]["value"] == ""
    client_of("ada").post(page("rewriting-llm-change"), {"model": "y"})
    assert LlmChoice.objects.get().model == "x"


def test_a_key_is_stored_sealed_and_shown_by_its_end_alone(collection: Collection, caplog: Any) -> None:
    caplog.set_level(logging.DEBUG)
    with serving(well) as chat:
        client = client_of("root")
        fields = {"name": "Ours", "address": chat.url, "model": "m", "key": KEY, "is_default": "on"}
        assert client.post(page("llm"), fields).status_code == 302
        trial = LlmTrial.objects.create(server=LlmServer.objects.get())
        run_trial(trial.pk)
        assert chat.keys == [f"Bearer {KEY}"]
    pages = [client.get(page("llm")), client_of("olga").get(page("rewriting-llm"))]
    assert KEY not in client_of("olga").get("/api/v1/collections/paper/llm").content.decode()
    for answer in pages:
        assert KEY not in answer.content.decode() and "abcd" in answer.content.decode()
    assert KEY not in caplog.text and KEY not in repr(collection_rewriter(collection)) + repr(llm_settings(collection))
    with connection.cursor() as cursor:
        cursor.execute("SELECT key, key_end FROM queries_llmserver")
        sealed, end = cursor.fetchone()
    assert end == "abcd" and KEY not in sealed and unseal(sealed) == KEY


def test_a_server_that_repeats_the_key_gets_it_into_no_message(collection: Collection) -> None:
    with serving(lambda request, number: refusal(400, f"no such thing: {KEY}")) as chat:
        trial = LlmTrial.objects.create(server=server(chat.url))
        run_trial(trial.pk)
    trial.refresh_from_db()
    assert "no such thing: …" in trial.problem and KEY not in trial.problem


def test_another_secret_key_is_said_and_nothing_else_is_asked_instead(
    collection: Collection, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "the-environment-s-key")
    server(is_default="on")
    before, settings.SECRET_KEY = settings.SECRET_KEY, "quite another secret, long enough for this"
    sentence = "because QREELS_SECRET_KEY has changed since. Enter the key again."
    assert sentence in client_of("olga").get(page("rewriting-llm")).content.decode()
    assert sentence in client_of("olga").get(page("rewriting")).content.decode()
    with pytest.raises(RewriterError, match="QREELS_SECRET_KEY has changed"):
        collection_rewriter(collection)
    assert llm_settings(collection).is_remote
    settings.SECRET_KEY_FALLBACKS = [before]
    assert collection_rewriter(collection).api_key == KEY


@pytest.mark.parametrize("broken", ["", "x", "é", seal.__name__ * 9], ids=["empty", "short", "not ASCII", "long"])
def test_what_was_never_sealed_is_not_opened(broken: str) -> None:
    with pytest.raises(SealBroken):
        unseal(broken)


def test_each_value_says_where_it_comes_from(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    def origins() -> dict[str, str]:
        return {name: value["origin"] for name, value in llm_settings(collection).shown.items()}

    assert set(origins().values()) == {"usual"}
    monkeypatch.setenv("OPENAI_API_KEY", "the-environment-s-key")
    monkeypatch.setenv("REWRITER_PRICE_IN", "1")
    monkeypatch.setenv("REWRITER_PRICE_OUT", "2")
    monkeypatch.setenv("REWRITER_LIMIT", "9")
    assert origins() == {
        **{"address": "usual", "model": "usual", "key": "environment"},
        **{"price_in": "environment", "price_out": "environment", "limit": "environment"},
    }
    # A server brings its own: the environment's key and prices belong to the environment's.
    server(key="", is_default="on", price_in="0,15", price_out="0.6")
    environ = environ_of(collection)
    assert (environ["OPENAI_API_KEY"], environ["OPENAI_BASE_URL"]) == ("none", "http://llm.example.org/v1")
    assert prices_from(environ).cost(1_000_000, 1_000_000, batch_api=False) == pytest.approx(0.75)
    assert origins()["price_in"] == "installation" and origins()["limit"] == "environment"
    # Another model has other prices: none, until they are given.
    save_choice(member=olga(collection), typed={"model": "larger", "limit": "3"})
    environ = environ_of(collection)
    assert not prices_from(environ).known and limit_from(environ) == 3
    assert (origins()["model"], origins()["limit"], origins()["price_in"]) == ("collection", "collection", "usual")


def test_a_key_goes_to_the_server_that_it_was_given_for_alone(collection: Collection) -> None:
    first, second = server(is_default="on"), server("http://other.example.org/v1", name="Other", key="")
    save_choice(member=olga(collection), typed={"server": str(first.pk), "key": "sk-of-the-collection"})
    assert environ_of(collection)["OPENAI_API_KEY"] == "sk-of-the-collection"
    with pytest.raises(Refused) as refused:
        save_choice(member=olga(collection), typed={"server": str(second.pk)})
    assert refused.value.wrong == {"key": "The key belongs to another server. Enter it again, or remove it."}
    # The installation moves the server: the collection's key doesn't follow.
    with pytest.raises(Refused, match="Enter it again"):
        save_server(account=root(), server_id=first.pk, typed={"name": "Ours", "address": "http://evil.example.org"})
    save_server(
        account=root(),
        server_id=first.pk,
        typed={"name": "Ours", "address": "http://evil.example.org", "key": "k" * 20},
    )
    assert environ_of(collection)["OPENAI_API_KEY"] == "k" * 20


def test_the_key_for_openai_stays_away_from_the_environment_s_server(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://evil.example.org/v1")
    server(address="", is_default="on")
    assert str(collection_rewriter(collection).chat.client().base_url).startswith("https://api.openai.com/")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_neither_key_nor_words_go_where_a_server_redirects_to(collection: Collection, status: int) -> None:
    with serving(well) as elsewhere:
        away = Reply(status, {}, {"Location": f"{elsewhere.url}/chat/completions"})
        with serving(lambda request, number: away) as chat:
            server(chat.url, is_default="on", key="")
            save_choice(member=olga(collection), typed={"key": KEY})
            trial = LlmTrial.objects.create(collection=collection)
            run_trial(trial.pk)
            assert chat.keys == [f"Bearer {KEY}"]
        assert elsewhere.requests == [] and elsewhere.calls == []
    trial.refresh_from_db()
    assert f"leads elsewhere ({status}), and redirects aren't followed" in trial.problem


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("name", " ", "Enter a name"),
        ("address", "file:///etc/passwd", "expected an address such as"),
        ("address", "llm.example.org", "expected an address such as"),
        ("address", "http://[::1", "expected an address such as"),
        ("address", "http://a:99999/", "expected an address such as"),
        ("address", "http://user:word@a/v1", "no user name or password"),
        ("address", "http://a/v1?key=x", "expected an address such as"),
        ("key", "two words", "without spaces"),
        ("key", "schlüssel", "without spaces"),
        ("price_in", "cheap", "expected an amount from 0 to 100,000, such as 0.15 or 0,15"),
        ("price_in", "0,15", "A cost needs both prices"),
        ("limit", "-1", "expected an amount from 0 to 100,000"),
        ("limit", "1.234,5", "Found “1.234,5”, expected an amount from 0 to 100,000"),
    ],
)
def test_what_cannot_be_is_said_beside_its_field(collection: Collection, field: str, value: str, told: str) -> None:
    fields = {"name": "Ours", "address": "http://a:8000/v1", field: value}
    answer = client_of("root").post(page("llm"), fields)
    assert answer.status_code == 400 and told in answer.content.decode()
    assert not LlmServer.objects.exists()


def test_a_server_in_use_is_not_removed(collection: Collection) -> None:
    llm = server()
    save_choice(member=olga(collection), typed={"server": str(llm.pk)})
    client = client_of("root")
    answer = client.post(page("llm"), {"do": "remove", "server": llm.pk})
    assert (
        answer.status_code == 400
        and f"These collections use the server: {collection.title}." in answer.content.decode()
    )
    save_choice(member=olga(collection), typed={})
    assert client.post(page("llm"), {"do": "remove", "server": llm.pk}).status_code == 302
    assert not LlmServer.objects.exists()


@pytest.mark.parametrize(
    ("behave", "told"),
    [
        (well, "m at http://127.0.0.1:"),
        (lambda request, number: refusal(401, "who are you"), "refuses the key in the settings of the installation"),
        (lambda request, number: refusal(404, "no such model"), "know the model"),
        (lambda request, number: refusal(429, "slow down", retry_after="3600"), "asks to wait 3,600 s"),
        (lambda request, number: refusal(500, "it burns"), "500"),
    ],
    ids=["well", "wrong key", "no model", "too many", "broken"],
)
def test_a_trial_makes_one_real_request_and_says_what_came(collection: Collection, behave: Any, told: str) -> None:
    with serving(behave) as chat:
        llm = server(chat.url)
        client_of("root").post(page("llm-try", llm.pk))
        trial = LlmTrial.objects.get()
        run_trial(trial.pk)
        assert len(chat.requests) == 1
        trial.refresh_from_db()
        assert told in trial.said + trial.problem
        assert (trial.state == "done") == (behave is well)
        # Again: the same row, asked anew.
        client_of("root").post(page("llm-try", llm.pk))
        assert LlmTrial.objects.get().state == "queued"
    assert client_of("root").get(page("llm-trial", llm.pk)).json()["finished"] is False


@pytest.mark.django_db(transaction=True)
def test_a_collection_s_settings_rewrite_it(collection: Collection) -> None:
    """The same job as the command's, with no variable set."""
    with serving(well) as chat:
        server(chat.url, is_default="on")
        call_command("rewrite", "paper", "--background")
        go_on_rewriting(RewriteJob.objects.get().pk)
    assert Caption.objects.filter(description__collection=collection).count() == 3
    assert {job.server for job in RewriteJob.objects.all()} == {chat.url}


def test_a_collection_that_chose_rules_asks_nobody(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(well) as chat:
        server(chat.url, is_default="on")
        save_choice(member=olga(collection), typed={"rewriter": "rules"})
        call_command("rewrite", "paper", "--background")
        go_on_rewriting(RewriteJob.objects.get().pk)
        assert chat.requests == []
    job = RewriteJob.objects.get()
    assert (job.rewriter, job.state) == ("rules", "done")
    assert Caption.objects.count() == 3 and not Exchange.objects.exists()


def test_a_job_whose_settings_have_changed_asks_no_other_model(collection: Collection) -> None:
    with serving(well) as chat:
        llm = server(chat.url, is_default="on")
        call_command("rewrite", "paper", "--background")
        changed = {"name": "Ours", "address": chat.url, "model": "another", "is_default": "on"}
        save_server(account=root(), server_id=llm.pk, typed=changed)
        go_on_rewriting(RewriteJob.objects.get().pk)
        assert chat.requests == []
    assert "The settings have changed since this job began with m at" in RewriteJob.objects.get().problem


PRICED = {"is_default": "on", "price_in": "2", "price_out": "4", "limit": "5"}


@pytest.mark.parametrize("where", ["environment", "installation"])
def test_prices_and_limit_of_the_site_s_key_are_the_site_s(
    collection: Collection, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    if where == "installation":
        server(**PRICED)
    else:
        for name, value in (("OPENAI_API_KEY", KEY), ("REWRITER_MODEL", "m"), ("REWRITER_LIMIT", "5")):
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("REWRITER_PRICE_IN", "2")
        monkeypatch.setenv("REWRITER_PRICE_OUT", "4")
    owner = client_of("olga")
    for said, why in (
        ({"price_in": "0", "price_out": "0"}, "and so are its prices"),
        ({"limit": "5.01"}, "Found 5.01, expected at most 5"),
    ):
        answer = owner.post(page("rewriting-llm-change"), said)
        assert answer.status_code == 400 and why in answer.content.decode()
    # What was stored before this rule, or before the site set its own, doesn't hold either.
    LlmChoice.objects.create(collection=collection, price_in=0, price_out=0, limit=1000)
    environ = environ_of(collection)
    assert prices_from(environ).cost(1_000_000, 1_000_000, batch_api=False) == 6 and limit_from(environ) == 5
    started = owner.post(page("rewriting-start"), {"rewriter": "llm", "limit": "5,5"})
    assert started.status_code == 400 and "Found 5.5, expected at most 5" in started.content.decode()
    assert not RewriteJob.objects.exists()
    LlmChoice.objects.update(limit=3)
    assert limit_from(environ_of(collection)) == 3, "less than the site allows is the owner's to say"
    # Another model costs what nobody has said, so the limit refuses it.
    save_choice(member=olga(collection), typed={"model": "dearer"})
    owner.post(page("rewriting-start"), {"rewriter": "llm"})
    assert not RewriteJob.objects.exists()
    with pytest.raises(RewriterError, match="A limit needs the prices of dearer"):
        ask_once(collection=collection, text="Amy waves.", number=1)


def test_prices_and_limit_of_an_own_key_are_the_owner_s(collection: Collection) -> None:
    server(**PRICED)
    save_choice(member=olga(collection), typed={"key": "sk-of-olga", "price_in": "1", "price_out": "1", "limit": "50"})
    environ = environ_of(collection)
    assert prices_from(environ).sent == 1 and limit_from(environ) == 50
    with pytest.raises(Refused, match="and so are its prices"):
        save_choice(member=olga(collection), typed={"forget_key": "1", "price_in": "1", "price_out": "1"})


@pytest.mark.django_db(transaction=True)
def test_a_job_begun_by_an_own_key_spends_the_site_s_as_the_site_says(collection: Collection) -> None:
    with serving(well) as chat:
        server(chat.url, is_default="on", price_in="1000", price_out="1000", limit="0.001")
        save_choice(
            member=olga(collection), typed={"key": "sk-of-olga", "price_in": "0", "price_out": "0", "limit": "9"}
        )
        client_of("olga").post(page("rewriting-start"), {"rewriter": "llm", "limit": "9"})
        save_choice(member=olga(collection), typed={"forget_key": "1"})
        go_on_rewriting(RewriteJob.objects.get().pk)
        assert chat.requests == []
    job = RewriteJob.objects.get()
    assert job.state == "stopped" and "The spending limit of 0.001 is reached" in job.problem
