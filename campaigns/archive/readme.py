"""The README of a campaign's archive: what it is, how it came about, what lies where."""

from typing import Any

from campaigns.models import Campaign
from campaigns.scoring.score import board_of
from foundation.counted import counted

FILES = """| file | what is in it |
| --- | --- |
| `manifest.json` | every file with its SHA-256 and bytes |
| `campaign.json` | dates, limits, numbers, the release |
| `rules.md` | the rules, as teams read them |
| `topics/` | what teams worked on: topics and videos |
| `teams.csv` | teams under the names that they chose to be published under, and what the pool calls them |
| `submissions.csv` | every run that was sent: its state, whether it counts, its file |
| `runs/` | the files of accepted runs, byte for byte as they were sent; withdrawn and excluded ones aren't there |
| `checks/` | a report for each run that was sent: what was wrong, with lines, or how many predictions it has |
| `results/results.csv` | every run on every measure, with intervals and groups |
| `results/topics.csv` | every run on every topic and measure |
| `results/pairs.csv` | every pair of runs: difference, interval, effect size, p-values |
| `truth/` | what the runs were scored against, as the release has it |
"""


def readme(campaign: Campaign, about: dict[str, Any]) -> str:
    """The text. Args: about: what `campaign.json` says."""
    runs, release = about["runs"], about["release"]
    lines = [
        f"# {campaign.title}",
        "",
        f"The campaign {campaign.name} on the collection {campaign.collection.name}: "
        f"{counted(about['topics'], 'topic')} over {counted(about['videos'], 'video')}, "
        f"{counted(about['teams'], 'team')}, {counted(runs['sent'], 'run')}.",
        "",
        "## What happened",
        "",
        f"Runs could be sent from {about['opens_at']} to {about['closes_at']}. Runs sent: "
        f"{runs['sent']:,}; accepted: {runs['accepted']:,}; refused by the check of their format: {runs['refused']:,}; "
        f"counting: {runs['counting']:,}, of each team at most {campaign.most_pooled}, by its own priorities, without "
        "those that were withdrawn or excluded.",
        "",
        _judging(campaign),
        "",
        _scores(campaign, about),
        "",
        "## Files",
        "",
        FILES.rstrip(),
    ]
    if release is not None:
        released = campaign.release.manifest.get("about", {}) if campaign.release else {}
        lines += ["", "## The judgments", "", f"Release {release['name']}, SHA-256 {release['archive_sha256']}."]
        lines += [f"{name.capitalize()}: {released[name]}" for name in ("licence", "citation") if released.get(name)]
    lines += [
        "",
        "## Mind",
        "",
        "A run's file may say more about its team than the team's name here does, such as the tag of a TREC run. What "
        "wasn't judged counts as not relevant. Affiliations of teams that stay anonymous are left out.",
    ]
    return "\n".join(lines) + "\n"


def _judging(campaign: Campaign) -> str:
    if not campaign.judged_later:
        return f"The topics were judged before: the {campaign.split} split of the release."
    if campaign.release is None:
        return "What is judged comes from the teams' runs; there is no release yet."
    return (
        "What was judged came from the teams' runs, by the recipe that `truth/pool.csv` names for each pair. "
        "Annotators saw neither runs nor teams."
    )


def _scores(campaign: Campaign, about: dict[str, Any]) -> str:
    if campaign.release is None:
        return "No run has been scored yet."
    board = board_of(campaign)
    measures = ", ".join(board.measures) if board is not None else ""
    measured = f"Measures: {measures}. A topic without a prediction counts 0."
    if about["significance"] is None:
        return measured
    significance = about["significance"]
    return (
        f"{measured} Intervals are 95 % bootstrap intervals over topics; runs that share a letter can't be told apart "
        f"by the randomised Tukey HSD at 0.05 ({significance['draws']:,} draws, seed {significance['seed']}), as "
        "`python -m evaluation significance` computes it."
    )
