"""Whether a text plainly isn't English: never what a worker types in haste, nearly always another language."""

import json

import pytest

from queries.language.spoken import is_plainly_not_english, known_languages, knows
from tests.paths import DATA, NO_DATA

TVR = DATA / "tvr" / "tvr_val_part.jsonl"
OTHERS = {
    "de": (
        "Eine Frau stellt die Tasse auf den Tisch; dann geht sie.",
        "Zwei Kinder spielen im Garten Ball.",
        "Das Auto hält an der Ampel.",
    ),
    "es": (
        "Una mujer pone la taza sobre la mesa y luego se va.",
        "El perro cruza la calle.",
        "Ana le da un libro a Pedro.",
    ),
    "fr": (
        "Une femme pose la tasse sur la table, puis elle s'en va.",
        "Le chien traverse la rue.",
        "Quelqu'un frappe à la fenêtre.",
    ),
    "zh": ("一个女人把杯子放在桌子上，然后离开了。", "有人敲窗户。"),
    "it": ("Una donna mette la tazza sul tavolo e poi se ne va.",),
    "pt": ("Uma mulher coloca a xícara na mesa e depois sai.",),
    "nl": ("Een vrouw zet de kop op de tafel en gaat dan weg.",),
    "pl": ("Kobieta stawia filiżankę na stole i wychodzi.",),
    "tr": ("Bir kadın fincanı masaya koyar, sonra gider.",),
    "vi": ("Một người phụ nữ đặt cốc lên bàn rồi bỏ đi.",),
    "ru": ("Женщина ставит чашку на стол и уходит.",),
    "ar": ("امرأة تضع الكوب على الطاولة ثم تغادر.",),
    "ja": ("女性がカップをテーブルに置いて、立ち去る。",),
    "hi-Latn": ("Ek aurat mez par pyala rakhti hai aur phir chali jati hai.",),
    "ru-Latn": ("Zhenshchina stavit chashku na stol i ukhodit.",),
    "zh-Latn": ("Yi ge nu ren ba bei zi fang zai zhuo zi shang, ran hou li kai le.",),
}
ENGLISH = (
    "Ross nods.",
    "He sneezes.",
    "Beckett interrogates suspect",
    "The male dectective detains Seth agianst the car.",
    "he dnt knw wht to do wth the dor",
    "The anaesthetist intubates a tachycardic patient.",
    "Kutner hands Volakis a cup.",
    "WOMAN PUTS THE CUP DOWN",
    "Die Hard is on TV and Monica eats a croissant.",
    "",
    "...",
    "7",
)


@pytest.mark.parametrize("language", OTHERS)
def test_another_language_is_told_from_english(language: str) -> None:
    assert [text for text in OTHERS[language] if not is_plainly_not_english(text)] == []


@pytest.mark.parametrize("text", ENGLISH)
def test_short_odd_and_mistyped_english_is_english(text: str) -> None:
    assert not is_plainly_not_english(text)


@pytest.mark.skipif(not TVR.is_file(), reason=NO_DATA)
def test_no_worker_s_english_is_taken_for_something_else() -> None:
    texts = [json.loads(line)["desc"] for line in TVR.read_text().splitlines()]
    assert [text for text in texts if is_plainly_not_english(text)] == []


def test_a_language_is_known_by_its_tag_or_a_wider_one() -> None:
    assert knows(["en"], "en-GB") and knows(["en", "de"], "DE-at") and knows(["*"], "und")
    assert not knows(["en"], "enm") and not knows(["en-GB"], "en") and not knows(["en"], "und")
    assert known_languages("NER_LANGUAGES", {}) == ("en",)
    assert known_languages("NER_LANGUAGES", {"NER_LANGUAGES": "en, de"}) == ("en", "de")
