"""No sentence escapes translation: every page that annotators and applicants see, in a language made up for this test.

It is written from right to left, and each letter of a message is another: a Latin letter that is left in a page is
of data, or of a sentence that nobody can translate.
"""

import re
import uuid
from pathlib import Path
from typing import Any

import django
import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from babel.messages.pofile import read_po
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client

from annotation.judging.flags import answer_flag
from annotation.judging.notices import answer_question, post_notice
from annotation.models import ExamItem, Flag, Question, WorkedItem
from annotation.qualification.exams import answer_exam, begin_exam, close_cohort, hand_in, items_left
from annotation.qualification.guidelines import confirm_guideline, publish_guideline
from annotation.qualification.invitations import make_invitation
from annotation.settings.services import configure
from config.embedded import free_port
from config.logins import login_settings
from config.variables import Logins
from corpus.models import Clip, Description
from foundation.accounts.password_links import make_password_link
from foundation.models import Account, Collection, Membership
from tests.annotation.reviewed_worlds import DISCARDED, grade_batch
from tests.annotation.visible_text import Visible
from tests.conftest import World, build_world
from tests.foundation.accounts.passkey_device import Device
from tests.messages import gathered, mo_bytes
from tests.planted_secrets import open_an_exam

LANGUAGE = "xr"
ALPHABET = "אבגדהוזחטיכלמנסעפצקרשתםןףץ"
KEPT = re.compile(r"<[^>]*>|%\(\w+\)[sd]|%%|\{\w*\}|%[sd]|&\w+;")
NAMES = {"Qreels", "UTC", "Deutsch", "English", "Español", "Europe", "Berlin", "Firefox", "Linux", "JSON"}
"""Words that are the same in every language."""
ADDRESS = re.compile(r"https?://\S+")
pytestmark = pytest.mark.django_db


def changed(message: str) -> str:
    """A message in the made-up language: tags and places to fill in stay."""
    at, text = 0, ""
    for kept in [*KEPT.finditer(message), None]:
        until = kept.start() if kept else len(message)
        text += "".join(
            ALPHABET[(ord(letter.lower()) - 97) % 26] if letter.isascii() and letter.isalpha() else letter
            for letter in message[at:until]
        )
        if kept:
            text += kept[0]
            at = kept.end()
    return text


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the language's catalog: our messages, and Django's own."""
    messages = gathered("django")
    root = Path(django.__file__).parent
    for part in ("conf", "contrib/auth"):
        with (root / part / "locale" / "en" / "LC_MESSAGES" / "django.po").open("rb") as file:
            for message in read_po(file):
                if message.id:
                    messages.add(message.id, context=message.context)
    for message in messages:
        if message.id:
            forms = message.id if isinstance(message.id, tuple) else (message.id,)
            strings = tuple(changed(form) for form in forms)
            message.string = strings if isinstance(message.id, tuple) else strings[0]
            message.flags.discard("fuzzy")
    folder = tmp_path_factory.mktemp("locale")
    path = folder / LANGUAGE / "LC_MESSAGES" / "django.mo"
    path.parent.mkdir(parents=True)
    path.write_bytes(mo_bytes(messages))
    return folder


@pytest.fixture(autouse=True)
def made_up(settings: Any, catalog: Path, tmp_path: Path) -> None:
    settings.LANGUAGES = [*settings.LANGUAGES, (LANGUAGE, ALPHABET)]
    settings.LANGUAGES_BIDI = [LANGUAGE]
    settings.LOCALE_PATHS = [catalog]
    settings.MEDIA_ROOT = tmp_path
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def data_words() -> set[str]:
    """Words of what people have typed, and not the site says."""
    texts = [*Collection.objects.values_list("title", flat=True), *Account.objects.values_list("username", flat=True)]
    texts += Membership.objects.values_list("worker", flat=True)
    for item in (*ExamItem.objects.all(), *WorkedItem.objects.all()):
        texts += [item.query, item.why]
    return {word for text in texts for word in re.findall(r"[A-Za-z]+", text)}


def escaped(text: str) -> set[str]:
    """Words in Latin letters that are neither data nor names."""
    return set(re.findall(r"[A-Za-z]{2,}", ADDRESS.sub("", text))) - NAMES - data_words()


def assert_translated(answer: Any, *, status: int = 200) -> str:
    """The page is laid out from right to left and has no word of English. Returns it."""
    assert answer.status_code == status, answer
    page: str = answer.content.decode()
    assert f'<html lang="{LANGUAGE}" dir="rtl">' in page
    assert not escaped("\n".join(Visible(page).said)), escaped("\n".join(Visible(page).said))
    return page


def assert_said_in_it(answer: Any, *, status: int = 200) -> dict[str, Any]:
    """What judging's script gets to show has no word of English. Returns it."""
    assert answer.status_code == status, answer
    body: dict[str, Any] = answer.json()
    sentences = [body["message"], body.get("empty", ""), body.get("step", {}).get("text", "")]
    assert not escaped(" ".join(sentences)), sentences
    return body


