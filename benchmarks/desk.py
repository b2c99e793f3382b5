"""Server time and SQL queries of every page of the lead, in a collection of the paper's size.

The collection is generated (`worlds/desk.py`): 3,281 queries, 96,000 pairs, 227,808 judgments, 23 people. Every
address of the site that a lead is shown and an annotator refused is asked by GET, with the collection's own rows in
it; searches and orders of the list of videos are asked, too. A page's median is told beside that of the peer, asked in
turns with it: a bare page that renders the same frame (menu and all, behind the same login) with one SQL query. The
first look is told apart. What is computed ahead by tasks is computed before, and its seconds told. Prints one JSON
object as its last line; `ratios` holds the slowest page's time, and the middle one's, over the bare page's.

    .venv/bin/python benchmarks/desk.py [--repeat N] [--times N] [--small]
"""

import argparse
import logging
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness.measuring import Turns, figure, parser, report, say, scratch_site

TARGET_MS = 300
NAME = "desk"
BARE = "bare-page"
PAGE = "page"
ASKED = {
    "videos": ("q=%22carries+the+box%22", "q=box", "q=clip_00042", "problem=no-file", "sort=-moments"),
    "videos-csv": ("q=%22carries+the+box%22",),
}
"""What the pages that search are asked, too, by their address's name."""
SMALL_TIMES_ONE_OF = 5
"""Of the pages, all of which are shown before: each is asked four times more."""


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument(
        "--repeat", type=int, default=7, metavar="N", help="requests a page, of which the median counts"
    )
    arguments.add_argument("--times", type=int, default=1, metavar="N", help="so many times the paper's rows")
    options = arguments.parse_args()
    if options.small:
        options.repeat = 1
    with scratch_site(options, broker=True):
        from django.core.management import call_command

        call_command("collectstatic", verbosity=0, interactive=False)
        report(measure(options))


def measure(options: argparse.Namespace) -> dict[str, Any]:
    from django.conf import settings

    from annotation import precomputed
    from benchmarks.worlds.desk import PAPER, SMALL, build_desk_world, check
    from benchmarks.worlds.releases import draw_training, hold_campaign, publish_first, release_twice, score_runs
    from foundation.models import Collection

    settings.ALLOWED_HOSTS = ["testserver"]
    logging.getLogger("django.request").setLevel(logging.CRITICAL)  # every refusal would be told with its traceback
    size = (SMALL if options.small else PAPER).times(options.times)
    began = time.perf_counter()
    build_desk_world(NAME, size=size)
    draw_training(NAME)
    check(NAME, size=size)
    say(f"{size.pairs:,} pairs, {size.judgments:,} judgments made in {time.perf_counter() - began:.0f} s")
    collection: Any = Collection.objects.get(name=NAME)
    with_records(collection)
    released = release_twice(NAME)
    publish_first(NAME)
    scoring = score_runs(NAME)
    hold_campaign(NAME)
    say(f"releases made: {released}; two runs scored in {scoring} s")
    ahead = {}
    first, second = collection.releases.order_by("pk").values_list("pk", flat=True)
    judge = collection.machine_judges.get(name="clipper")
    for name in [*precomputed.names(), f"differences:{first}-{second}", f"machine-calibration:{judge.pk}"]:
        began = time.perf_counter()
        precomputed.refresh_computed(collection=collection, name=name)
        ahead[name] = round(time.perf_counter() - began, 2)
        say(f"computed ahead: {name}, {ahead[name]} s")
    with_bare_page()
    ada, someone = (logged_in(name) for name in ("ada", f"{NAME}-w01"))
    bare = f"/c/{NAME}/{BARE}/"
    ada.get(bare)
    addresses_by_name, left_out = lead_pages(collection, ada, someone)
    with_searches = [
        (f"{name}?{asked}", f"{address}?{asked}")
        for name, address in addresses_by_name
        for asked in ASKED.get(name, ())
    ]
    pages = []
    timed_pages = addresses_by_name[::SMALL_TIMES_ONE_OF] if options.small else addresses_by_name
    for name, address in [*timed_pages, *with_searches]:
        pages.append({"page": name, "address": address, **timed(ada, address, bare, options.repeat)})
        say(
            f"{pages[-1]['ms']:8.1f} ms {pages[-1]['queries']:4d} queries, {pages[-1]['first_ms']:8.1f} ms at first  "
            f"{address}"
        )
    pages.sort(key=lambda page: -page["ms"])
    found_ratios = {
        figure_name: {
            "slowest page / bare page": max(page[name] for page in pages),
            "median page / bare page": round(statistics.median(page[name] for page in pages), 2),
        }
        for figure_name, name in (("processor_ratios", "processor_ratio"), ("ratios", "ratio"))
    }
    return {
        "pairs": size.pairs,
        "judgments": size.judgments,
        "bare_page_ms": figure(statistics.median(page["bare_ms"] for page in pages)),
        "release_seconds": released,
        "scoring_seconds": scoring,
        "computed_ahead_seconds": ahead,
        "pages": pages,
        "slower_than_300_ms": [page["page"] for page in pages if page["ms"] >= TARGET_MS],
        "first_look_slower_than_300_ms": [page["page"] for page in pages if page["first_ms"] >= TARGET_MS],
        "without_a_row_to_show": left_out,
        **found_ratios,
    }


