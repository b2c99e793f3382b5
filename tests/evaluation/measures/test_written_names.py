"""Measures by their written names, and what is refused."""

from __future__ import annotations

from dataclasses import fields

import pytest

from evaluation import (
    EvaluationError,
    Threshold,
    parse_measure,
)
from evaluation.measures import Measure
from evaluation.measures.names import MEASURES
from tests.evaluation.measures.test_against_oracle import ALL


@pytest.mark.parametrize("name", [*ALL, "uAP,IoU>=0.5", "uAP(video)@5", "R@5,IoU>0.5,rel>=3", "P@10"])
def test_a_written_name_reads_back_as_itself(name: str) -> None:
    assert str(parse_measure(str(parse_measure(name)))) == str(parse_measure(name))
    assert parse_measure(str(parse_measure(name))) == parse_measure(name)


@pytest.mark.parametrize("measure", MEASURES.values())
def test_every_declared_option_and_part_of_a_measure_is_written_and_read_back(measure: type[Measure]) -> None:
    declared = {field.name: field for field in fields(measure)}
    parts = {"cutoff": 7, "iou": Threshold(0.25, strict=True), "last": 0.75, "least_grade": 2.0}
    numbers = {number.field: 0.5 for number in measure.NUMBERS.values()}
    values = numbers | {name: part for name, part in parts.items() if name in declared}
    plain = measure(**values)
    assert parse_measure(str(plain)) == plain
    for name, given_value in measure.OPTIONS.values():
        written = measure(**values | {name: given_value})
        assert parse_measure(str(written)) == written
        assert (str(written) == str(plain)) == (given_value == declared[name].default)
    of_options = {name for name, _ in measure.OPTIONS.values()} | numbers.keys()
    assert declared.keys() <= parts.keys() | of_options, "a field that no written name can set"


def test_a_fault_is_told_with_every_form_of_its_measure_and_of_no_other() -> None:
    with pytest.raises(EvaluationError) as refused:
        parse_measure("mAP(interpolated)@5")
    assert str(refused.value) == (
        "'mAP(interpolated)@5': the boundary IoU>mu or IoU>=mu is missing; it is written mAP,IoU>=mu or mAP(video) or "
        "mAP(condensed),IoU>=mu or mAP(interpolated)@K,IoU>=mu or mAP(interpolated)@K,IoU>=mu:nu"
    )


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("NDCG@20", "IoU>mu or IoU>=mu is missing"),
        ("NDCG,IoU>=0.5", "cutoff @K is missing"),
        ("NCxIoU@5", "persistence is missing"),
        ("NCxIoU(persistence=1.5)@5", "at most at 1, not at 1.5"),
        ("AP(misses)@5,IoU>0.5", r"\(misses\) is not an option"),
        ("NDCG@0,IoU>=0.5", "at least 1"),
        ("AxIoU@9999999", "at most 1,000,000"),
        ("NDCG@5,IoU>=1.5", "between 0 and 1"),
        ("NDCG@5,IoU=0.5", "'IoU=0.5' is not understood"),
        ("NDCG@5,IoU>=0.5,IoU>=0.7", "not understood"),
        ("NDCG(gain=log)@5,IoU>=0.5", r"\(gain=log\) is not an option"),
        ("NDCG@5,IoU>=0.5,rel>=2", "rel>=g has no meaning"),
        ("AxIoU@5,IoU>0.5", "no IoU boundary"),
        ("mAP", "is missing"),
        ("mAP(interpolated)", "is missing"),
        ("mAP,IoU>=0.5:0.95", "only mAP.interpolated. is a mean over several"),
        ("mAP(interpolated),IoU>=0.5:0.4", "the last IoU is above 0.5"),
        ("R@5,IoU>0.5,rel>=0", "g above 0"),
        ("NDGC@5,IoU>=0.5", "not a known measure"),
        ("", "not a known measure"),
        ("R @5,IoU>0.5", "is not a measure; expected one of .*NDCG@K,IoU>=mu"),
        ("R@5,IoU>0.5,rel>=2,rel>=3", "'rel>=3' is not understood"),
        ("RBP(p=much),IoU>=0.5", r"\(p=much\) is not an option"),
    ],
)
def test_a_wrong_name_is_refused_with_its_reason(name: str, why: str) -> None:
    with pytest.raises(EvaluationError, match=why):
        parse_measure(name)
