"""Who may ask which endpoint: every role by login and by token, strangers, foreign tokens, tokens without the scope."""

# ruff: noqa: F811 - a parameter has the name of the fixture that is imported

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from api.v1.api import description
from corpus.access.api_tokens import MadeToken, make_token
from corpus.models import Account, ApiToken, Collection
from tests.api.callers import EVERY_SCOPE, Caller
from tests.test_access import (
    collection,  # noqa: F401 - fixtures
    founded,  # noqa: F401 - fixtures
    logged_in,
)

pytestmark = pytest.mark.usefixtures("with_tokens")
_tokens: dict[tuple[str, tuple[str, ...]], MadeToken] = {}
"""By whose they are and their scopes, made once for this file."""

ACCOUNT, MEMBER, ANNOTATOR, LEAD, OWNER = "account", "member", "annotator", "lead", "owner"
TRAINEE, SITE_OWNER = "trainee", "site owner"
MAY = {
    ACCOUNT: {"olga", "ada", "bo", "mal"},
    MEMBER: {"olga", "ada", "bo"},
    ANNOTATOR: {"bo"},
    LEAD: {"olga", "ada"},
    OWNER: {"olga"},
    TRAINEE: {"bo"},
    SITE_OWNER: {"sue"},
}
RULES: dict[str, tuple[str, ...]] = {
    "get_me": (ACCOUNT, "read"),
    "list_changes": (LEAD, "read"),
    "list_collections": (ACCOUNT, "read"),
    "create_a_collection": (ACCOUNT, "admin"),
    "get_collection": (LEAD, "read"),
    "archive_a_collection": (OWNER, "admin"),
    "restore_a_collection": (OWNER, "admin"),
    "list_members": (LEAD, "read"),
    "get_member": (LEAD, "read"),
    "change_member_role": (OWNER, "admin"),
    "remove_a_member": (OWNER, "admin"),
    "list_invitations": (LEAD, "read"),
    "create_invitation": (LEAD, "admin"),
    "withdraw_an_invitation": (LEAD, "admin"),
    "list_jobs": (LEAD, "read"),
    "get_job": (LEAD, "read"),
    "stop_a_job": (LEAD, "prepare"),
    "resume_a_job": (LEAD, "prepare"),
    "list_videos": (LEAD, "read"),
    "get_video": (LEAD, "read"),
    "list_moments_of_video": (LEAD, "read"),
    "list_moments": (LEAD, "read"),
    "get_moment": (LEAD, "read"),
    "list_descriptions": (LEAD, "read"),
    "get_description": (LEAD, "read"),
    "list_imports": (LEAD, "read"),
    "get_import": (LEAD, "read"),
    "list_video_imports": (LEAD, "read"),
    "import_videos": (LEAD, "prepare"),
    "get_video_import": (LEAD, "read"),
    "announce_videos": (LEAD, "prepare"),
    "list_video_uploads": (LEAD, "read"),
    "get_video_upload": (LEAD, "read"),
    "send_piece_of_video": (LEAD, "prepare"),
    "forget_video_upload": (LEAD, "prepare"),
    "announce_a_file": (MEMBER, "prepare", "release"),
    "list_files": (MEMBER, "read"),
    "get_file": (MEMBER, "read"),
    "send_piece_of_file": (MEMBER, "prepare", "release"),
    "delete_a_file": (MEMBER, "prepare", "release"),
    "preview_descriptions": (LEAD, "prepare"),
    "list_previews": (LEAD, "read"),
    "get_preview": (LEAD, "read"),
    "read_preview_anew": (LEAD, "prepare"),
    "import_preview": (LEAD, "prepare"),
    "discard_a_preview": (LEAD, "prepare"),
    "import_descriptions": (LEAD, "prepare"),
    "download_rejected_rows": (LEAD, "read"),
    "import_topics": (LEAD, "prepare"),
    "import_judgments": (LEAD, "prepare"),
    "list_judgment_imports": (LEAD, "read"),
    "get_judgment_import": (LEAD, "read"),
    "get_clips": (LEAD, "read"),
    "cut_clips": (LEAD, "prepare"),
    "rewrite_captions": (LEAD, "prepare"),
    "list_captions": (LEAD, "read"),
    "get_caption": (LEAD, "read"),
    "decide_a_caption": (LEAD, "review"),
    "accept_captions": (LEAD, "review"),
    "take_back_caption_decision": (LEAD, "review"),
    "take_back_accepted_captions": (LEAD, "review"),
    "check_a_caption_text": (LEAD, "review"),
    "get_caption_check": (LEAD, "read"),
    "write_a_caption": (LEAD, "review"),
    "rewrite_a_caption_again": (LEAD, "review"),
    "get_cast": (LEAD, "read"),
    "change_cast": (LEAD, "prepare"),
    "count_names": (LEAD, "prepare"),
    "get_rewriting": (LEAD, "read"),
    "preview_rewriting": (LEAD, "prepare"),
    "list_rewriting_previews": (LEAD, "read"),
    "get_rewriting_preview": (LEAD, "read"),
    "get_llm": (LEAD, "read"),
    "change_llm": (OWNER, "admin"),
    "try_llm": (LEAD, "prepare"),
    "list_video_sources": (LEAD, "read"),
    "get_video_names": (LEAD, "read"),
    "settle_video_names": (LEAD, "prepare"),
    "get_draw": (LEAD, "read"),
    "draw_queries": (LEAD, "prepare"),
    "list_queries": (LEAD, "read"),
    "get_query": (LEAD, "read"),
    "list_candidates": (LEAD, "read"),
    "get_pool": (LEAD, "read"),
    "fetch_the_candidates": (LEAD, "prepare"),
    "get_opening": (LEAD, "read"),
    "open_the_judging": (LEAD, "prepare"),
    "list_topics": (LEAD, "read"),
    "get_topic": (LEAD, "read"),
    "write_a_topic": (LEAD, "prepare"),
    "change_a_topic": (LEAD, "prepare"),
    "delete_a_topic": (LEAD, "prepare"),
    "list_pool_runs": (LEAD, "read"),
    "add_pool_run": (LEAD, "prepare"),
    "remove_a_pool_run": (LEAD, "prepare"),
    "get_recipe": (LEAD, "read"),
    "set_recipe": (LEAD, "prepare"),
    "make_the_pool": (LEAD, "prepare"),
    "next_pairs": (ANNOTATOR, "judge"),
    "grade_a_pair": (ANNOTATOR, "judge"),
    "undo_a_judgment": (ANNOTATOR, "judge"),
    "flag_a_pair": (ANNOTATOR, "judge"),
    "keep_my_places": (ANNOTATOR, "judge"),
    "leave_my_places": (ANNOTATOR, "judge"),
    "list_batches": (LEAD, "read"),
    "get_batch": (LEAD, "read"),
    "review_a_batch": (LEAD, "review"),
    "resume_a_batch": (LEAD, "review"),
    "list_reviews": (LEAD, "read"),
    "take_back_a_review": (LEAD, "review"),
    "apply_review_policy": (LEAD, "review"),
    "list_discarded_pairs": (LEAD, "read"),
    "adjudicate_a_pair": (LEAD, "review"),
    "withdraw_an_adjudication": (LEAD, "review"),
    "list_settings": (LEAD, "read"),
    "change_settings": (LEAD, "admin"),
    "list_flags": (LEAD, "read"),
    "answer_a_flag": (LEAD, "review"),
    "bring_back_a_pair": (LEAD, "review"),
    "list_questions": (LEAD, "read"),
    "answer_a_question": (LEAD, "review"),
    "list_notices": (LEAD, "read"),
    "post_a_notice": (LEAD, "admin"),
    "withdraw_a_notice": (LEAD, "admin"),
    "list_people": (LEAD, "read"),
    "change_person_standing": (LEAD, "admin"),
    "list_time": (LEAD, "read"),
    "list_own_time": (MEMBER, "read"),
    "correct_a_day": (LEAD, "admin"),
    "list_studies": (LEAD, "read"),
    "make_a_study": (LEAD, "prepare"),
    "put_a_study_away": (LEAD, "prepare"),
    "list_releases": (MEMBER, "read"),
    "make_a_release": (LEAD, "release"),
    "get_release": (MEMBER, "read"),
    "get_release_manifest": (LEAD, "read"),
    "download_release_file": (MEMBER, "read"),
    "download_release_archive": (LEAD, "read"),
    "check_a_release": (LEAD, "release"),
    "get_release_check": (LEAD, "read"),
    "get_release_sharing": (LEAD, "read"),
    "share_a_release": (LEAD, "release"),
    "list_publications": (LEAD, "read"),
    "get_publication": (LEAD, "read"),
    "plan_publication": (LEAD, "release"),
    "confirm_a_publication": (LEAD, "release"),
    "get_board": (MEMBER, "read"),
    "submit_run": (MEMBER, "release"),
    "list_runs": (MEMBER, "read"),
    "get_run": (MEMBER, "read"),
    "withdraw_a_run": (MEMBER, "release"),
    "list_campaigns": (LEAD, "read"),
    "get_campaign": (LEAD, "read"),
    "make_a_campaign": (LEAD, "release"),
    "change_a_campaign": (LEAD, "release"),
    "delete_a_campaign": (LEAD, "release"),
    "take_campaign_topics_anew": (LEAD, "release"),
    "choose_campaign_release": (LEAD, "release"),
    "score_campaign_runs": (LEAD, "release"),
    "open_campaign_results": (LEAD, "release"),
    "hide_campaign_results": (LEAD, "release"),
    "list_teams": (LEAD, "read"),
    "make_some_teams": (LEAD, "admin"),
    "change_a_team": (LEAD, "admin"),
    "delete_a_team": (LEAD, "admin"),
    "make_team_link": (LEAD, "admin"),
    "extend_a_team": (LEAD, "admin"),
    "disqualify_a_team": (LEAD, "admin"),
    "readmit_a_team": (LEAD, "admin"),
    "list_submissions": (LEAD, "read"),
    "get_submission": (LEAD, "read"),
    "download_submission": (LEAD, "read"),
    "exclude_a_submission": (LEAD, "release"),
    "include_a_submission": (LEAD, "release"),
    "get_campaign_pool": (LEAD, "read"),
    "pool_campaign_runs": (LEAD, "prepare"),
    "compare_campaign_runs": (LEAD, "release"),
    "get_campaign_standings": (LEAD, "read"),
    "export_a_campaign": (LEAD, "release"),
    "get_campaign_archive": (LEAD, "read"),
    "download_campaign_archive": (LEAD, "read"),
    "list_own_campaigns": (ACCOUNT, "read"),
    "get_own_campaign": (ACCOUNT, "read"),
    "download_campaign_file": (ACCOUNT, "read"),
    "list_own_runs": (ACCOUNT, "read"),
    "send_own_run": (ACCOUNT, "release"),
    "get_own_run": (ACCOUNT, "read"),
    "download_own_run": (ACCOUNT, "read"),
    "set_own_priority": (ACCOUNT, "release"),
    "withdraw_own_run": (ACCOUNT, "release"),
    "get_own_standings": (ACCOUNT, "read"),
    "get_own_topics": (ACCOUNT, "read"),
    "list_accounts": (SITE_OWNER, "admin"),
    "create_an_account": (SITE_OWNER, "admin"),
    "change_an_account": (SITE_OWNER, "admin"),
    "make_a_password_link": (SITE_OWNER, "admin"),
    "get_annotator_model": (LEAD, "read"),
    "get_what_deleting_takes": (OWNER, "read"),
    "delete_a_collection": (OWNER, "admin"),
    "get_exam": (LEAD, "read"),
    "draw_an_exam": (LEAD, "prepare"),
    "begin_own_exam": (TRAINEE, "judge"),
    "close_the_exam": (LEAD, "prepare"),
    "get_own_exam_feedback": (TRAINEE, "judge"),
    "grade_an_exam_item": (TRAINEE, "judge"),
    "grade_an_exam_item_again": (TRAINEE, "judge"),
    "hand_in_own_exam": (TRAINEE, "judge"),
    "list_exam_items": (LEAD, "read"),
    "explain_an_exam_item": (LEAD, "prepare"),
    "next_exam_items": (TRAINEE, "judge"),
    "open_the_exam": (LEAD, "prepare"),
    "undo_an_exam_grade": (TRAINEE, "judge"),
    "list_figures": (LEAD, "read"),
    "draw_a_figure": (LEAD, "read"),
    "get_guideline": (MEMBER, "read"),
    "confirm_the_guideline": (MEMBER, "judge"),
    "get_guideline_draft": (LEAD, "read"),
    "keep_guideline_draft": (LEAD, "prepare"),
    "publish_a_guideline": (LEAD, "prepare"),
    "list_guideline_versions": (MEMBER, "read"),
    "get_guideline_version": (MEMBER, "read"),
    "ask_about_a_pair": (ANNOTATOR, "judge"),
    "put_a_notice_away": (ANNOTATOR, "judge"),
    "get_own_progress": (ANNOTATOR, "judge"),
    "get_own_session": (ANNOTATOR, "judge"),
    "make_a_member_s_password_link": (LEAD, "admin"),
    "get_overview": (LEAD, "read"),
    "set_a_span": (LEAD, "review"),
    "list_partners": (LEAD, "read"),
    "get_person": (LEAD, "read"),
    "dismiss_an_alert": (LEAD, "admin"),
    "erase_a_person": (LEAD, "admin"),
    "set_a_person_s_terms": (LEAD, "admin"),
    "grade_a_practice_item": (TRAINEE, "judge"),
    "next_practice_items": (TRAINEE, "judge"),
    "get_qualification": (TRAINEE, "judge"),
    "get_certificate": (LEAD, "read"),
    "certify_a_release": (LEAD, "release"),
    "draw_a_certificate": (LEAD, "read"),
    "get_citation": (LEAD, "read"),
    "set_a_citation": (LEAD, "release"),
    "compare_two_releases": (LEAD, "read"),
    "get_public_page": (LEAD, "read"),
    "make_a_release_public": (OWNER, "release"),
    "withdraw_a_public_page": (OWNER, "release"),
    "replay_judgments": (LEAD, "read"),
    "run_to_open": (LEAD, "prepare"),
    "download_run_file": (MEMBER, "read"),
    "list_run_queries": (MEMBER, "read"),
    "get_run_query": (MEMBER, "read"),
    "show_a_run": (MEMBER, "release"),
    "withdraw_a_span": (LEAD, "review"),
    "get_spans": (LEAD, "read"),
    "get_statistics": (LEAD, "read"),
    "list_training_items": (LEAD, "read"),
    "draw_training_items": (LEAD, "prepare"),
    "explain_a_training_item": (LEAD, "prepare"),
    "drop_a_training_item": (LEAD, "prepare"),
    "list_people_in_training": (LEAD, "read"),
    "decide_about_a_person": (LEAD, "admin"),
    "list_collection_webhooks": (LEAD, "read"),
    "make_a_collection_webhook": (LEAD, "admin"),
    "list_collection_webhook_events": (LEAD, "read"),
    "remove_a_collection_webhook": (LEAD, "admin"),
    "send_again_to_a_collection_webhook": (LEAD, "admin"),
    "start_a_collection_webhook": (LEAD, "admin"),
    "stop_a_collection_webhook": (LEAD, "admin"),
    "test_a_collection_webhook": (LEAD, "admin"),
    "list_work": (LEAD, "read"),
    "get_work": (LEAD, "read"),
    "change_work": (LEAD, "admin"),
    "get_a_deletion": (ACCOUNT, "read"),
    "download_own_data": (ACCOUNT, "read"),
    "list_site_webhooks": (SITE_OWNER, "read"),
    "make_a_site_webhook": (SITE_OWNER, "admin"),
    "list_site_webhook_events": (SITE_OWNER, "read"),
    "remove_a_site_webhook": (SITE_OWNER, "admin"),
    "send_again_to_a_site_webhook": (SITE_OWNER, "admin"),
    "start_a_site_webhook": (SITE_OWNER, "admin"),
    "stop_a_site_webhook": (SITE_OWNER, "admin"),
    "test_a_site_webhook": (SITE_OWNER, "admin"),
}
"""For whom each endpoint is, and which scope a token needs; of several, one."""
OF_ARCHIVED = {"archive_a_collection", "withdraw_a_public_page", "delete_a_collection"}
"""What changes something in an archived collection, too."""
ENDPOINTS = {
    operation["operationId"]: (method.upper(), path)
    for path, methods in description()["paths"].items()
    for method, operation in methods.items()
}