def lead_pages(collection: Any, lead: Any, annotator: Any) -> tuple[list[tuple[str, str]], list[str]]:
    """The addresses that the one client is shown and the other refused, by name; and the names of those that could not
    be asked for, since the collection has no row that they show."""
    shown, left_out = [], []
    for name, address in addresses(collection):
        if address is None:
            if lead.get(placeholder(name)).status_code != 405:  # it is a page, not only written to
                left_out.append(name)
            continue
        status = lead.get(address).status_code
        if status == 404:
            left_out.append(name)
        elif status == 200 and annotator.get(address).status_code in (403, 404):
            shown.append((name, address))
    return shown, left_out


def with_records(collection: Any) -> None:
    """What leaves one row each: imports that rejected something, a guideline, a notice, a study that could not be made,
    a topic; a machine judge of all pairs; a factor that every judgment answers; a plan; context for annotators; and a
    policy for reviews, whose page says what of that which waits is clear by it."""
    from django.core.files.base import ContentFile
    from django.core.files.storage import default_storage
    from django.db import connection

    from annotation.consent.survey import ask_question
    from annotation.consent.texts import publish_consent
    from annotation.machine_judges.judges import MachineGrade, declare_judge, store_judgments
    from annotation.models import Factor, Notice, Study
    from annotation.qualification.guidelines import publish_guideline
    from annotation.recruiting.entering import enter
    from annotation.recruiting.platforms import Ids
    from annotation.recruiting.recruitments import Terms, make_recruitment
    from corpus.models import Import, ImportPreview, Moment, VideoImport
    from datasets.models import JudgmentImport
    from datasets.planning.jobs import make_plan
    from datasets.planning.services import Asked, ask_for_plan
    from datasets.planning.sources import led_with
    from queries.models import Candidate, CandidateFetch, LlmTrial, TopicImport
    from queries.topics.edit_topics import add_topic

    lead = collection.memberships.filter(role="lead")[0]
    collection.auto_extend_from, collection.auto_finish_to, collection.context_seconds = 2.5, 1, 5
    collection.factors_asked = "every"
    collection.save(update_fields=["auto_extend_from", "auto_finish_to", "context_seconds", "factors_asked"])
    asked = {
        "key": "action",
        "name": "Action",
        "question": "Is it the same action?",
        "answers": ["no", "in part", "yes"],
    }
    factor = Factor.objects.create(collection=collection, place=1, **asked)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO annotation_judgedfactor (judgment_id, factor_id, value) SELECT j.id, %s, least(j.grade, 2)"
            " FROM annotation_judgment j JOIN annotation_pair p ON p.id = j.pair_id"
            " JOIN annotation_batch b ON b.id = p.batch_id WHERE b.collection_id = %s",
            [factor.pk, collection.pk],
        )
    publish_consent(lead=lead, source="# Consent", on_withdrawal="kept")
    ask_question(lead=lead, kind="choice", text="Tea?", options=["yes", "no"])
    publish_guideline(lead=lead, source="# Grades\n\n4 is perfect, 0 has nothing to do with it.")
    Notice.objects.create(collection=collection, text="Welcome.", made_by=lead)
    Study.objects.create(
        collection=collection, kind="pilot", number=1, queries=5, seed=1, depth=20, state="refused", asked_by=lead
    )
    recruitment = make_recruitment(lead=lead, terms=Terms("wave", "prolific", "judgments", amount=20))
    for number in range(collection.memberships.count()):
        enter(recruitment=recruitment, ids=Ids(f"pid{number}", f"session{number}"), consent=1)
    judge = declare_judge(
        collection=collection, member=lead, name="clipper", kind="file", model="ViT-B/32", family="CLIP"
    )
    candidates = Candidate.objects.filter(query__collection=collection).order_by("pk").values_list("pk", flat=True)
    store_judgments(judge=judge, rows=(MachineGrade(pk, pk % 4) for pk in candidates.iterator()))
    make_plan(ask_for_plan(member=lead, asked=Asked(0.02), sources=led_with(lead)).pk)
    CandidateFetch.objects.create(collection=collection, member=lead, state="done", said="All are ranked.")
    topic = add_topic(
        collection=collection, typed={"id": "news-1", "text": "Somebody reads the news.", "split": "test"}
    )
    Candidate.objects.create(query=topic, rank=1, moment=Moment.objects.filter(video__collection=collection)[0])
    TopicImport.objects.create(
        collection=collection, member=lead, file_name="a.trec", stored_file="topics/a", split="test", state="refused"
    )
    JudgmentImport.objects.create(
        collection=collection, member=lead, file_name="a.csv", stored_file="judgments/a", size=1, state="refused"
    )
    Import.objects.create(
        collection=collection,
        member=lead,
        file_name="show.jsonl",
        stored_file="imports/show",
        size=1,
        state="done",
        rejected_file=default_storage.save("imports/show.rejected", ContentFile(b'{"video": ""}\n')),
    )
    ImportPreview.objects.create(
        collection=collection, member=lead, file_name="more.csv", stored_file="imports/more", size=1, state="refused"
    )
    LlmTrial.objects.create(collection=collection, state="refused", problem="No LLM is set, so rules rewrite.")
    VideoImport.objects.create(collection=collection, member=lead, state="done", said="All files are here.")