def someone(account: Account | None = None) -> Client:
    """A browser of somebody who has chosen the language; of a visitor, one that asks for it."""
    if account is None:
        return Client(headers={"Accept-Language": LANGUAGE})
    Account.objects.filter(pk=account.pk).update(language=LANGUAGE)
    client = Client(headers={"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"})
    client.force_login(account)
    return client


def send(client: Client, path: str, **sent: Any) -> Any:
    return client.post(path, sent, content_type="application/json")


def grade(client: Client, path: str, pair: str, value: int, **more: Any) -> Any:
    return send(client, path, **{"pair": pair, "grade": value, "key": str(uuid.uuid4()), "played": 1.0, **more})


@pytest.fixture
def judged(world: World) -> World:
    Collection.objects.update(pay_per_hour="12.50", currency="€")
    Description.objects.update(text="Α")
    return world


def test_the_pages_of_an_account(judged: World) -> None:
    bo = judged["bo"].account
    client = someone(bo)
    for path in ("/account/", "/account/erase/", "/tokens/", "/?archived=1"):
        assert_translated(client.get(path))
    wrong = {"username": "", "email": "x", "time_zone": "Ω", "language": "Ω", "password": ""}
    assert_translated(client.post("/account/change", wrong))
    assert_translated(
        client.post("/account/password", {"old_password": "1", "new_password1": "1", "new_password2": "2"})
    )
    assert_translated(client.post("/tokens/", {"name": "Ω"}))
    client.post("/account/logins/end", {"others": "1"})
    assert_translated(client.get("/account/"))
    client.post("/account/erase/", {"username": "Ω"})
    assert_translated(client.get("/account/erase/"))
    client.post("/account/erase/", {"username": bo.username})
    assert_translated(someone().get("/account/erased/"))
    newcomer = someone(Account.objects.create(username="mal"))
    assert_translated(newcomer.get("/"))


def test_the_pages_of_a_second_factor(judged: World) -> None:
    account, page = judged["bo"].account, "/account/second-factor/"
    client = someone(account)
    assert_translated(client.get(page))
    assert_translated(client.post(page, {"code": "1", "password": "1"}), status=400)
    account.set_password("a-paper-moon")
    account.save()
    TOTP.activate(account, generate_totp_secret())
    RecoveryCodes.activate(account)
    client = someone()
    assert client.post("/login/", {"username": account.username, "password": "a-paper-moon"}).status_code == 302
    assert_translated(client.get("/login/second-factor/"))
    assert_translated(client.post("/login/second-factor/", {"code": "1"}), status=400)
    client = someone(account)
    for shown in (page, "/account/"):
        assert_translated(client.get(shown))
    assert_translated(client.post(f"{page}change", {"code": "1", "do": "off"}), status=400)
    code = RecoveryCodes.activate(account).generate_codes()[0]
    assert_translated(client.post(f"{page}change", {"code": code, "do": "codes"}))


def test_the_pages_of_passkeys(judged: World) -> None:
    account, page, device = judged["bo"].account, "/account/second-factor/", Device()
    account.set_password("a-paper-moon")
    account.save()

    def browser() -> Client:
        client = someone()
        client.defaults["HTTP_HOST"] = "localhost"
        assert client.post("/login/", {"username": account.username, "password": "a-paper-moon"}).status_code == 302
        return client

    client = browser()
    assert_translated(client.get(page))
    options = client.post("/account/passkeys/options").json()
    assert_translated(client.post("/account/passkeys/add", {"credential": device.create(options), "name": "bo"}))
    for shown in (page, "/account/"):
        assert_translated(client.get(shown))
    assert_translated(client.post("/account/passkeys/add", {"credential": "1"}), status=400)
    session = client.session
    session["logged_in_at"] = 0
    session.save()
    assert_translated(client.get(page))
    half = browser()
    assert_translated(half.get("/login/second-factor/"))
    assert_translated(half.post("/login/second-factor/", {"credential": "1"}), status=400)
    assert_translated(half.post("/login/passkey/", {"credential": "1"}), status=400)


