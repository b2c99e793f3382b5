"""`sampling.csv`: what it says, and each fault with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.errors import InputError
from evaluation.reading.sampling import Stratum, read_sampling

HEAD = "query_id,pair_id,stratum,stratum_size,drawn,probability"
OF_PAIRS = f"{HEAD},video_name,timestamp"


def written(folder: Path, *lines: str) -> Path:
    path = folder / "sampling.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_queries_and_pairs_are_read(tmp_path: Path) -> None:
    whole = read_sampling(written(tmp_path, HEAD, "7,,val,4,2,0.5", "8,,val,4,2,0.5"))
    assert whole.queries == dict.fromkeys(["7", "8"], Stratum("val", 4, 2)) and not whole.pairs
    pairs = read_sampling(written(tmp_path, OF_PAIRS, '7,1,a,2,1,0.5,v,"[1, 2]"', '7,,a,2,1,0.5,v,"[3, 4.5]"'))
    assert pairs.pairs == {"7": dict.fromkeys([("7", "v", 1.0, 2.0), ("7", "v", 3.0, 4.5)], Stratum("a", 2, 1))}


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ([], "line 1: found no column query_id"),
        (["query_id,stratum"], "line 1: found no column pair_id"),
        ([HEAD], "found no row"),
        ([HEAD, "7,,a,4,2"], "line 2: found 5 columns, expected 6"),
        ([HEAD, ",,a,4,2,0.5"], "line 2: found no query_id"),
        ([HEAD, "7,,a,four,2,0.5"], "line 2: found stratum_size 'four'"),
        ([HEAD, "7,,a,4,-2,0.5"], "line 2: found drawn '-2'"),
        ([HEAD, "7,,a,0,0,0"], "line 2: found drawn 0 of stratum_size 0"),
        ([HEAD, "7,,a,2,4,2"], "line 2: found drawn 4 of stratum_size 2"),
        ([HEAD, "7,,a,4,2,0.4"], "line 2: found probability '0.4', expected 0.5"),
        ([HEAD, "7,,a,4,2,nan"], "line 2: found probability 'nan', expected 0.5"),
        ([HEAD, "7,,a,4,2,0.5", "7,,a,4,2,0.5"], "line 3: found this query of query_id 7 a second time"),
        ([HEAD, "7,,a,4,2,0.5", "8,,a,4,1,0.25"], "line 3: found stratum 'a' with 1 of 4 drawn, expected 2 of 4"),
        ([OF_PAIRS, '7,1,a,1,1,1,v,"[2, 1]"'], "line 2: found timestamp [2, 1], a reversed interval"),
        ([OF_PAIRS, "7,1,a,1,1,1,v,"], "line 2: found no timestamp"),
        ([OF_PAIRS, '7,1,a,2,1,0.5,v,"[1, 2]"'], "line 2: found 1 pairs of stratum 'a' of query_id 7, expected 2"),
        ([OF_PAIRS, *['7,1,a,2,1,0.5,v,"[1, 2]"'] * 2], "line 3: found this moment of query_id 7 a second time"),
    ],
)
def test_each_fault_is_said_with_its_line(lines: list[str], sentence: str, tmp_path: Path) -> None:
    path = written(tmp_path, *lines)
    with pytest.raises(InputError) as refused:
        read_sampling(path)
    assert sentence in str(refused.value)