def placeholder(name: str) -> str:
    """An address of that name with anything in it, to see what may be sent there."""
    from django.urls import get_resolver

    shape, arguments = get_resolver().reverse_dict.getlist(name)[0][0][0]
    return "/" + str(shape) % dict.fromkeys(arguments, "1")


def with_bare_page() -> None:
    """The peer: the frame of every page, the login, and one SQL query of its own."""
    from django.http import HttpRequest
    from django.urls import clear_url_caches, path

    from config import urls
    from foundation.access.pages import PageFacts, lead_page
    from foundation.models import Membership

    @lead_page("base.html")
    def bare(request: HttpRequest, member: Membership) -> PageFacts:
        return {
            "people": member.collection.memberships.count(),
        }

    addresses: list[Any] = urls.urlpatterns
    addresses.append(path(f"c/<slug:name>/{BARE}/", bare, name=BARE))
    clear_url_caches()


def logged_in(username: str) -> Any:
    from django.test import Client

    from foundation.models import Account

    client = Client(raise_request_exception=False)
    client.force_login(Account.objects.get(username=username))
    return client


def addresses(collection: Any) -> Iterator[tuple[str, str | None]]:
    """Every address under a collection, with rows of its own; None where it has no row of the kind that one needs."""
    from django.urls import URLResolver, get_resolver, reverse

    rows = samples(collection)

    def walk(within: Any) -> Iterator[Any]:
        for entry in within.url_patterns:
            if isinstance(entry, URLResolver):
                yield from walk(entry)
            else:
                yield entry

    for pattern in walk(get_resolver()):
        arguments = set(pattern.pattern.converters) | set(pattern.pattern.regex.groupindex)
        # Public pages are nobody's of the collection, and there are none as long as no release is made public.
        # The API has no pages: tests/api says that its lists ask no more for more rows.
        if "name" not in arguments or pattern.name == BARE or pattern.name.startswith(("published", "api-")):
            continue
        known = {
            "name": collection.name,
            **{key: rows[key, pattern.name] for key in arguments if (key, pattern.name) in rows},
        }
        known |= {key: rows[key, ""] for key in arguments - set(known) if (key, "") in rows}
        missing = arguments - set(known)
        yield pattern.name, None if missing else reverse(pattern.name, kwargs={key: known[key] for key in arguments})