def test_the_pages_of_a_login_elsewhere(judged: World, settings: Any) -> None:
    issuer = f"http://127.0.0.1:{free_port()}"
    elsewhere = Logins(QREELS_OIDC_ISSUER=issuer, QREELS_OIDC_CLIENT_ID="x", QREELS_OIDC_CLIENT_SECRET="x")
    for name, value in login_settings(elsewhere, ["localhost"]).items():
        setattr(settings, name, value)
    settings.OIDC_NAME = "Ω"
    visitor, account = someone(), judged["bo"].account
    account.set_password("a-paper-moon")
    account.save()
    bo = someone(account)
    assert_translated(visitor.get("/login/"))
    assert_translated(visitor.get("/login/oidc/"), status=503)
    assert_translated(visitor.get("/login/oidc/callback/"), status=400)
    assert_translated(bo.get("/account/"))
    assert_translated(bo.post("/account/oidc", {"do": "link", "password": "a-paper-moon"}))


def test_the_pages_of_a_visitor(judged: World, settings: Any) -> None:
    visitor, settings.MAIL_IS_SET = someone(), True
    for page in ("/login/forgotten/", "/login/forgotten/?sent=1"):
        assert_translated(visitor.get(page))
    assert_translated(visitor.post("/login/forgotten/", {"email": "no"}), status=400)
    for why in ("ended", "judging", "form", "lead", "password", "out"):
        assert_translated(visitor.get(f"/login/?why={why}"))
    assert_translated(visitor.post("/login/", {"username": "bo", "password": "no"}))
    for _ in range(10):
        throttled = visitor.post("/login/", {"username": "bo", "password": "no"})
    assert_translated(throttled, status=429)
    Collection.objects.update(needs_exam=True)
    link = make_invitation(lead=judged["ada"]).token
    for pay_training in (True, False):
        Collection.objects.update(pay_training=pay_training)
        assert_translated(visitor.get(f"/join/{link}/"))
    assert_translated(visitor.post(f"/join/{link}/", {"username": "bo", "password1": "1", "password2": "2"}))
    assert_translated(visitor.get("/join/nothing/"), status=404)
    assert_translated(someone(Account.objects.create(username="mal")).get(f"/join/{link}/"))
    Account.objects.filter(username="ada").update(is_superuser=True)
    made = make_password_link(maker=Account.objects.get(username="ada"), account=judged["bo"].account)
    assert_translated(visitor.get(f"/password/{made.token}/"))
    assert_translated(visitor.get("/password/nothing/"), status=404)
    Collection.objects.update(archived_at="2026-11-22T00:00:00Z")
    assert_translated(visitor.get(f"/join/{link}/"), status=410)


def test_the_pages_that_say_what_went_wrong(judged: World, rf: Any) -> None:
    bo = someone(judged["bo"].account)
    assert_translated(bo.get("/nothing-here/"), status=404)
    assert_translated(bo.get("/c/paper/members/"), status=403)
    Membership.objects.filter(pk=judged["bo"].pk).update(status="declined")
    assert_translated(bo.get("/c/paper/judge/"), status=403)
    Membership.objects.filter(pk=judged["bo"].pk).update(status="barred")
    assert_translated(bo.get("/c/paper/judge/"), status=403)
    offline = someone().get("/service-worker.js").content.decode().split("`")[-2]
    assert 'dir="rtl"' in offline and not escaped("".join(Visible(offline).said))
    strict = Client(enforce_csrf_checks=True, headers={"Accept-Language": LANGUAGE})
    assert_translated(strict.post("/login/", {}), status=403)


def test_the_pages_of_who_judges(judged: World) -> None:
    member, ada = judged["bo"], judged["ada"]
    client = someone(member.account)
    assert not escaped(re.sub("<[^>]*>", "", client.get("/c/paper/judge/guideline").json()["html"]))
    publish_guideline(lead=ada, source="Ω")
    assert "confirm" in assert_said_in_it(send(client, "/c/paper/judge/next"))
    assert_translated(client.get("/c/paper/guideline/"))
    Membership.objects.update(guideline_confirmed=1)
    assert_translated(client.get("/c/paper/judge/"))
    pairs = [task["pair"] for task in assert_said_in_it(send(client, "/c/paper/judge/next"))["tasks"]]
    assert_said_in_it(grade(client, "/c/paper/judge/grade", pairs[0], 2))
    assert_said_in_it(send(client, "/c/paper/judge/undo"))
    assert_said_in_it(send(client, "/c/paper/judge/undo"), status=409)
    assert_said_in_it(grade(client, "/c/paper/judge/grade", str(uuid.uuid4()), 2), status=409)
    assert_said_in_it(send(client, "/c/paper/judge/flag", pair=pairs[1], kind="question", note="Ω"))
    assert_said_in_it(send(client, "/c/paper/judge/flag", pair=pairs[2], kind="clip", note="Ω"))
    answer_question(lead=ada, question_id=Question.objects.get().pk, answer="Ω")
    answer_flag(member=ada, flag_id=Flag.objects.get().pk, outcome="returned", answer="Ω")
    post_notice(lead=ada, text="Ω")
    notices = client.get("/c/paper/judge/progress").json()["notices"]
    assert len(notices) == 3 and not escaped(" ".join(notice["text"] for notice in notices))
    for pair in pairs:
        assert_said_in_it(grade(client, "/c/paper/judge/grade", pair, 2))
    assert_said_in_it(send(client, "/c/paper/judge/next"))
    assert_translated(client.get("/c/paper/judge/time/"))
    assert_translated(client.get("/c/paper/releases/shared/"))
    Membership.objects.filter(pk=member.pk).update(status="paused")
    assert "empty" in assert_said_in_it(send(client, "/c/paper/judge/next"))


