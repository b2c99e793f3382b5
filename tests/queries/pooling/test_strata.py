"""A stratified draw gives every stratum its share, and says what is wrong with a file of attributes."""

from collections import Counter
from pathlib import Path

import pytest

from evaluation.formats.video_names import show_of
from queries.pooling.strata import BadStrata, draw_by_stratum, read_attribute, share


def test_every_stratum_has_its_share_of_either_split() -> None:
    strata = {f"{show}{number}": show for show, size in (("a", 50), ("b", 30), ("c", 20)) for number in range(size)}
    members = {show: sorted(key for key, of in strata.items() if of == show) for show in ("a", "b", "c")}
    drawn = draw_by_stratum(members, val=10, test=20, seed=3)
    assert len(set(drawn)) == 30
    assert Counter(strata[key] for key in drawn[:10]) == {"a": 5, "b": 3, "c": 2}
    assert Counter(strata[key] for key in drawn[10:]) == {"a": 10, "b": 6, "c": 4}
    assert drawn == draw_by_stratum(dict(reversed(members.items())), val=10, test=20, seed=3)
    assert drawn != draw_by_stratum(members, val=10, test=20, seed=4)


def test_a_share_never_exceeds_its_stratum() -> None:
    for total in range(8):
        shares = share(total, {"a": 1, "b": 1, "c": 5})
        assert sum(shares.values()) == total
        assert shares["a"] <= 1 and shares["b"] <= 1 and shares["c"] <= 5


def test_a_show_is_told_by_the_videos_name() -> None:
    names = ["castle_s01e02_seg02_clip_09", "s01e02_seg02_clip_09", "kitchen_004"]
    assert [show_of(name) for name in names] == ["castle", "", "kitchen"]


def test_a_file_without_the_column_is_told(tmp_path: Path) -> None:
    path = tmp_path / "genres.csv"
    path.write_text("video_name,genre\nv1,comedy\n")
    values, named = read_attribute(path, "genre")
    assert values == {"v1": "comedy"} and named.startswith("genre sha256:")
    with pytest.raises(BadStrata, match=r"found the columns \['video_name', 'genre'\], expected video_name and year"):
        read_attribute(path, "year")


def test_a_table_is_read_by_the_charset_of_all_of_it(tmp_path: Path) -> None:
    path = tmp_path / "genres.csv"
    path.write_bytes("video_name,genre\nv1,comédie\n".encode("cp1252"))
    assert read_attribute(path, "genre")[0] == {"v1": "comédie"}
    path.write_text("video_name,genre\ncafe\u0301,comédie\n")
    assert list(read_attribute(path, "genre")[0]) == ["café"]
    path.write_bytes("video_name,genre\nv1,comédie\nv2,".encode() + b"com\xe9die\n")
    with pytest.raises(BadStrata, match=r"genres\.csv, line 3, encoding: found b'\\xe9', expected UTF-8"):
        read_attribute(path, "genre")
