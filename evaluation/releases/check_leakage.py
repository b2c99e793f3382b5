"""Check a release's `leakage.csv`: every released query once, with a pseudo-training query that there is."""

from .checked_rows import Judged, Row, Rows, Stated

LEAKAGE = ("split", "query_id", "query", "training_query_id", "training_query", "cosine")
"""Columns, said again, since the check takes nothing from what writes releases (nor Django)."""


def check_leakage(rows: Rows, stated: Stated, judged: Judged) -> None:
    """Tell the problems of the file beside val.json and test.json; those beside the training files are found later."""
    cosines: dict[str, dict[str, float]] = {"val": {}, "test": {}}
    for row in rows.each():
        if problem := _problem(row, stated, judged, cosines):
            rows.wrong(problem)
        else:
            cosines[row["split"]][row["query_id"]] = float(row["cosine"])
            judged.nearest.setdefault(row["training_query_id"], (row["training_query"], rows.place))
    for split, known in cosines.items():
        try:
            levels = stated[split]["from"]
            expected = {"compared": int(stated[split]["compared"])}
            expected |= {level: int(counts["queries"]) for level, counts in levels.items()}
            found = {"compared": len(known)}
            found |= {level: sum(cosine >= float(level) for cosine in known.values()) for level in levels}
        except (KeyError, TypeError, ValueError, AttributeError):
            problem = f"manifest.json doesn't state how many queries of {split} have a near training caption"
            rows.tell(problem, file="manifest.json")
            continue
        if found != expected:
            rows.of_all(f"found the counts {found} of {split}, but the manifest says {expected}")


def _problem(row: Row, stated: Stated, judged: Judged, cosines: dict[str, dict[str, float]]) -> str:
    """What is wrong with a row; "" if nothing is."""
    split, query_id = row["split"], row["query_id"]
    if split not in cosines or judged.files.get(query_id) != f"{split}.json" or judged.texts[query_id] != row["query"]:
        return f"found query {query_id} of {split}, expected one of val.json or test.json with its text"
    if query_id in cosines[split]:
        return f"query {query_id} is there twice"
    if judged.nearest.get(row["training_query_id"], (row["training_query"],))[0] != row["training_query"]:
        return f"training query {row['training_query_id']} has another text than above"
    try:
        cosine = float(row["cosine"])
    except ValueError:
        cosine = float("nan")
    if not -1 <= cosine <= 1:
        return f"found the cosine {row['cosine']!r}, expected -1 to 1"
    below = stated.get("train_below")
    if isinstance(below, int | float) and cosine >= below:
        return f"found the cosine {cosine:g}, but training captions from {below:g} on were left out"
    return ""
