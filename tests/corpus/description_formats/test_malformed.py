"""Broken description files of every format, each with the whole message that its import is refused with."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from corpus.description_formats import FORMATS, BadFile
from corpus.description_formats.fields import CLOCK
from corpus.description_import.import_descriptions import import_descriptions
from corpus.models import Description, Moment, Video
from foundation.models import Collection
from tests.corpus.conftest import row

nan, inf = float("nan"), float("inf")


class Broken(NamedTuple):
    format: str
    name: str
    content: bytes
    message: str


def _dumped(made: dict[str, Any], changes: dict[str, Any]) -> bytes:
    return json.dumps({field: value for field, value in {**made, **changes}.items() if value is not ...}).encode()


def tvr(**changes: Any) -> bytes:
    return json.dumps(row(1, **changes)).encode()


def net(**changes: Any) -> bytes:
    return (
        b'{"v_film": ' + _dumped({"duration": 60, "timestamps": [[0, 5]], "sentences": ["Ada waits."]}, changes) + b"}"
    )


def did(**changes: Any) -> bytes:
    made = {"annotation_id": 7, "description": "ada waits", "video": "film.avi", "times": [[0, 1]], "num_segments": 6}
    return b"[" + _dumped(made, changes) + b"]"


def qv(**changes: Any) -> bytes:
    windows = [[0, 4], [8, 10]]
    made = {"qid": 9, "query": "Ada waits.", "vid": "film", "duration": 60, "relevant_windows": windows}
    return _dumped(made, changes)


def tac(**changes: Any) -> bytes:
    made = {"timestamps": [[0, 60]], "sentences": ["Ada waits."], "fps": 30, "num_frames": 900}
    return b'{"film.avi": ' + _dumped(made, changes) + b"}"


def mad(**changes: Any) -> bytes:
    made = {"movie": "film", "movie_duration": 60, "sentence": "Ada waits.", "timestamps": [0, 5]}
    return b'{"7": ' + _dumped(made, changes) + b"}"


def med(**changes: Any) -> bytes:
    made = {"sample_id": 1, "question": "How?", "video_id": "film", "video_length": 60}
    return b"[" + _dumped(made | {"answer_start_second": 0, "answer_end_second": 5}, changes) + b"]"


def ego(query: dict[str, Any] | None = None, **changes: Any) -> bytes:
    asked = json.loads(_dumped({"query": "How?", "clip_start_sec": 0, "clip_end_sec": 5}, query or {}))
    annotations = [{"annotation_uid": "ann", "language_queries": [asked]}]
    clip = {"clip_uid": "film", "video_start_sec": 30, "video_end_sec": 90, "annotations": annotations}
    return b'{"videos": [{"clips": [' + _dumped(clip, changes) + b"]}]}"


def own(**changes: Any) -> bytes:
    return _dumped({"video": "film", "start": 1, "end": 2.5, "text": "Ada waits."}, changes)


# A case a line, however long.
# fmt: off
BROKEN = [
    # --- tvr ---
    Broken("tvr", 'nothing at all', b'', 'file, line 1, file: found no description, expected at least one'),
    Broken("tvr", 'empty lines only', b'\n \n\n', 'file, line 1, file: found no description, expected at least one'),
    Broken("tvr", 'not JSON', b'once upon a time', "file, line 1, JSON: found 'once upon a time', expected one JSON object a line"),
    Broken("tvr", 'half a line', b'{"vid_name": "film", ', 'file, line 1, JSON: found \'{"vid_name": "film",\', expected one JSON object a line'),
    Broken("tvr", 'a list', b'[1, 2]', 'file, line 1, JSON: found [1, 2], expected one JSON object a line'),
    Broken("tvr", 'a bare text', b'"film"', "file, line 1, JSON: found 'film', expected one JSON object a line"),
    Broken("tvr", 'brackets nested too deep', b'[' * 100_000, "file, line 1, JSON: found '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[..., expected one JSON object a line"),
    Broken("tvr", 'a number of 5,000 digits', b'{"desc_id": ' + b'9' * 5000 + b'}', 'file, line 1, JSON: found \'{"desc_id": 9999999999999999999999999999999999999999999999999999999999999999..., expected one JSON object a line'),
    Broken("tvr", 'a line that never ends', b'x' * 1_000_001, "file, line 1, line: found 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..., expected at most 1,000,000 bytes a line"),
    Broken("tvr", 'no video', tvr(vid_name=...), 'file, line 1, vid_name: found nothing, expected the fields vid_name, ts, desc, type, desc_id'),
    Broken("tvr", 'no times', tvr(ts=...), 'file, line 1, ts: found nothing, expected the fields vid_name, ts, desc, type, desc_id'),
    Broken("tvr", 'no text', tvr(desc=...), 'file, line 1, desc: found nothing, expected the fields vid_name, ts, desc, type, desc_id'),
    Broken("tvr", 'no kind', tvr(type=...), 'file, line 1, type: found nothing, expected the fields vid_name, ts, desc, type, desc_id'),
    Broken("tvr", 'no id', tvr(desc_id=...), 'file, line 1, desc_id: found nothing, expected the fields vid_name, ts, desc, type, desc_id'),
    Broken("tvr", 'the end before the start', tvr(ts=[3, 2]), 'file, line 1, ts: found [3, 2], expected a start before the end'),
    Broken("tvr", 'the end at the start', tvr(ts=[2, 2.0]), 'file, line 1, ts: found [2, 2.0], expected a start before the end'),
    Broken("tvr", 'a negative time', tvr(ts=[-0.5, 2]), 'file, line 1, ts: found [-0.5, 2], expected [start, end] in seconds, finite and not negative'),
    Broken("tvr", 'a time that is no number', tvr(ts=[nan, 2]), 'file, line 1, ts: found [nan, 2], expected [start, end] in seconds, finite and not negative'),
    Broken("tvr", 'a time without end', tvr(ts=[1, inf]), 'file, line 1, ts: found [1, inf], expected [start, end] in seconds, finite and not negative'),
    Broken("tvr", 'a time as text', tvr(ts=["1", "2"]), "file, line 1, ts: found ['1', '2'], expected [start, end] in seconds, finite and not negative"),
    Broken("tvr", 'a boolean time', tvr(ts=[False, True]), 'file, line 1, ts: found [False, True], expected [start, end] in seconds, finite and not negative'),
    Broken("tvr", 'three times', tvr(ts=[1, 2, 3]), 'file, line 1, ts: found [1, 2, 3], expected [start, end] in seconds, finite and not negative'),
    Broken("tvr", 'one time', tvr(ts=7), 'file, line 1, ts: found 7, expected [start, end] in seconds, finite and not negative'),
    Broken("tvr", 'a huge time', tvr(ts=[1, 10**400]), 'file, line 1, ts: found [1, 1000000000000000000000000000000000000000000000000000000000000000000000000..., expected [start, end] in seconds, finite and not negative'),
    Broken("tvr", 'an end past the slack', tvr(ts=[50, 61.5]), "file, line 1, ts: found [50, 61.5], expected an end within the video's 60 s (slack 1 s)"),
    Broken("tvr", 'a duration of 0', tvr(duration=0), 'file, line 1, duration: found 0, expected seconds, more than 0'),
    Broken("tvr", 'a duration as text', tvr(duration="60"), "file, line 1, duration: found '60', expected seconds, more than 0"),
    Broken("tvr", 'an endless duration', tvr(duration=inf), 'file, line 1, duration: found inf, expected seconds, more than 0'),
    Broken("tvr", 'an empty text', tvr(desc=" \t"), "file, line 1, desc: found ' \\t', expected a sentence"),
    Broken("tvr", 'a text that is a number', tvr(desc=5), 'file, line 1, desc: found 5, expected a sentence'),
    Broken("tvr", 'a NUL in the text', tvr(desc="Ada\x00."), "file, line 1, desc: found 'Ada\\x00.', expected a sentence"),
    Broken("tvr", 'half a character in the text', tvr(desc="Ada\ud83d."), "file, line 1, desc: found 'Ada\\ud83d.', expected a sentence"),
    Broken("tvr", 'an id that is half a character', tvr(desc_id="\ud800"), "file, line 1, desc_id: found '\\ud800', expected a whole number or a text"),
    Broken("tvr", "half a character in the video's name", tvr(vid_name="\udc00"), "file, line 1, vid_name: found '\\udc00', expected a name of 1 to 200 characters"),
    Broken("tvr", 'an unknown kind', tvr(type="V"), "file, line 1, type: found 'V', expected one of v, t, vt"),
    Broken("tvr", 'a list of kinds', tvr(type=["v"]), "file, line 1, type: found ['v'], expected one of v, t, vt"),
    Broken("tvr", 'not UTF-8', b'{"desc": "caf\xe9"}', "file, line 1, encoding: found b'\\xe9', expected UTF-8 (byte 14)"),
    Broken("tvr", 'UTF-16 that ends within a letter', tvr().decode().encode('utf-16')[:-1], "file, line 1, encoding: found bytes without a meaning, expected UTF-16"),
    Broken("tvr", 'a boolean id', tvr(desc_id=True), 'file, line 1, desc_id: found True, expected a whole number or a text'),
    Broken("tvr", 'an id with a fraction', tvr(desc_id=1.5), 'file, line 1, desc_id: found 1.5, expected a whole number or a text'),
    Broken("tvr", 'an empty id', tvr(desc_id=" "), "file, line 1, desc_id: found ' ', expected a whole number or a text"),
    Broken("tvr", 'an over-long id', tvr(desc_id="x" * 65), "file, line 1, desc_id: found 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', expected at most 64 characters"),
    Broken("tvr", 'a huge id', tvr(desc_id=10**64), 'file, line 1, desc_id: found 10000000000000000000000000000000000000000000000000000000000000000, expected at most 64 characters'),
    Broken("tvr", 'an over-long video name', tvr(vid_name="x" * 201), "file, line 1, vid_name: found 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..., expected a name of 1 to 200 characters"),
    Broken("tvr", 'an id twice with another text', tvr() + b'\n' + tvr(desc='Ada sings.'), "file, line 2, id: found '1' with other content, expected an id of its own (line 1 has it too)"),
    Broken("tvr", 'another duration of one video', tvr() + b'\n' + tvr(desc_id=2, duration=61), 'file, line 2, duration: found 61 s, expected 60 s, as another row says of film'),
    Broken("tvr", 'a row without duration that ends past its video', tvr() + b'\n' + tvr(desc_id=2, ts=[50, 90], duration=...), "file, line 2, ts: found [50, 90], expected an end within the video's 60 s (slack 1 s)"),
    # --- charades-sta ---
    Broken("charades-sta", 'no sentence mark', b'3MSZA 24.3 30.4 person turn a light on.', "file, line 1, line: found '3MSZA 24.3 30.4 person turn a light on.', expected VIDEO START END##SENTENCE"),
    Broken("charades-sta", 'two words before the mark', b'3MSZA 24.3##person turn a light on.', "file, line 1, line: found '3MSZA 24.3##person turn a light on.', expected VIDEO START END##SENTENCE"),
    Broken("charades-sta", 'an empty sentence', b'3MSZA 24.3 30.4## ', "file, line 1, sentence: found ' ', expected a sentence"),
    Broken("charades-sta", 'a start in words', b'3MSZA soon 30.4##person turn a light on.', "file, line 1, start: found 'soon', expected a number of seconds, 0 or more"),
    Broken("charades-sta", 'a decimal comma', b'3MSZA 24,3 30.4##person turn a light on.', "file, line 1, start: found '24,3', expected a number of seconds, 0 or more"),
    Broken("charades-sta", 'a negative start', b'3MSZA -1 30.4##person turn a light on.', 'file, line 1, start: found -1.0, expected a number of seconds, 0 or more'),
    Broken("charades-sta", 'the end before the start', b'3MSZA 30.4 24.3##person turn a light on.', 'file, line 1, end: found 24.3, expected an end after the start (30.4 s)'),
    Broken("charades-sta", 'NaN', b'3MSZA nan 30.4##person turn a light on.', 'file, line 1, start: found nan, expected a number of seconds, 0 or more'),
    Broken("charades-sta", 'infinity', b'3MSZA 24.3 inf##person turn a light on.', 'file, line 1, end: found inf, expected a number of seconds, 0 or more'),
    Broken("charades-sta", 'a number with an underscore', b'3MSZA 1_0 30.4##person turn a light on.', "file, line 1, start: found '1_0', expected a number of seconds, 0 or more"),
    Broken("charades-sta", 'JSON instead', b'{"vid_name": "film", "duration": 60.0, "ts": [1, 3.5], "desc": "Ada opens door 1.", "type": "v", "desc_id": 1}', 'file, line 1, line: found \'{"vid_name": "film", "duration": 60.0, "ts": [1, 3.5], "desc": "Ada opens do..., expected VIDEO START END##SENTENCE'),
    Broken("charades-sta", 'UTF-8 that is broken once', b'3MSZA 24.3 30.4##a caf\xe9.\n' + '3MSZA 24.3 30.4##\u5973\u5750.'.encode(), "file, line 1, encoding: found b'\\xe9', expected UTF-8 (byte 23)"),
    Broken("charades-sta", 'a charset that is neither UTF-8 nor Windows-1252', '3MSZA 24.3 30.4##\u0410\u0434\u0430 \u043f\u044c\u0435\u0442 \u0447\u0430\u0439.'.encode('cp1251'), "file, line 1, encoding: found b'3MSZA 24.3 30.4##\\xc0\\xe4\\xe0 \\xef\\xfc\\xe5\\xf2 \\xf7\\xe0\\xe9.', expected UTF-8, UTF-16 or Windows-1252; another charset has to be chosen"),
    # --- activitynet ---
    Broken("activitynet", 'nothing at all', b'', 'file, line 1, JSON: found the end of the file, expected a JSON object'),
    Broken("activitynet", 'a list', b'[]', "file, line 1, JSON: found '[]', expected a JSON object"),
    Broken("activitynet", 'an empty object', b'{}', 'file, line 1, file: found no description, expected at least one'),
    Broken("activitynet", 'cut off', b'{"v_a": {"duration": 60, "timestamps": [[0, 5]], "sen', 'file, line 1, JSON: found \'"sen\', expected JSON (the string ends)'),
    Broken("activitynet", 'cut off after an entry', net()[:-1], 'file, line 1, JSON: found the end of the file, expected a comma or the end of the object'),
    Broken("activitynet", 'more after the end', net() + b'{}', "file, line 1, JSON: found '{}', expected the end of the file"),
    Broken("activitynet", 'no quotation marks', b'{v_a: {}}', "file, line 1, JSON: found 'v_a: {}}', expected JSON (expecting value)"),
    Broken("activitynet", 'a key without value', b'{"v_a", 5}', "file, line 1, JSON: found ', 5}', expected a colon after the key"),
    Broken("activitynet", 'an entry that is a list', b'{"v_a": []}', "file, line 1, video 'v_a', JSON: found [], expected an object of duration, timestamps, sentences"),
    Broken("activitynet", 'no durations', net(duration=...), "file, line 1, video 'v_film', duration: found nothing, expected the fields duration, timestamps, sentences"),
    Broken("activitynet", 'no sentences', net(sentences=...), "file, line 1, video 'v_film', sentences: found nothing, expected the fields duration, timestamps, sentences"),
    Broken("activitynet", 'fewer sentences than times', net(timestamps=[[0, 5], [5, 9]]), "file, line 1, video 'v_film', sentences: found 1, expected 2, one for each of the timestamps"),
    Broken("activitynet", 'sentences as text', net(sentences="Ada waits."), "file, line 1, video 'v_film', sentences: found 'Ada waits.', expected a list"),
    Broken("activitynet", 'an end before the start', net(timestamps=[[5, 0]]), "file, line 1, video 'v_film', sentence 1, timestamps: found [5, 0], expected a start before the end"),
    Broken("activitynet", 'an end past the slack', net(timestamps=[[0, 61.01]]), "file, line 1, video 'v_film', sentence 1, timestamps: found [0, 61.01], expected an end within the video's 60 s (slack 1 s)"),
    Broken("activitynet", 'NaN as Python writes it', net(timestamps=[[nan, 5]]), "file, line 1, video 'v_film', sentence 1, timestamps: found [nan, 5], expected [start, end] in seconds, finite and not negative"),
    Broken("activitynet", 'an empty sentence', net(sentences=[""]), "file, line 1, video 'v_film', sentence 1, sentences: found '', expected a sentence"),
    Broken("activitynet", 'a duration below 0', net(duration=-60), "file, line 1, video 'v_film', sentence 1, duration: found -60, expected seconds, more than 0"),
    Broken("activitynet", 'half a character', net(sentences=["\udc00"]), "file, line 1, video 'v_film', sentence 1, sentences: found '\\udc00', expected a sentence"),
    Broken("activitynet", 'no name', net().replace(b'v_film', b''), "file, line 1, video '', sentence 1, video: found '', expected a name of 1 to 200 characters"),
    Broken("activitynet", 'not UTF-8, on the third line', b'{\n"v_a":\n{"duration": 60, "sentences": ["caf\xe9"]}}', "file, line 3, encoding: found b'\\xe9', expected UTF-8"),
    Broken("activitynet", 'UTF-16 that ends within a letter', net().decode().encode('utf-16')[:-1], "file, line 1, encoding: found bytes without a meaning, expected UTF-16"),
    Broken("activitynet", 'a number of 5,000 digits', b'{"v_a": ' + b'9' * 5000 + b'}', "file, line 1, JSON: found '999999999999999999999999999999999999999999999999999999999999', expected JSON with shorter numbers"),
    Broken("activitynet", 'brackets nested too deep', b'{"v_a": ' + b'[' * 100_000, "file, line 1, JSON: found '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[', expected JSON nested less deep"),
    # --- didemo ---
    Broken("didemo", 'an object', b'{}', "file, line 1, JSON: found '{}', expected a JSON list"),
    Broken("didemo", 'an empty list', b'[]', 'file, line 1, file: found no description, expected at least one'),
    Broken("didemo", 'a number in the list', b'[7]', 'file, line 1, entry 1, JSON: found 7, expected an object of annotation_id, description, times, video'),
    Broken("didemo", 'cut off', did()[:-1], 'file, line 1, JSON: found the end of the file, expected a comma or the end of the list'),
    Broken("didemo", 'no comma', did()[:-1] + b' {}]', "file, line 1, JSON: found '{}]', expected a comma or the end of the list"),
    Broken("didemo", 'no times', did(times=...), 'file, line 1, entry 1, times: found nothing, expected the fields annotation_id, description, times, video'),
    Broken("didemo", 'times of nobody', did(times=[]), 'file, line 1, entry 1, times: found [], expected a list of [first, last] segments, one a person'),
    Broken("didemo", 'one number for both', did(times=[3]), 'file, line 1, entry 1, times: found 3, expected [first, last], two whole numbers of segments'),
    Broken("didemo", 'half a segment', did(times=[[0, 1.5]]), 'file, line 1, entry 1, times: found [0, 1.5], expected [first, last], two whole numbers of segments'),
    Broken("didemo", 'a segment below 0', did(times=[[-1, 0]]), 'file, line 1, entry 1, times: found [-1, 0], expected segments from 0 to 5, the first not after the last'),
    Broken("didemo", 'a segment too far', did(times=[[0, 6]]), 'file, line 1, entry 1, times: found [0, 6], expected segments from 0 to 5, the first not after the last'),
    Broken("didemo", 'the last before the first', did(times=[[3, 2]]), 'file, line 1, entry 1, times: found [3, 2], expected segments from 0 to 5, the first not after the last'),
    Broken("didemo", 'no segments', did(num_segments=0), 'file, line 1, entry 1, num_segments: found 0, expected a whole number of segments, 1 or more'),
    Broken("didemo", 'segments in words', did(num_segments="six"), "file, line 1, entry 1, num_segments: found 'six', expected a whole number of segments, 1 or more"),
    Broken("didemo", 'an empty description', did(description="\n"), "file, line 1, entry 1, description: found '\\n', expected a sentence"),
    Broken("didemo", 'an over-long id', did(annotation_id="x" * 51), "file, line 1, entry 1, annotation_id: found 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', expected at most 50 characters"),
    # --- qvhighlights ---
    Broken("qvhighlights", 'no windows, as in the test split', qv(relevant_windows=...), 'file, line 1, relevant_windows: found nothing, expected the fields qid, query, vid, duration, relevant_windows'),
    Broken("qvhighlights", 'an empty list of windows', qv(relevant_windows=[]), 'file, line 1, relevant_windows: found [], expected a list of [start, end]'),
    Broken("qvhighlights", 'a window without end', qv(relevant_windows=[[0, 4], [8]]), 'file, line 1, window 2, relevant_windows: found [8], expected [start, end] in seconds, finite and not negative'),
    Broken("qvhighlights", 'a window past the end', qv(relevant_windows=[[0, 4], [58, 62]]), "file, line 1, window 2, relevant_windows: found [58, 62], expected an end within the video's 60 s (slack 1 s)"),
    Broken("qvhighlights", 'a window the wrong way round', qv(relevant_windows=[[4, 0]]), 'file, line 1, window 1, relevant_windows: found [4, 0], expected a start before the end'),
    Broken("qvhighlights", 'no query', qv(query=...), 'file, line 1, query: found nothing, expected the fields qid, query, vid, duration, relevant_windows'),
    Broken("qvhighlights", 'an empty query', qv(query="", relevant_windows=[[0, 4]]), "file, line 1, window 1, query: found '', expected a sentence"),
    Broken("qvhighlights", 'a boolean qid', qv(qid=False, relevant_windows=[[0, 4]]), 'file, line 1, window 1, qid: found False, expected a whole number or a text'),
    Broken("qvhighlights", 'an unknown duration', qv(duration="long", relevant_windows=[[0, 4]]), "file, line 1, window 1, duration: found 'long', expected seconds, more than 0"),
    Broken("qvhighlights", 'no JSON', b"{'qid': 9}", 'file, line 1, JSON: found "{\'qid\': 9}", expected one JSON object a line'),
    # --- tacos ---
    Broken("tacos", 'no rate', tac(fps=...), "file, line 1, video 'film.avi', fps: found nothing, expected the fields fps, num_frames, timestamps, sentences"),
    Broken("tacos", 'a rate of 0', tac(fps=0), "file, line 1, video 'film.avi', sentence 1, fps: found 0, expected frames a second, more than 0"),
    Broken("tacos", 'a rate that makes an endless video', tac(fps=1e-320), "file, line 1, video 'film.avi', sentence 1, num_frames: found inf, expected seconds, more than 0"),
    Broken("tacos", 'no number of frames', tac(num_frames=None), "file, line 1, video 'film.avi', sentence 1, num_frames: found nothing, expected a number of frames, more than 0"),
    Broken("tacos", 'a frame after the last', tac(timestamps=[[0, 931]]), "file, line 1, video 'film.avi', sentence 1, timestamps: found [0, 931], expected an end within the video's 30 s (slack 1 s)"),
    Broken("tacos", 'a negative frame', tac(timestamps=[[-1, 60]]), "file, line 1, video 'film.avi', sentence 1, timestamps: found [-1, 60], expected [start, end] in frames, finite and not negative"),
    Broken("tacos", 'the last frame first', tac(timestamps=[[60, 30]]), "file, line 1, video 'film.avi', sentence 1, timestamps: found [60, 30], expected a start before the end"),
    Broken("tacos", 'a sentence too many', tac(sentences=["a", "b"]), "file, line 1, video 'film.avi', sentences: found 2, expected 1, one for each of the timestamps"),
    Broken("tacos", 'a list instead of an object', b'[1]', "file, line 1, JSON: found '[1]', expected a JSON object"),
    # --- mad ---
    Broken("mad", 'no times', mad(timestamps=...), "file, line 1, sentence '7', timestamps: found nothing, expected the fields movie, movie_duration, sentence, timestamps"),
    Broken("mad", 'a text instead of an object', b'{"7": "Ada waits."}', "file, line 1, sentence '7', JSON: found 'Ada waits.', expected an object of movie, movie_duration, sentence, timestamps"),
    Broken("mad", 'times of one number', mad(timestamps=[3]), "file, line 1, sentence '7', timestamps: found [3], expected [start, end] in seconds, finite and not negative"),
    Broken("mad", 'times after the movie', mad(timestamps=[55, 62]), "file, line 1, sentence '7', timestamps: found [55, 62], expected an end within the video's 60 s (slack 1 s)"),
    Broken("mad", 'widened times after the movie', mad(ext_timestamps=[60, 62]), "file, line 1, sentence '7', ext_timestamps: found [60, 62], expected a start before the end, within the movie's 60 s"),
    Broken("mad", 'widened times that are no numbers', mad(ext_timestamps=["0", 5]), "file, line 1, sentence '7', ext_timestamps: found ['0', 5], expected [start, end] in seconds, finite and not negative"),
    Broken("mad", 'no sentence', mad(sentence=""), "file, line 1, sentence '7', sentence: found '', expected a sentence"),
    Broken("mad", 'a movie without name', mad(movie=5), "file, line 1, sentence '7', movie: found 5, expected a name of 1 to 200 characters"),
    Broken("mad", 'an over-long id', mad().replace(b'"7"', b'"' + b"7" * 65 + b'"'), f"file, line 1, sentence '{'7' * 37}...', id: found '{'7' * 65}', expected at most 64 characters"),
    # --- medvidqa ---
    Broken("medvidqa", 'no answer, as in a test split', med(answer_start_second=...), "file, line 1, entry 1, answer_start_second: found nothing, expected the fields sample_id, question, video_id, video_length, answer_start_second, answer_end_second"),
    Broken("medvidqa", 'an empty entry', b'[{}]', "file, line 1, entry 1, sample_id: found nothing, expected the fields sample_id, question, video_id, video_length, answer_start_second, answer_end_second"),
    Broken("medvidqa", 'minutes in place of seconds', med(answer_end_second="00:05"), "file, line 1, entry 1, answer_end_second: found '00:05', expected a number of seconds, 0 or more"),
    Broken("medvidqa", 'the end before the start', med(answer_start_second=9), "file, line 1, entry 1, answer_end_second: found 5, expected an end after the start (9 s)"),
    Broken("medvidqa", 'an end after the video', med(answer_end_second=62), "file, line 1, entry 1, answer_end_second: found 62, expected an end within the video's 60 s (slack 1 s)"),
    Broken("medvidqa", 'a length in words', med(video_length="long"), "file, line 1, entry 1, video_length: found 'long', expected seconds, more than 0"),
    Broken("medvidqa", 'a number instead of an object', b'[1]', "file, line 1, entry 1, JSON: found 1, expected an object of sample_id, question, video_id, video_length, answer_start_second, answer_end_second"),
    # --- ego4d-nlq ---
    Broken("ego4d-nlq", 'no videos', b'{"clips": []}', 'file, line 1, JSON: found no such member, expected a list "videos" in the object'),
    Broken("ego4d-nlq", 'no list of videos', b'{"videos": {}}', "file, line 1, JSON: found '{}}', expected a JSON list"),
    Broken("ego4d-nlq", 'an empty list of videos', b'{"videos": []}', 'file, line 1, file: found no description, expected at least one'),
    Broken("ego4d-nlq", 'a list instead of an object', b'[1]', "file, line 1, JSON: found '[1]', expected a JSON object"),
    Broken("ego4d-nlq", 'videos that break off', ego()[:-3], 'file, line 1, JSON: found the end of the file, expected JSON (expecting \',\' delimiter)'),
    Broken("ego4d-nlq", 'a video without clips', b'{"videos": [{"video_uid": "film"}]}', "file, line 1, video 1, clips: found nothing, expected the fields clips"),
    Broken("ego4d-nlq", 'clips that are no list', b'{"videos": [{"clips": 5}]}', "file, line 1, video 1, clips: found 5, expected a list"),
    Broken("ego4d-nlq", 'a clip without annotations', ego(annotations=...), "file, line 1, video 1, annotations: found nothing, expected the fields clip_uid, video_start_sec, video_end_sec, annotations"),
    Broken("ego4d-nlq", 'an annotation without id', ego(annotations=[{"language_queries": []}]), "file, line 1, video 1, annotation_uid: found nothing, expected the fields annotation_uid, language_queries"),
    Broken("ego4d-nlq", 'a query without times, as in the test split', ego({"clip_start_sec": ...}), "file, line 1, video 1, query 1, clip_start_sec: found nothing, expected the fields query, clip_start_sec, clip_end_sec"),
    Broken("ego4d-nlq", 'a query without words', ego({"query": None}), "file, line 1, video 1, query 1, query: found nothing, expected a sentence"),
    Broken("ego4d-nlq", 'a query of no length', ego({"clip_end_sec": 0}), "file, line 1, video 1, query 1, clip_end_sec: found 0, expected an end after the start (0 s)"),
    Broken("ego4d-nlq", 'a query after its clip', ego({"clip_end_sec": 62}), "file, line 1, video 1, query 1, clip_end_sec: found 62, expected an end within the video's 60 s (slack 1 s)"),
    Broken("ego4d-nlq", 'a clip of no length', ego(video_end_sec=30), "file, line 1, video 1, query 1, video_end_sec: found 30, expected an end after the start (30 s)"),
    # --- jsonl ---
    Broken("jsonl", 'no end', own(end=...), 'file, line 1, end: found nothing, expected the fields video, start, end, text'),
    Broken("jsonl", 'a start as text', own(start="1"), "file, line 1, start: found '1', expected a number of seconds, 0 or more"),
    Broken("jsonl", 'an end that is null', own(end=None), 'file, line 1, end: found nothing, expected a number of seconds, 0 or more'),
    Broken("jsonl", 'the end at the start', own(end=1), 'file, line 1, end: found 1, expected an end after the start (1 s)'),
    Broken("jsonl", 'NaN', own(start=nan), 'file, line 1, start: found nan, expected a number of seconds, 0 or more'),
    Broken("jsonl", 'past the duration', own(duration=1, end=2.5), "file, line 1, end: found 2.5, expected an end within the video's 1 s (slack 1 s)"),
    Broken("jsonl", 'an unknown kind', own(kind="video"), "file, line 1, kind: found 'video', expected one of v, t, vt"),
    Broken("jsonl", 'a language in words', own(language="English, mostly"), "file, line 1, language: found 'English, mostly', expected a language tag such as en or pt-BR"),
    Broken("jsonl", 'a language that is a number', own(language=5), 'file, line 1, language: found 5, expected a language tag such as en or pt-BR'),
    Broken("jsonl", 'a boolean id', own(id=True), 'file, line 1, id: found True, expected a whole number or a text'),
    Broken("jsonl", 'no text', own(text=None), 'file, line 1, text: found nothing, expected a sentence'),
    Broken("jsonl", 'an id twice with another kind', own(id='a') + b'\n\n' + own(id='a', kind='t'), "file, line 3, id: found 'a' with other content, expected an id of its own (line 1 has it too)"),
    # --- csv ---
    Broken("csv", 'no header', b'film,1,2,Ada waits.\n', "file, line 1, header: found 'film,1,2,Ada waits.', expected the columns video, start, end, text"),
    Broken("csv", 'a column twice', b'video,start,end,text,Text\n', "file, line 1, header: found 'video,start,end,text,Text', expected the column text once"),
    Broken("csv", 'only a header', b'video,start,end,text\n', 'file, line 1, file: found no description, expected at least one'),
    Broken("csv", 'a cell too many', b'video,start,end,text\nfilm,1,2,Ada waits, and sings.\n', 'file, line 2, CSV: found 5 cells, expected 4, as the header has'),
    Broken("csv", 'a cell too few', b'video,start,end,text\nfilm,1,2\n', 'file, line 2, CSV: found 3 cells, expected 4, as the header has'),
    Broken("csv", 'a quote that never ends', b'video,start,end,text\nfilm,1,2,"Ada waits.\nfilm,3,4,Ada sings.\n', "file, line 2, CSV: found a row that can't be read (unexpected end of data), expected cells with their quotes closed"),
    Broken("csv", 'a quote in the middle', b'video,start,end,text\nfilm,1,2,"Ada" waits.\n', 'file, line 2, CSV: found a row that can\'t be read (\',\' expected after \'"\'), expected cells with their quotes closed'),
    Broken("csv", 'a quote that never ends in the header', b'"video,start,end,text\n', "file, line 1, CSV: found a row that can't be read (unexpected end of data), expected cells with their quotes closed"),
    Broken("csv", 'a cell of megabytes', b'video,start,end,text\nfilm,1,2,' + b'x' * 1_000_000, "file, line 2, CSV: found a longer row, expected lines of at most 1,000,000 bytes"),
    Broken("csv", 'a minute of 75 seconds', b'video,start,end,text\nfilm,0:75,2:00,Ada waits.\n', f"file, line 2, start: found '0:75', expected {CLOCK}"),
    Broken("csv", 'one digit after a colon', b'video,start,end,text\nfilm,0:01,0:2,Ada waits.\n', f"file, line 2, end: found '0:2', expected {CLOCK}"),
    Broken("csv", 'an hour of 75 minutes', b'video,start,end,text\nfilm,0:01,1:75:00,Ada waits.\n', f"file, line 2, end: found '1:75:00', expected {CLOCK}"),
    Broken("csv", 'frames after the seconds', b'video,start,end,text\nfilm,0:01,00:00:02:12,Ada waits.\n', f"file, line 2, end: found '00:00:02:12', expected {CLOCK}"),
    Broken("csv", 'a decimal comma between commas', b'video,start,end,text\nfilm,"1,5",2,Ada waits.\n', "file, line 2, start: found '1,5', expected a number of seconds, 0 or more"),
    Broken("csv", 'a point and a comma', b'video;start;end;text\nfilm;1;1.500,5;Ada waits.\n', "file, line 2, end: found '1.500,5', expected a number of seconds, 0 or more"),
    Broken("csv", 'no start', b'video,start,end,text\nfilm,,2,Ada waits.\n', "file, line 2, start: found '', expected a number of seconds, 0 or more"),
    Broken("csv", 'the end before the start', b'video,start,end,text\nfilm,2,1,Ada waits.\n', 'file, line 2, end: found 1.0, expected an end after the start (2 s)'),
    Broken("csv", 'NaN', b'video,start,end,text\nfilm,NaN,2,Ada waits.\n', 'file, line 2, start: found nan, expected a number of seconds, 0 or more'),
    Broken("csv", 'past the duration', b'video,start,end,text,duration\nfilm,2,99,Ada waits.,60\n', "file, line 2, end: found 99.0, expected an end within the video's 60 s (slack 1 s)"),
    Broken("csv", 'a duration in words', b'video,start,end,text,duration\nfilm,1,2,Ada waits.,long\n', "file, line 2, duration: found 'long', expected seconds, more than 0"),
    Broken("csv", 'an empty text after a text of two lines', b'video,start,end,text\nfilm,1,2,"Ada\nwaits."\nfilm,1,2, \n', "file, line 4, text: found ' ', expected a sentence"),
    Broken("csv", 'an unknown kind', b'video,start,end,text,kind\nfilm,1,2,Ada waits.,x\n', "file, line 2, kind: found 'x', expected one of v, t, vt"),
    Broken("csv", 'an unknown language', b'video,start,end,text,language\nfilm,1,2,Ada waits.,e\n', "file, line 2, language: found 'e', expected a language tag such as en or pt-BR"),
    Broken("csv", 'UTF-8 that is broken once', b'video,start,end,text\nfilm,1,2,a caf\xe9\nfilm,1,2,' + 'caf\xe9s, d\xe9j\xe0'.encode().replace(b',', b'') + b'\n', "file, line 2, encoding: found b'\\xe9', expected UTF-8 in text"),
    Broken("csv", 'UTF-8 that is broken once, in the header', b'video,start,end,text,caf\xe9,d\xc3\xa9j\xc3\xa0\n', "file, line 1, encoding: found b'\\xe9', expected UTF-8 in the header"),
    Broken("csv", 'a charset that is neither UTF-8 nor Windows-1252', b'video,start,end,text\nfilm,1,2,\xc0\xe4\xe0 \xef\xfc\xe5\xf2 \xf7\xe0\xe9\n', "file, line 2, encoding: found b'film,1,2,\\xc0\\xe4\\xe0 \\xef\\xfc\\xe5\\xf2 \\xf7\\xe0\\xe9', expected UTF-8, UTF-16 or Windows-1252; another charset has to be chosen"),
    Broken("csv", 'UTF-16 that ends within a letter', 'video,start,end,text\nfilm,1,2,Ada\n'.encode('utf-16')[:-3], "file, line 2, encoding: found bytes without a meaning, expected UTF-16 in text"),
    Broken("csv", 'a NUL', b'video,start,end,text\nfilm,1,2,Ada\x00waits.\n', "file, line 2, text: found 'Ada\\x00waits.', expected a sentence"),
    Broken("csv", 'bars between cells', b'video|start|end|text\n', "file, line 1, header: found 'video|start|end|text', expected the columns video, start, end, text"),
    Broken("csv", 'only a header with semicolons', b'video;start;end;text\n', 'file, line 1, file: found no description, expected at least one'),
    Broken("csv", 'two columns that may be the text', b'video_id,start,end,caption,sentence\nfilm,1,2,Ada waits.,Ada.\n', 'file, line 1, header: found the columns caption and sentence, expected one column for text'),
]
# fmt: on


@pytest.mark.parametrize("case", BROKEN, ids=[f"{case.format}: {case.name}" for case in BROKEN])
def test_a_broken_file_is_refused_with_its_reason(collection: Collection, tmp_path: Path, case: Broken) -> None:
    path = tmp_path / "file"
    path.write_bytes(case.content)
    with pytest.raises(BadFile) as refusal:
        import_descriptions(collection=collection, path=path, format_name=case.format)
    assert str(refusal.value) == f"Nothing was imported: 1 problem.\n{case.message}"
    assert (Description.objects.count(), Moment.objects.count(), Video.objects.count()) == (0, 0, 0)


def test_there_are_broken_files_of_every_format() -> None:
    assert {case.format for case in BROKEN} == set(FORMATS)
    assert len({(case.format, case.content) for case in BROKEN}) == len(BROKEN)


def test_a_row_of_csv_that_never_ends_is_read_in_bounded_memory(collection: Collection, tmp_path: Path) -> None:
    path = tmp_path / "endless.csv"
    path.write_bytes(b"video,start,end,text\n" + b'"a\n",' * 1_000_000)
    with pytest.raises(BadFile, match="found a longer row, expected at most 4,000,000 bytes"):
        import_descriptions(collection=collection, path=path)


@pytest.mark.parametrize("charset", ["utf-8", "utf-16", "windows-1252"])
def test_lines_of_csv_may_end_with_cr_alone(collection: Collection, tmp_path: Path, charset: str) -> None:
    path = tmp_path / "mac.csv"
    path.write_bytes("video,start,end,text\rk,1,2,Zoë sits.\rk,2,3,Two sit.\r".encode(charset))
    assert import_descriptions(collection=collection, path=path).added == 2


def test_a_cell_of_csv_may_be_as_long_as_a_line(collection: Collection, tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("video,start,end,text,remark\nk,1,2,One sits.," + "x" * 900_000 + "\n")
    assert import_descriptions(collection=collection, path=path).added == 1
