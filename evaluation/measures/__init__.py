"""The measures: one small value object a measure, parsed from the name people write."""

from evaluation.measures.average_precision import AP
from evaluation.measures.axiou import AxIoU
from evaluation.measures.bpref import Bpref
from evaluation.measures.dcg import DCG
from evaluation.measures.inferred_ap import InfAP
from evaluation.measures.interpolated_map import InterpolatedMAP
from evaluation.measures.judged import Judged
from evaluation.measures.mean_average_precision import MAP
from evaluation.measures.mean_iou import MeanIoU
from evaluation.measures.measure import Measure
from evaluation.measures.micro_average_precision import MicroAP
from evaluation.measures.names import parse_measure
from evaluation.measures.ncxiou import NCxIoU
from evaluation.measures.ndcg import NDCG
from evaluation.measures.plain import Plain
from evaluation.measures.rank_biased_precision import RBP
from evaluation.measures.recall import Recall
from evaluation.measures.svmr import SVMR
from evaluation.measures.vcmr import VCMR
from evaluation.measures.video_recall import VideoRecall

__all__ = [
    "AP",
    "DCG",
    "MAP",
    "NDCG",
    "RBP",
    "SVMR",
    "VCMR",
    "AxIoU",
    "Bpref",
    "InfAP",
    "InterpolatedMAP",
    "Judged",
    "MeanIoU",
    "Measure",
    "MicroAP",
    "NCxIoU",
    "Plain",
    "Recall",
    "VideoRecall",
    "parse_measure",
]