def samples(collection: Any) -> dict[tuple[str, str], Any]:
    """(argument, address's name or "" for all) -> a value: ids of a row in the middle of its table."""
    from annotation.models import Batch, Flag, Judgment, MachineJudge, Pair, SetAside, Study
    from campaigns.models import Submission, Team
    from corpus.models import Video
    from datasets.models import BoardEstimate, Publication, ReleaseJob, Run, RunAnswer
    from queries.models import CandidateFetch, Caption, Query

    def middle(rows: Any) -> Any:
        ids = rows.order_by("pk").values_list("pk", flat=True)
        count = ids.count()
        return ids[count // 2] if count else None

    ids = {
        "batch_id": middle(Batch.objects.filter(collection=collection, status="decided")),
        "query_id": middle(Query.objects.filter(collection=collection)),
        "topic_id": middle(Query.objects.filter(collection=collection, description=None)),
        "pair_id": middle(Pair.objects.filter(batch__collection=collection)),
        "judgment_id": middle(Judgment.objects.filter(pair__batch__collection=collection)),
        "judge_id": middle(MachineJudge.objects.filter(collection=collection, name="clipper")),
        "plan_id": middle(collection.plans.all()),
        "gold_id": middle(collection.gold_pairs.all()),
        "set_aside_id": middle(SetAside.objects.filter(member__collection=collection)),
        "flag_id": middle(Flag.objects.filter(pair__batch__collection=collection)),
        "description_id": middle(collection.descriptions.all()),
        "video_id": middle(Video.objects.filter(collection=collection)),
        "caption_id": middle(Caption.objects.filter(description__collection=collection)),
        "member_id": middle(collection.memberships.filter(role="annotator")),
        "import_id": middle(collection.imports.all()),
        "judgment_import_id": middle(collection.judgment_imports.all()),
        "video_import_id": middle(collection.video_imports.all()),
        "preview_id": middle(collection.import_previews.all()),
        "notice_id": middle(collection.notices.all()),
        "recruitment_id": middle(collection.recruitments.all()),
        "kind": "release",
        "job_id": middle(ReleaseJob.objects.filter(collection=collection)),
        "fetch_id": middle(CandidateFetch.objects.filter(collection=collection)),
        "study_id": middle(Study.objects.filter(collection=collection)),
        "publication_id": middle(Publication.objects.filter(release__collection=collection)),
        "campaign_id": middle(collection.campaigns.all()),
        "team_id": middle(Team.objects.filter(campaign__collection=collection)),
        "submission_id": middle(Submission.objects.filter(team__campaign__collection=collection)),
        "estimate_id": middle(BoardEstimate.objects.filter(release__collection=collection)),
        "survey_question_id": middle(collection.survey_questions.all()),
        "run_id": middle(Run.objects.filter(board__release__collection=collection)),
    }
    ids["answer_id"] = middle(RunAnswer.objects.filter(run=ids["run_id"]))
    guideline = collection.guidelines.order_by("-version").first()
    ids["version"] = guideline and guideline.version
    releases = list(collection.releases.order_by("pk")[:2])
    if releases:
        ids |= {"release_id": releases[0].pk, "first_id": releases[0].pk, "second_id": releases[-1].pk}
        ids |= {"split": "test", "path": "val.json", "key": "agreement", "what": "people"}
    values = {(key, ""): value for key, value in ids.items() if value is not None}
    values["file", "campaign-standings-file"], values["what", "recruitment-csv"] = "results", "sessions"
    values["ending", "board-estimate-file"] = "json"
    values["key", "statistics-table"], values["ending", "statistics-table"] = "material", "tex"
    values["key", "release-audit-file"], values["ending", "release-audit-file"] = "audit", "csv"
    values["ending", "machine-calibration-file"] = values["ending", "plan-file"] = "csv"
    values["ending", "factor-figures-file"] = "csv"
    values["ending", "evidence-use-file"] = "csv"
    pair = Pair.objects.filter(pk=ids["pair_id"]).first()
    values["pair", "judge-context"] = pair and pair.public_id
    for page in ("figure-svg", "figure-csv"):
        values["key", page] = "agreement"
    return values


def timed(client: Any, address: str, bare: str, repeat: int) -> dict[str, Any]:
    """Median milliseconds of the server's work, the body included, in turns with the bare page's; those of the first
    look, before anything of the page is kept; and the SQL queries of one request."""
    from django.core.cache import cache
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    def ask(asked: str) -> int:
        response = client.get(asked)
        assert response.status_code == 200, (asked, response.status_code)
        return len(b"".join(response.streaming_content) if response.streaming else response.content)

    cache.clear()
    began = time.perf_counter()
    ask(address)
    first = 1000 * (time.perf_counter() - began)
    with CaptureQueriesContext(connection) as captured:
        size = ask(address)
    # Now: the next request forgets them.
    queries = len(captured)
    turns = Turns()
    turns.take_all({PAGE: lambda: ask(address), BARE: lambda: ask(bare)}, rounds=repeat)
    return {
        "ms": figure(1000 * turns.wall(PAGE)),
        "processor_ms": figure(1000 * turns.processor(PAGE)),
        "first_ms": figure(first),
        "bare_ms": figure(1000 * turns.wall(BARE)),
        "ratio": round(turns.ratio(PAGE, BARE), 2),
        "processor_ratio": round(turns.processor_ratio(PAGE, BARE), 2),
        "queries": queries,
        "kilobytes": round(size / 1000),
    }


if __name__ == "__main__":
    main()