def test_the_way_of_an_applicant() -> None:
    world = build_world(queries=2, candidates=6, clips=True)
    Membership.objects.filter(role=Membership.Role.ANNOTATOR).update(status="applicant")
    client = someone(world["bo"].account)
    steps, at = "/c/paper/qualification/", "/c/paper/exam/"
    assert_translated(client.get(steps))
    assert_translated(client.get("/c/paper/training/"))
    exam = open_an_exam(world)
    publish_guideline(lead=world["ada"], source="Ω")
    assert_translated(client.get(steps))
    assert_translated(client.get("/c/paper/training/"))
    client.post("/c/paper/guideline/confirm", {"version": 1})
    assert_translated(client.get(steps))
    assert_translated(client.get("/c/paper/practice/"))
    tasks = assert_said_in_it(send(client, "/c/paper/practice/next"))["tasks"]
    assert_said_in_it(grade(client, "/c/paper/practice/grade", tasks[0]["pair"], 1))
    assert_translated(client.get(steps))
    WorkedItem.objects.update(use="example")
    for name, value in (("cy", 1), ("di", 1)):
        member = Membership.objects.select_related("collection").get(pk=world[name].pk)
        confirm_guideline(member=member, version=1)
        sitting = begin_exam(member=Membership.objects.select_related("collection").get(pk=member.pk))
        for item in items_left(sitting):
            answer_exam(sitting=sitting, item_id=item.public_id, grade=value, key=uuid.uuid4(), played=1.0)
        hand_in(sitting=sitting)
    client.post(at + "begin")
    assert_translated(client.get(at))
    body = assert_said_in_it(send(client, at + "next"))
    assert_translated(client.get(steps))
    while body["tasks"]:
        body = assert_said_in_it(grade(client, at + "grade", body["tasks"][0]["pair"], 4))
    assert_translated(client.get(steps))
    client.post(at + "hand-in")
    assert_translated(client.get(steps))
    close_cohort(exam=exam)
    assert_translated(client.get(steps))
    assert_translated(client.get(at + "feedback/"))
    assert_translated(client.get(at + "again/"))
    body = assert_said_in_it(send(client, at + "again/next"))
    assert_said_in_it(grade(client, at + "again/grade", body["tasks"][0]["pair"], 1))
    assert_translated(client.get(at + "feedback/"))
    publish_guideline(lead=world["ada"], source="ΩΩ", note="Ω")
    for status in ("admitted", "declined"):
        Membership.objects.filter(pk=world["bo"].pk).update(status=status)
        assert_translated(client.get(steps))
    assert_translated(client.get("/c/paper/guideline/"))


def test_trying_it_without_an_account() -> None:
    world = build_world(queries=2, candidates=8, clips=True)
    for query in world.queries:
        grade_batch(world, query.batches.get(), lambda rank: DISCARDED if rank == 8 else (rank % 5, rank % 5))
        type(query).objects.filter(pk=query.pk).update(text="Ω")
    for clip in Clip.objects.all():
        default_storage.save(clip.video_file, ContentFile(b"\0\0\0\x18ftypmp42"))
    configure(collection=world.collection, changes={"offers_tryout": "yes"})
    visitor = someone()
    assert_translated(visitor.get("/login/"))
    assert_translated(visitor.get("/try/"))
    body = assert_said_in_it(send(visitor, "/try/next"))
    while body["tasks"]:
        body = assert_said_in_it(grade(visitor, "/try/grade", body["tasks"][0]["pair"], 2))
    assert_translated(visitor.get("/try/result/"))


def test_an_english_word_would_be_found() -> None:
    assert escaped("\n".join(Visible('<p lang="en">Left out</p><p>Ω <b title="x">Here</b></p>').said)) == {"Here"}
    assert changed("Hi <b>%(name)s</b> %%") == "זח <b>%(name)s</b> %%".replace("זח", changed("Hi"))