@pytest.fixture(scope="module")
def with_tokens(founded: None, once_a_file: Any) -> Iterator[None]:
    """A site owner, a second collection, and everybody's tokens: to what some endpoint needs, and to all but that."""

    def found() -> None:
        Collection.objects.create(name="elsewhere", title="Elsewhere")
        Account.objects.create(username="sue", is_superuser=True)
        needed = {tuple(scopes) for _, *scopes in RULES.values()}
        wanted = {(scope,) for scopes in needed for scope in scopes} | {_lacking(scopes) for scopes in needed}
        for account in Account.objects.all():
            for scopes in wanted:
                _tokens[account.username, scopes] = make_token(account=account, name="a test", scopes=scopes)

    once_a_file(found)
    yield
    _tokens.clear()


def _lacking(scopes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(one for one in EVERY_SCOPE if one not in scopes)


def by_token(who: str, scopes: tuple[str, ...]) -> Client:
    return Client(headers={"Authorization": f"Bearer {_tokens[who, scopes].token}"}, raise_request_exception=False)


def ask(client: Client, endpoint: str, *, name: str = "paper") -> Any:
    """Ask for a row that may not be there, with a body that may be wrong: who may is told so by the guard before."""
    method, path = ENDPOINTS[endpoint]
    path = re.sub(r"\{\w+_id\}|\{version\}", "1", path.replace("{name}", name))
    return client.generic(method, re.sub(r"\{\w+\}", "x", path), b"[]", content_type="application/json")


def without_limit(settings: Any) -> None:
    settings.API_PER_MINUTE = 10**9


def test_every_endpoint_is_under_a_rule() -> None:
    assert set(ENDPOINTS) == set(RULES)


@pytest.mark.parametrize("endpoint", sorted(RULES))
def test_who_may_ask_what(collection: Collection, endpoint: str, settings: Any) -> None:
    without_limit(settings)
    role, *scopes = RULES[endpoint]
    for who in ("olga", "ada", "bo", "mal", *(["sue"] if role == SITE_OWNER else [])):
        callers = {"login": logged_in(who)}
        callers |= {f"token to {scope}": by_token(who, (scope,)) for scope in scopes}
        for how, client in callers.items():
            status = ask(client, endpoint).status_code
            if who in MAY[role]:
                assert status not in (401, 403, 405) and status < 500, (who, how, status)
            else:
                assert status == (404 if who == "mal" and role != SITE_OWNER else 403), (who, how, status)
            assert how == "login" or status != 403 or who not in MAY[role]
        assert ask(by_token(who, _lacking(tuple(scopes))), endpoint).status_code == 403
    for client in (Client(), Client(headers={"Authorization": "Bearer of-nobody"})):
        refused = ask(client, endpoint)
        assert (refused.status_code, refused["Content-Type"]) == (401, "application/problem+json")
    if role != ACCOUNT:
        whose = "sue" if role == SITE_OWNER else "olga"
        other = Collection.objects.get(name="elsewhere")
        ApiToken.objects.filter(pk=_tokens[whose, (scopes[0],)].row.pk).update(collection=other)
        expected = 403 if role == SITE_OWNER else 404
        assert ask(by_token(whose, (scopes[0],)), endpoint).status_code == expected, "a token of another collection"


@pytest.mark.parametrize(
    "endpoint", sorted(one for one, (role, *_) in RULES.items() if role not in (ACCOUNT, SITE_OWNER))
)
def test_a_stranger_s_404_is_that_of_a_collection_that_is_not_there(collection: Collection, endpoint: str) -> None:
    mal = logged_in("mal")
    there, gone = ask(mal, endpoint), ask(mal, endpoint, name="no-such")
    assert (there.status_code, gone.status_code) == (404, 404)
    assert there.content.replace(b"/paper", b"/no-such") == gone.content


@pytest.mark.parametrize("endpoint", sorted(one for one, (method, _) in ENDPOINTS.items() if method != "GET"))
def test_what_changes_something_needs_the_token_against_forgery(collection: Collection, endpoint: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(Account.objects.get(username="olga"))
    refused = ask(client, endpoint)
    assert refused.status_code == 403
    assert refused.json()["errors"][0]["field"] == "header.X-CSRFToken"


def test_an_archived_collection_is_only_read(collection: Collection, settings: Any) -> None:
    without_limit(settings)
    olga = Caller(Account.objects.get(username="olga"))
    assert olga.post("/collections/paper/archive").status_code == 200
    for endpoint, (method, path) in ENDPOINTS.items():
        if "{name}" not in path or RULES[endpoint][0] in (ANNOTATOR, TRAINEE) or endpoint == "restore_a_collection":
            continue
        status = ask(olga.client, endpoint).status_code
        assert status != 403 if method == "GET" or endpoint in OF_ARCHIVED else status == 403, endpoint
    assert olga.post("/collections/paper/restore").json()["archived_at"] is None
