"""Reranking by a command and by a server that speaks the OpenAI protocol over HTTP; what a stop costs."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from baselines.reading.videos import pictures_at
from evaluation.reading import read_run
from tests.baselines.worlds import run_line, write_release
from tests.corpus.films import draw_film, number_in, steady
from tests.queries.chat_server import ChatServer, Reply, graded, pictures, refusal, serving, text_of

Found = dict[str, list[tuple[str, float]]]
BY_START = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    with open({seen!r}, "a") as seen:
        seen.write(asked["query_id"] + "\\n")
    {more}
    print(json.dumps({{"scores": [moment["start"] for moment in asked["moments"]]}}), flush=True)
"""


def base_in(folder: Path) -> tuple[Path, Path]:
    """A release and a run with three moments for each query of test."""
    moments = [("night", 0), ("noon", 6), ("noon", 3)]
    rows = [
        {
            "query_id": query,
            "predictions": [
                {"video_name": video, "timestamp": [start, start + 2], "score": 0.9 - place / 10}
                for place, (video, start) in enumerate(moments)
            ],
        }
        for query in (3, "4b")
    ]
    release, base = write_release(folder / "release"), folder / "base.jsonl"
    base.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return release, base


def films_in(folder: Path) -> Path:
    """Films of a frame a second, numbered: night's are odd."""
    folder.mkdir()
    for video, length in (("night", 9), ("noon", 12)):
        draw_film(folder / f"{video}.mp4", steady(1, length))
    return folder


def reranked(folder: Path, *more: Any, code: int = 0) -> Found:
    """The run of a command, by query."""
    release, base = base_in(folder)
    out = folder / "x-test-seed1.jsonl"
    assert run_line("rerank", release, base, out, "--split", "test", *more) == code
    if code:
        assert not out.exists()
        return {}
    run = read_run(out)
    return {query: [(one.video_name, one.start) for one in run.of_query(query)] for query in run.query_ids}


def command_in(folder: Path, more: str = "") -> tuple[str, Path]:
    """A command that likes late moments, and the file in which it notes the queries that it was asked."""
    path, seen = folder / "late.py", folder / "seen"
    path.write_text(BY_START.format(seen=str(seen), more=more))
    return f"{sys.executable} {path}", seen


def test_a_command_puts_the_best_in_order_and_the_others_follow(tmp_path: Path) -> None:
    line, seen = command_in(tmp_path)
    assert reranked(tmp_path, "--command", line, "--top", 2) == {
        query: [("noon", 6.0), ("night", 0.0), ("noon", 3.0)] for query in ("3", "4b")
    }
    assert seen.read_text() == "3\n4b\n"
    manifest = json.loads((tmp_path / "x-test-seed1.manifest.json").read_text())
    assert (manifest["system"], manifest["family"], manifest["reranked"]["run"]["name"]) == ("rerank", None, "base")
    assert (manifest["reranked"]["top"], manifest["reranked"]["moments"]) == (2, 4)
    assert str(tmp_path) not in json.dumps(manifest)


def test_a_command_that_ends_early_is_said_and_goes_on_with_what_is_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line, seen = command_in(tmp_path, 'if asked["query_id"] == "4b": sys.exit(7)')
    reranked(tmp_path, "--command", line, code=2)
    assert "ended with exit code 7 at the query_id '4b'" in capsys.readouterr().err
    command_in(tmp_path)
    answers = tmp_path / "x-test-seed1.answers.jsonl"
    answers.write_text(answers.read_text() + '{"key": "cut')  # as a kill leaves it
    assert reranked(tmp_path, "--command", line)["4b"][0] == ("noon", 6.0)
    assert seen.read_text() == "3\n4b\n4b\n"
    assert len(answers.read_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ('print("hm", flush=True); continue', "found 'hm' for the query_id '3', expected {\"scores\": [...]} with 3"),
        ('print(json.dumps({"scores": [1]}), flush=True); continue', "found '{\"scores\": [1]}'"),
        ('print(json.dumps({"scores": [1, 2, float("nan")]}), flush=True); continue', "finite numbers or nulls"),
        ('print(json.dumps({"scores": [None] * 3}), flush=True); continue', "found no score among 6 answers"),
    ],
)
def test_a_command_s_bad_answer_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], answer: str, said: str
) -> None:
    line, _ = command_in(tmp_path, answer)
    reranked(tmp_path, "--command", line, code=2)
    assert said in capsys.readouterr().err


