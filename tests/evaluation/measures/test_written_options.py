"""What may stand in a measure's parentheses."""

from __future__ import annotations

import pytest

from evaluation import EvaluationError, parse_measure


@pytest.mark.parametrize(
    ("written", "same"),
    [
        ('NDCG(gain="exp")@20,IoU>=0.5', "NDCG(gain=exp)@20,IoU>=0.5"),
        ("NDCG(gain = 'exp', unjudged='condensed')@20,IoU>=0.5", "NDCG(gain=exp,condensed)@20,IoU>=0.5"),
        ('NDCG(cutoff=20, iou=">=0.5")', "NDCG@20,IoU>=0.5"),
        ("R(iou='IoU>0.7', least_grade=2)@5", "R@5,IoU>0.7,rel>=2"),
        ("DCG(graded=True)@5", "DCG(graded)@5"),
        ("DCG(graded=False)@5", "DCG@5"),
        ("RBP(persistence=0.8),IoU>=0.5", "RBP(p=0.8),IoU>=0.5"),
        ("RBP(p='0.8'),IoU>=0.5", "RBP(p=0.8),IoU>=0.5"),
        ("mAP(interpolated)@10,IoU>=0.5:0.95", "mAP(interpolated)@10,IoU>=0.5:0.95"),
        ("AP(over=hits)@5,IoU>0.5", "AP(hits)@5,IoU>0.5"),
    ],
)
def test_options_are_read_quoted_and_by_the_fields_name(written: str, same: str) -> None:
    assert parse_measure(written) == parse_measure(same)
    assert str(parse_measure(written)) == same


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ('NDCG(gain="log")@5,IoU>=0.5', "(gain=log) is not an option of it; its options are gain=exp, gain=linear, "),
        ("NDCG(depth=5),IoU>=0.5", 'condensed, low, high, cutoff=K, iou=">=mu", gain=linear|exp, unjudged=zero|'),
        ("RBP(weight=2),IoU>=0.5", 'its options are graded, residual, p=x, persistence=x, iou=">=mu", cutoff=K, '),
        ("NDCG(cutoff=x,iou='>0.5')", "(cutoff=x) is not an option"),
        ("NDCG(cutoff=5)@5,IoU>=0.5", "(cutoff=5) is not an option"),
        ("NDCG(iou=0.5)@5", "(iou=0.5) is not an option"),
        ("NDCG(cutoff=0,iou='>=0.5')", "the cutoff K is at least 1"),
        (
            "DCG(graded=maybe)@5",
            "(graded=maybe) is not an option of it; its options are graded, cutoff=K, graded=True|False",
        ),
        ("DCG(graded,graded=True)@5", "(graded=True) is not an option"),
    ],
)
def test_a_fault_lists_what_the_measure_declares(written: str, why: str) -> None:
    with pytest.raises(EvaluationError) as refused:
        parse_measure(written)
    assert why in str(refused.value)
