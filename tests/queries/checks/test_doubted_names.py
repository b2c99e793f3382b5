"""Names that the tagger finds and the word lists doubt: all of them count, but for what a collection discards."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.settings.services import SettingsRefused, configure
from foundation.collections.members import add_member
from foundation.models import Account, Collection, NoName
from queries.checks import run_checks
from queries.checks.run_checks import CheckedCaption, build_attempt, check_captions
from queries.language.lexicon import Lexicon
from queries.language.mentions import why_no_name
from queries.language.name_tagger import NameSpan
from queries.language.words import words
from queries.models import Attempt, Caption
from queries.rewriting.report import as_lines, rewriting_report
from tests.queries.conftest import make_collection

TEXT = "Rachel shows Ross the QZX of his Zubrowka on Halloween."
CAPTION = "A woman shows a man the QZX of his Zubrowka on Halloween."


class TagsEverything:
    """A tagger that is as sure of every word with a capital as `score` says, but for the first."""

    model_name, languages = "eager", ("en",)

    def __init__(self, score: float = 0.93) -> None:
        self.score = score

    def find_names(self, texts: list[str]) -> list[list[NameSpan]]:
        return [
            [
                NameSpan(word.start, word.end, word.text, self.score)
                for word in words(text)
                if word.is_capitalised and not word.opens
            ]
            for text in texts
        ]


def checked(collection: Collection, caption: str = CAPTION) -> CheckedCaption:
    return check_captions(collection, Lexicon(), {TEXT: caption}, {TEXT: "en"}, remember=False)[TEXT]


@pytest.fixture
def collection(db: None) -> Collection:
    return make_collection([TEXT], name="paper")


@pytest.fixture(autouse=True)
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_checks, "load_tagger", TagsEverything)


@pytest.mark.parametrize(
    ("text", "name", "reasons"),
    [
        ("A man eats on Halloween.", "Halloween", {"listed"}),
        ("A man drinks a glass of Zubrowka.", "Zubrowka", {"thing"}),
        ("A man looks at IPG.", "IPG", {"letters"}),
        ("Cars pull up.", "Cars", {"opening"}),
        ("A man sees Zblx.", "Zblx", set()),
    ],
)
def test_why_words_may_be_no_name(text: str, name: str, reasons: set[str]) -> None:
    start = text.index(name)
    lexicon = Lexicon(lower={"cars": 5})
    assert why_no_name(words(text), NameSpan(start, start + len(name), name, 0.9), lexicon) == reasons


def test_by_default_every_name_above_the_threshold_counts(collection: Collection) -> None:
    result = checked(collection)
    assert not result.names_passed
    assert result.names == ["QZX", "Zubrowka", "Halloween"] and result.name_score == 0.93
    assert [(one["text"], one["discarded"]) for one in result.doubted_names] == [
        ("QZX", False),
        ("Zubrowka", False),
        ("Halloween", False),
    ]
    assert CheckedCaption.from_json(result.as_json()) == result


def test_what_a_collection_discards_is_kept_beside_the_caption_and_the_rest_counts(collection: Collection) -> None:
    collection = configure(collection=collection, changes={"discarded_names": "thing"})
    result = checked(collection)
    told = {one["text"]: (one["reasons"], one["discarded"]) for one in result.doubted_names}
    assert told == {"QZX": (["thing"], True), "Zubrowka": (["thing"], True), "Halloween": (["listed"], False)}
    assert result.names == ["Halloween"] and not result.names_passed
    collection = configure(collection=collection, changes={"discarded_names": ",".join(NoName.values)})
    result = checked(collection)
    assert result.names_passed and result.names == [] and result.name_score == 0.0
    assert all(one["discarded"] for one in result.doubted_names)
    assert not checked(collection, "A woman shows Zblx the QZX.").names_passed, "a name is no thing"


def test_a_score_at_the_threshold_passes_and_is_not_doubted(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_checks, "load_tagger", lambda: TagsEverything(0.8))
    result = checked(collection)
    assert result.names_passed and result.doubted_names == []


def test_another_reason_is_refused_and_none_may_be_taken_back(collection: Collection) -> None:
    with pytest.raises(SettingsRefused, match="discarded_names"):
        configure(collection=collection, changes={"discarded_names": "listed,whim"})
    assert configure(collection=collection, changes={"discarded_names": "letters"}).discarded_names == ["letters"]
    assert configure(collection=collection, changes={"discarded_names": ""}).discarded_names == []


def keep(collection: Collection, result: CheckedCaption) -> Attempt:
    description = collection.descriptions.get()
    attempt = build_attempt(description, 1, result)
    attempt.text = CAPTION
    attempt.save()
    Caption.objects.create(description=description, attempt=attempt, text=CAPTION, normalised="x", status="review")
    return attempt


def test_reviewers_see_why_and_the_report_counts_it(collection: Collection, client: Client) -> None:
    account = Account.objects.create(username="ada")
    add_member(collection=collection, account=account, role="lead")
    client.force_login(account)
    collection.discarded_names = ["thing"]
    collection.save()
    attempt = keep(collection, checked(collection))
    page = client.get(reverse("captions", args=["paper"])).content.decode()
    assert "“QZX”, of which the tagger is 0.93 sure, doesn&#x27;t count here (" in page
    assert "“Halloween” may be no name (listed: " in page
    doubted: dict[str, Any] = {one.reason: (one.discarded, one.counted) for one in rewriting_report(collection).doubted}
    assert doubted["listed"] == (0, 1) and sum(discarded for discarded, _ in doubted.values()) == 2
    lines = as_lines(rewriting_report(collection), collection, [])
    assert "Words that may not be names (listed): 0 don't count here, 1 do." in lines
    assert "Words that may not be names" in client.get(reverse("rewriting", args=["paper"])).content.decode()
    attempt.refresh_from_db()
    assert {one["text"] for one in attempt.doubted_names} == {"QZX", "Zubrowka", "Halloween"}


def test_what_was_exchanged_is_kept_said_listed_and_told_by_the_api(collection: Collection, client: Client) -> None:
    account = Account.objects.create(username="ada")
    add_member(collection=collection, account=account, role="lead")
    client.force_login(account)
    collection.discarded_names = NoName.values
    collection.save()
    result = checked(collection, CAPTION.replace("QZX", "letter"))
    attempt = keep(collection, result)
    assert not attempt.words_passed and attempt.gender_passed and not attempt.passed
    assert attempt.swaps == [{"check": "words", "before": "QZX", "after": "letter"}]
    page = client.get(reverse("captions", args=["paper"])).content.decode()
    assert "Swapped: “letter” for “QZX”." in page
    listed = client.get(reverse("caption-list", args=["paper"]), {"of": "words"})
    assert [one.pk for one in listed.context["page"]] == [Caption.objects.get().pk]
    assert list(client.get(reverse("caption-list", args=["paper"]), {"of": "roles"}).context["page"]) == []
    rates = {rate.key: (rate.now_passed, rate.now) for rate in rewriting_report(collection).checks}
    assert (rates["words"], rates["gender"], rates["roles"]) == ((0, 1), (1, 1), (1, 1))
    checks = client.get("/api/v1/collections/paper/captions").json()["items"][0]["checks"]
    assert checks["swaps"] == attempt.swaps and not checks["words_passed"]
    assert {one["text"] for one in checks["doubted_names"]} == {"Zubrowka", "Halloween"}