def numbers(request: dict[str, Any]) -> list[int]:
    """The numbers of the frames that a request shows."""
    return [number_in(np.asarray(Image.open(io.BytesIO(picture)))) for picture in pictures(request)]


def by_frames(request: dict[str, Any], _: int = 0) -> Reply:
    """A model that likes late frames, more exactly than a digit says."""
    first = numbers(request)[0]
    return graded("5", {"5": 0.5, "9": 0.01 + 0.04 * first, "x": 0.1})


def asking(server: ChatServer, folder: Path) -> list[Any]:
    return ["--server", server.url, "--model", "seer", "--videos", folder / "films", "--frames", 2]


def test_a_server_sees_each_moment_and_the_mean_of_its_likeliest_digits_decides(tmp_path: Path) -> None:
    films_in(tmp_path / "films")
    with serving(by_frames) as server:
        assert reranked(tmp_path, *asking(server, tmp_path))["3"] == [("noon", 6.0), ("noon", 3.0), ("night", 0.0)]
    assert len(server.requests) == 6
    assert {tuple(numbers(request)) for request in server.requests} == {(0, 1), (6, 7), (3, 4)}
    asked = {text_of(request["messages"][-1]) for request in server.requests}
    assert asked == {"Query: A woman eats.", "Query: A dog barks."}
    manifest = json.loads((tmp_path / "x-test-seed1.manifest.json").read_text())
    assert (manifest["system"], manifest["family"], manifest["reranked"]["asked_with"]["frames"]) == ("seer", "seer", 2)


def test_what_was_answered_is_never_asked_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    films_in(tmp_path / "films")
    with serving(lambda request, number: by_frames(request) if number <= 3 else refusal(401, "no")) as server:
        reranked(tmp_path, *asking(server, tmp_path), "--at-once", 1, code=2)
    assert "refuses the key (401" in capsys.readouterr().err
    assert len((tmp_path / "x-test-seed1.answers.jsonl").read_text().splitlines()) == 3
    with serving(by_frames) as again:
        assert reranked(tmp_path, *asking(again, tmp_path))["4b"][0] == ("noon", 6.0)
        assert len(again.requests) == 3
        reranked(tmp_path, *asking(again, tmp_path))
        assert len(again.requests) == 3
        reranked(tmp_path, *asking(again, tmp_path)[:-1], 1)  # another number of pictures is another question
        assert len(again.requests) == 9


def test_a_server_without_log_probabilities_and_refusals_of_single_moments_are_borne(tmp_path: Path) -> None:
    films_in(tmp_path / "films")

    def behave(request: dict[str, Any], _: int) -> Reply:
        if "logprobs" in request:
            return refusal(400, "logprobs is not supported")
        first = numbers(request)[0]
        return refusal(400, "content_filter") if first == 0 else graded(f"<think>9?</think>Relevance: {first}")

    with serving(behave) as server:
        found = reranked(tmp_path, *asking(server, tmp_path), "--at-once", 1)
    assert found["3"] == [("noon", 6.0), ("noon", 3.0), ("night", 0.0)]
    assert [request.get("top_logprobs") for request in server.requests[:4]] == [20, 5, None, None]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--server", "http://127.0.0.1:9/v1"], "--server: found no --model or no --videos"),
        (["--command", "no-such-program"], "no-such-program: can't be started"),
        (["--command", "x", "--top", 0], "--top: found 0, expected 1 or more"),
        (["--command", "x", "--videos", "{films}"], "found no file for 1 of the run's 2 videos, among them 'noon'"),
    ],
)
def test_what_can_t_be_asked_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[Any], said: str
) -> None:
    (films_in(tmp_path / "films") / "noon.mp4").unlink()
    reranked(tmp_path, *(str(part).format(films=tmp_path / "films") for part in more), code=2)
    assert said in capsys.readouterr().err


def test_a_run_of_another_split_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    release, base = base_in(tmp_path)
    assert run_line("rerank", release, base, tmp_path / "x.jsonl", "--split", "val", "--command", "x") == 2
    assert "base.jsonl: found the query_id '3', expected queries of val" in capsys.readouterr().err


def test_pictures_far_within_a_film_are_those_shown_then(tmp_path: Path) -> None:
    film = draw_film(tmp_path / "film.mp4", steady(12, 480))
    times = [31.01, 31.99, 39.0, 50.0]
    found = [np.asarray(Image.open(io.BytesIO(one))) for one in pictures_at(film, times, 80)]
    assert [number_in(picture) for picture in found] == [372, 383, 468, 479]
    assert {picture.shape for picture in found} == {(48, 80, 3)}
