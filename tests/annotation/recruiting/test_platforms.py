"""What an address says and where a session leads back to: rules without a database."""

import pytest

from annotation.recruiting.platforms import (
    PRESETS,
    PREVIEW,
    Ids,
    Names,
    entry_query,
    filled_address,
    read_ids,
    refuse_unsigned,
    signature_of,
)
from annotation.recruiting.typed import read_names, read_return_address
from foundation.refused import Refused

PROLIFIC = PRESETS["prolific"].names
MTURK = PRESETS["mturk"].names
CAME = {"PROLIFIC_PID": ["5f2a"], "SESSION_ID": ["66a1"], "STUDY_ID": ["77b2"]}
ACCEPTED = {"workerId": ["A1"], "assignmentId": ["3X"], "hitId": ["3H"], "turkSubmitTo": ["https://www.mturk.com/"]}


def test_each_platform_s_parameters_become_ids() -> None:
    assert read_ids(CAME, PROLIFIC) == Ids("5f2a", "66a1", "77b2")
    assert read_ids(ACCEPTED, MTURK, mturk=True) == Ids("A1", "3X", "3H", "https://www.mturk.com")
    assert read_ids({"id": ["1234"]}, PRESETS["sona"].names) == Ids("1234")


def test_a_preview_is_nobody_s() -> None:
    preview = read_ids({"assignmentId": [PREVIEW], "hitId": ["3H"]}, MTURK, mturk=True)
    assert preview.preview and not preview.person


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({}, "needs PROLIFIC_PID once, and has it 0 times"),
        ({**CAME, "PROLIFIC_PID": [""]}, "has it 0 times"),
        ({**CAME, "SESSION_ID": ["1", "2"]}, "needs SESSION_ID once, and has it 2 times"),
        ({**CAME, "PROLIFIC_PID": ["{{%PROLIFIC_PID%}}"]}, "expected an id of at most 100"),
        ({**CAME, "PROLIFIC_PID": ["anna@example.org"]}, "expected an id"),
        ({**CAME, "PROLIFIC_PID": ["a" * 101]}, "expected an id"),
        ({**CAME, "PROLIFIC_PID": ["a\x00b"]}, "expected an id"),
        ({**CAME, "PROLIFIC_PID": ["<script>"]}, "expected an id"),
        ({**CAME, "PROLIFIC_PID": ["аbc"]}, "expected an id"),
        ({**CAME, "PROLIFIC_PID": ["=1+1"]}, "expected an id"),
    ],
    ids=str,
)
def test_what_is_no_id_is_refused_with_what_was_found(sent: dict[str, list[str]], said: str) -> None:
    with pytest.raises(Refused, match=said):
        read_ids(sent, PROLIFIC)


@pytest.mark.parametrize(
    "host",
    [
        [],
        ["https://www.mturk.com", "https://www.mturk.com"],
        ["https://evil.example"],
        ["http://www.mturk.com"],
        ["https://www.mturk.com.evil.example"],
        ["https://www.mturk.com@evil.example"],
        ["//www.mturk.com"],
        ["javascript:alert(1)"],
    ],
    ids=str,
)
def test_a_form_is_sent_to_amazon_s_hosts_alone(host: list[str]) -> None:
    with pytest.raises(Refused, match="turkSubmitTo"):
        read_ids({**ACCEPTED, "turkSubmitTo": host}, MTURK, mturk=True)


@pytest.mark.parametrize(
    "address",
    [
        "https://app.prolific.com/submissions/complete?cc={code}",
        "https://pool.example:8443/credit?experiment=1&survey_code={person}",
        "",
    ],
)
def test_a_return_address_may_leave_ids_open(address: str) -> None:
    assert read_return_address(f"  {address} ") == address


@pytest.mark.parametrize(
    "address",
    [
        "http://app.prolific.com/?cc={code}",
        "javascript:alert(1)",
        "//evil.example/{code}",
        "https://{person}/",
        "https://x.{code}.org/",
        "https://me:secret@x.org/",
        "https://x.org/#{code}",
        "https://x.org/{worker}",
        "https://x.org/{code",
        "https://x.org/ {code}",
        'https://x.org/"{code}',
        "https://x.org:0/",
        "https://[::1/",
        "https://ü.example/",
        "complete",
        "https://x.org/" + "a" * 500,
    ],
    ids=lambda address: address[:40],
)
def test_what_leads_elsewhere_is_no_return_address(address: str) -> None:
    with pytest.raises(Refused):
        read_return_address(address)


def test_no_id_changes_where_a_return_address_leads() -> None:
    filled = filled_address("https://x.org/{person}?cc={code}", person="../../evil", code="a&b#c")
    assert filled == "https://x.org/..%2F..%2Fevil?cc=a%26b%23c"


def test_names_of_parameters_are_checked() -> None:
    assert read_names(Names(" pid ", "sid")) == Names("pid", "sid")
    for names in (Names(""), Names("pid", "pid"), Names("a b"), Names("signature"), Names("1"), Names("p", "s&t")):
        with pytest.raises(Refused):
            read_names(names)


def test_the_entry_has_the_platform_s_own_placeholders() -> None:
    assert entry_query("prolific", PROLIFIC) == (
        "?PROLIFIC_PID={{%PROLIFIC_PID%}}&SESSION_ID={{%SESSION_ID%}}&STUDY_ID={{%STUDY_ID%}}"
    )
    assert entry_query("mturk", MTURK) == "", "Mechanical Turk adds them by itself"


def test_only_the_platform_s_signature_opens_a_signed_address() -> None:
    ids = Ids("p1", "s1")
    right = signature_of("key", ids)
    refuse_unsigned({"signature": [right]}, "key", ids)
    for sent in ([], [right, right], ["é"], [signature_of("other", ids)], [signature_of("key", Ids("p2", "s1"))]):
        with pytest.raises(Refused, match="hasn't signed"):
            refuse_unsigned({"signature": sent}, "key", ids)
    # Moving a letter from one id to the other is another text.
    assert signature_of("key", Ids("p1s", "1")) != right
