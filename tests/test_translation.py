"""Translations: gathered, compiled, complete for annotators, and true to their originals' placeholders."""

import ast
import re
import subprocess
from string import Formatter

import pytest
from babel.messages.catalog import Catalog, Message

from tests.messages import (
    DOMAINS,
    LEADS,
    ROOT,
    files_of,
    for_leads_alone,
    gathered,
    languages,
    left_to_translate,
    messages_in,
    mo_bytes,
    po_bytes,
    po_path,
    read_catalog,
    updated,
)

RUN = "run script/messages, and translate what is new (docs/translating.md)"


@pytest.fixture(scope="module")
def templates() -> dict[str, Catalog]:
    """The sources' messages by domain."""
    return {domain: gathered(domain) for domain in DOMAINS}


def test_the_languages_of_the_settings_are_those_with_catalogs(settings) -> None:
    assert settings.USE_I18N
    codes = {code.replace("zh-hans", "zh_Hans") for code, _ in settings.LANGUAGES} - {settings.LANGUAGE_CODE}
    assert codes == set(languages()) >= {"de", "es", "zh_Hans"}


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("locale", languages())
def test_a_catalog_is_what_the_sources_say(templates: dict[str, Catalog], locale: str, domain: str) -> None:
    # Compared before it is asserted: pytest would look for minutes how two catalogs differ.
    is_current = po_path(locale, domain).read_bytes() == po_bytes(updated(locale, domain, templates[domain]))
    compiled = po_path(locale, domain).with_suffix(".mo").read_bytes()
    is_compiled = compiled == mo_bytes(read_catalog(locale, domain))
    assert is_current and is_compiled, f"{locale} {domain}: {RUN}"


def test_no_sentence_stands_inside_an_f_string() -> None:
    """Python 3.11 takes an f-string for one token: what is translated in it is gathered by later Pythons alone."""
    for name in subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True).stdout.split():
        if name.startswith("tests/") or not (ROOT / name).exists():
            continue
        for node in ast.walk(ast.parse((ROOT / name).read_text())):
            inside = ast.walk(node) if isinstance(node, ast.JoinedStr) else ()
            calls = {getattr(call.func, "id", "") for call in inside if isinstance(call, ast.Call)}
            assert not calls & {"_", "gettext", "ngettext", "pgettext", "gettext_lazy", "ngettext_lazy"}, (
                name,
                node.lineno,
            )


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("locale", languages())
def test_whatever_an_annotator_reads_is_translated(locale: str, domain: str) -> None:
    left = left_to_translate(read_catalog(locale, domain))
    needed = [one.id for one in left if not for_leads_alone([file for file, _ in one.locations])]
    assert not needed, f"{locale}: {RUN}"


def placeholders(text: str, domain: str) -> set[str]:
    """The places that are filled in, and the tags and addresses in HTML."""
    tags = set(re.findall(r"<[^>]*>", text))
    if domain == "djangojs":
        return tags | {name for _, name, _, _ in Formatter().parse(text) if name is not None}
    return tags | set(re.findall(r"%(?:\(\w+\))?[sd]|%%|\{\w*\}", text))


def wrong_placeholders(message: Message, domain: str) -> list[tuple[object, object]]:
    """The translations of a message that lose, add or change a place to be filled in."""
    one, *many = message.id if isinstance(message.id, tuple) else (message.id,)
    wanted = placeholders(many[0] if many else one, domain)
    said = message.string if isinstance(message.string, tuple) else (message.string,)
    # A form for one thing may leave the number out.
    return [
        (one, form)
        for place, form in enumerate(said)
        if form and (found := placeholders(form, domain)) != wanted and not (many and place == 0 and found < wanted)
    ]


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("locale", languages())
def test_a_translation_has_the_placeholders_of_its_original(locale: str, domain: str) -> None:
    catalog = read_catalog(locale, domain)
    assert not [pair for message in catalog if message.id for pair in wrong_placeholders(message, domain)]


def test_what_only_leads_read_is_still_there() -> None:
    known = [path.relative_to(ROOT).as_posix() for path in (ROOT / "templates").rglob("*")]
    known += [path.relative_to(ROOT).as_posix() for domain in DOMAINS for path in files_of(domain)]
    assert [start for start in LEADS if not any(path.startswith(start) for path in known)] == []


def sentences_in(script: str) -> set[str]:
    """The string literals of a script that look like words for people: several words, or one that is shown."""
    code = re.sub(r"/\*.*?\*/|(?m:^\s*//[^\n]*$)", "", script, flags=re.DOTALL)
    said = set(re.findall(r'"([A-Z][^"]* [^"]*)"', code)) | set(re.findall(r"`([^`\n;>]*[a-z] [a-z][^`\n;>]*)`", code))
    return said | set(
        re.findall(r'\b(?:say|tell|put|textContent =|placeholder =|title =)\s*\(?"([^"]*[A-Za-z]{2}[^"]*)"', code)
    )


def test_annotators_scripts_say_nothing_that_is_not_marked() -> None:
    found = set()
    for path in files_of("djangojs"):
        if not for_leads_alone([path.relative_to(ROOT).as_posix()]):
            marked = {
                form
                for one in messages_in(path)
                for form in ([one.message] if isinstance(one.message, str) else one.message)
            }
            found |= {(path.name, text) for text in sentences_in(path.read_text()) - marked}
    assert not found
    assert sentences_in('// What it says.\nsay("taken back"); x = `${n} were sent`; y = "A b";') == {
        "taken back",
        "${n} were sent",
        "A b",
    }


def test_a_lost_placeholder_would_be_found() -> None:
    assert wrong_placeholders(Message("%(n)s of <b>%(all)s</b>", "%(n)s de %(all)s"), "django")
    assert wrong_placeholders(Message("{count} saved", "gespeichert"), "djangojs")
    assert not wrong_placeholders(Message(("One %(n)s", "%(n)s all"), ("Eine", "%(n)s alle")), "django")


def test_messages_are_found_in_templates_python_and_scripts(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("tests.messages.ROOT", tmp_path)
    for name, text in {
        "templates/a.html": '<p>\n   {% translate "Isn\'t it" context "c" %}{% blocktranslate count n=x trimmed %}'
        "\n One <b>{{ n }}</b>\n {% plural %}\n {{ n }} many\n{% endblocktranslate %}</p>",
        "corpus/b.py": 'def f():\n    return _("A long "\n        "sentence.")\n',
        "static/js/c.js": 'say(ngettext("{count} clip", "{count} clips", n)); `${x} y`; gettext("It\'s", { a });',
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
        found = [(one.context, one.message) for one in messages_in(path)]
        assert (
            found
            == {
                "templates/a.html": [("c", "Isn't it"), (None, ("One <b>%(n)s</b>", "%(n)s many"))],
                "corpus/b.py": [(None, "A long sentence.")],
                "static/js/c.js": [(None, ("{count} clip", "{count} clips")), (None, "It's")],
            }[name]
        )
