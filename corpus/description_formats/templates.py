"""A file to begin with, for each format: two or three rows that import as they are."""

import json
from collections.abc import Mapping
from typing import Any

POURS, DRINKS, GREETS = "Ada pours tea, and sits down.", "Ada drinks her tea.", "Bo says good morning to Cy."

_CSV = f"""video,start,end,text,id,kind,duration,language
kitchen-1,3.2,7,"{POURS}",k1-1,v,61.5,en
kitchen-1,0:08.5,0:12,{DRINKS},k1-2,v,61.5,en
garden,1:02,1:10.5,"Bo says ""good morning"" to Cy.",g-1,vt,,en
"""
_CHARADES_STA = """kitchen-1 3.2 7##person pours tea and sits down.
garden 62 70.5##person says good morning to another person.
"""
_JSONL = (
    {"video": "kitchen-1", "start": 3.2, "end": 7, "text": POURS, "id": "k1-1", "kind": "v", "duration": 61.5},
    {"video": "garden", "start": 62, "end": 70.5, "text": GREETS, "id": "g-1", "kind": "vt", "language": "en"},
)
_TVR = (
    {"vid_name": "kitchen-1", "duration": 61.5, "ts": [3.2, 7], "desc": POURS, "type": "v", "desc_id": 1},
    {"vid_name": "garden", "duration": 90, "ts": [62, 70.5], "desc": GREETS, "type": "vt", "desc_id": 2},
)
_QVHIGHLIGHTS = (
    {"qid": 1, "query": POURS, "duration": 150, "vid": "kitchen_0.0_150.0", "relevant_windows": [[2, 8], [20, 24]]},
    {"qid": 2, "query": GREETS, "duration": 150, "vid": "garden_0.0_150.0", "relevant_windows": [[62, 70]]},
)
_ACTIVITYNET = {
    "v_kitchen": {"duration": 61.5, "timestamps": [[3.2, 7], [8.5, 12]], "sentences": [POURS, DRINKS]},
    "v_garden": {"duration": 90, "timestamps": [[62, 70.5]], "sentences": [GREETS]},
}
_DIDEMO = (
    {"annotation_id": 1, "description": "ada pours tea", "video": "kitchen.avi", "times": [[0, 1], [0, 1], [0, 2]]},
    {"annotation_id": 2, "description": "bo waves", "video": "garden.avi", "times": [[3, 3]], "num_segments": 6},
)
_TACOS = {
    "s1.avi": {"timestamps": [[96, 210], [255, 360]], "sentences": [POURS, DRINKS], "fps": 30, "num_frames": 1845},
    "s2.avi": {"timestamps": [[1860, 2115]], "sentences": [GREETS], "fps": 30, "num_frames": 2700},
}
_MAD = {
    "1": {"movie": "10142", "movie_duration": 5400, "sentence": POURS, "timestamps": [63.2, 67]},
    "2": {"movie": "10142", "movie_duration": 5400, "sentence": DRINKS, "timestamps": [68.5, 72]},
}
_MEDVIDQA = tuple(
    {"sample_id": 1, "question": text, "video_id": name, "video_length": 90} | seconds
    for name, text, seconds in (
        ("kitchen", POURS, {"answer_start_second": 3, "answer_end_second": 7}),
        ("garden", GREETS, {"answer_start_second": 62, "answer_end_second": 70}),
    )
)
_QUERIES = (
    {"query": POURS, "clip_start_sec": 3.2, "clip_end_sec": 7},
    {"query": GREETS, "clip_start_sec": 62, "clip_end_sec": 70.5},
)
_CLIP = {"clip_uid": "kitchen-1", "video_start_sec": 0, "video_end_sec": 480}
_EGO4D = {"videos": [{"clips": [{**_CLIP, "annotations": [{"annotation_uid": "k1", "language_queries": _QUERIES}]}]}]}


def _document(value: object) -> str:
    return json.dumps(value, indent=1) + "\n"


def _lines(rows: tuple[dict[str, Any], ...]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


TEMPLATES: Mapping[str, tuple[str, str]] = {
    "csv": ("descriptions.csv", _CSV),
    "jsonl": ("descriptions.jsonl", _lines(_JSONL)),
    "tvr": ("tvr.jsonl", _lines(_TVR)),
    "charades-sta": ("charades-sta.txt", _CHARADES_STA),
    "activitynet": ("activitynet.json", _document(_ACTIVITYNET)),
    "didemo": ("didemo.json", _document(_DIDEMO)),
    "qvhighlights": ("qvhighlights.jsonl", _lines(_QVHIGHLIGHTS)),
    "tacos": ("tacos.json", _document(_TACOS)),
    "mad": ("mad.json", _document(_MAD)),
    "medvidqa": ("medvidqa.json", _document(_MEDVIDQA)),
    "ego4d-nlq": ("ego4d-nlq.json", _document(_EGO4D)),
}
"""By format: the file's name and its text."""
