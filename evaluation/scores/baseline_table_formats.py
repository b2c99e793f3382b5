"""A baseline table as text, Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from itertools import pairwise

from ..figures.text_table import figure, table
from ..formats.latex import latex_text
from ..formats.table import piped
from ..scores.baseline_table import Block, Cell, filled_columns


def as_text(blocks: Sequence[Block]) -> str:
    """Aligned columns, one table per block."""
    return "\n\n".join(
        f"{block.heading}\n" + table([*block.row_heads, *_columns(block)], _rows(block, " ± ")) for block in blocks
    )


def as_markdown(blocks: Sequence[Block]) -> str:
    """Pipe tables, one heading per block."""
    parts = []
    for block in blocks:
        head = [*block.row_heads, *(name.replace("IoU>=", "IoU ≥ ") for name in _columns(block))]
        lines = [f"### {block.heading}", "", piped(head)]
        lines.append(piped(["---"] * len(block.row_heads) + ["---:"] * (len(head) - len(block.row_heads))))
        lines += [piped(row) for row in _rows(block, " ± ")]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def as_latex(blocks: Sequence[Block]) -> str:
    """One tabular for all blocks; needs the package booktabs."""
    named = max(len(block.row_heads) for block in blocks)
    pairs = filled_columns(blocks)
    thresholds = list(dict.fromkeys(mu for mu, _ in pairs))
    counts = [sum(mu == other for other, _ in pairs) for mu in thresholds]
    edges = [named + sum(counts[:i]) for i in range(len(counts) + 1)]
    lines = [f"\\begin{{tabular}}{{{'l' * named}{'r' * len(pairs)}}}", "\\toprule"]
    for number, block in enumerate(blocks):
        blank = " & ".join([""] * named)
        lines += ["\\midrule"] if number else []
        lines += [
            f"{blank} & \\multicolumn{{{len(pairs)}}}{{c}}{{{latex_text(block.heading)}}} \\\\",
            f"{blank} & "
            + " & ".join(
                f"\\multicolumn{{{count}}}{{c}}{{$IoU \\geq {mu:g}$}}"
                for mu, count in zip(thresholds, counts, strict=True)
            )
            + " \\\\",
            " ".join(f"\\cmidrule(lr){{{low + 1}-{high}}}" for low, high in pairwise(edges)),
            " & ".join([*block.row_heads, *(split for _, split in pairs)]) + " \\\\",
            "\\midrule",
        ]
        for names, cells in block.rows:
            shown = [_shown(cells.get(pair), " $\\pm$ ") for pair in pairs]
            lines.append(" & ".join([*map(latex_text, names), *shown]) + " \\\\")
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}"])


def as_csv(blocks: Sequence[Block]) -> str:
    """One line per row of each block, with mean, deviation and number of runs of each cell, every digit kept."""
    pairs = filled_columns(blocks)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    numbers = [f"IoU>={mu:g} {split}{what}" for mu, split in pairs for what in ("", " deviation", " runs")]
    writer.writerow(["block", *blocks[0].row_heads, *numbers])
    for block in blocks:
        for names, cells in block.rows:
            values: list[object] = []
            for pair in pairs:
                cell = cells.get(pair)
                if cell is None:
                    values += ["", "", 0]
                else:
                    values += [cell.mean, "" if cell.deviation is None else cell.deviation, len(cell.values)]
            writer.writerow([block.heading, *names, *values])
    return out.getvalue().rstrip("\n")


TABLE_FORMATS: dict[str, Callable[[Sequence[Block]], str]] = {
    "text": as_text,
    "markdown": as_markdown,
    "latex": as_latex,
    "csv": as_csv,
}


def _columns(block: Block) -> list[str]:
    return [f"IoU>={mu:g} {split}" for mu, split in filled_columns([block])]


def _rows(block: Block, sign: str) -> list[list[str]]:
    pairs = filled_columns([block])
    return [[*names, *(_shown(cells.get(pair), sign) for pair in pairs)] for names, cells in block.rows]


def _shown(cell: Cell | None, sign: str) -> str:
    """Four decimals, as in the paper, with the deviation over seeds where there are several."""
    if cell is None:
        return "-"
    return figure(cell.mean) + ("" if cell.deviation is None else sign + figure(cell.deviation))
