"""Every address of the site by its name, and the rule that it is under."""

from collections.abc import Iterator

from django.urls import URLPattern, URLResolver, get_resolver, reverse

import api.urls

OPEN = {"home", "login", "logout", "clip", "query-medium", "join", "take-part", "clip-context", "tokens"} | {
    *("clip-subtitles", "collection-new"),
    "account",
    "erase-account",
    "erased",
    "service-worker",
    "welcome",
    "password-link",
    "password-forgotten",
    *("mfa_authenticate", "account_login", "second-factor", "oidc", "oidc-callback", "passkey-login"),
    "passkey-proof-options",
    "accounts",
    "account-data",
    *("help", "help-page", "about"),
    *("system", "alert-mail", "start-mails", "back-up", "site-audit", "site-webhooks"),
    *("mail-choice", "mail-stop"),
    *("collection-deletion", "collection-deletion-progress"),
    *("judgment-audits", "judgment-audit", "judgment-audit-progress", "judgment-audit-file"),
}
"""Addresses of no collection; clips, invitations, recruiting's entry (tests/annotation/recruiting), accounts
(tests/foundation/accounts), Help
(tests/desk/help), System (tests/operation), mails (tests/foundation/mail), audits (tests/datasets/judgment_audits) and
tokens have their own tests."""
TRYOUT = {"try", "try-next", "try-grade", "try-undo", "try-again", "try-result"}
"""For anybody, where a collection offers it: tests/annotation/tryout/."""
LEAD_PAGES = set(
    """
    overview settings settings-scale members notices captions caption-card caption-checked caption-list rewriting
    rewriting-llm rewriting-llm-trial cast caption-imports calibration
    pool pool-runs pool-recipe sampling factors factors-csv factor-figures factor-figures-file
    imports import-report import-rejected import-preview import-template videos videos-csv video
    videos-add video-import clips
    review review-queue review-batch review-decisions review-decisions-csv discarded spans flags
    work work-query replay
    applicants exam-close prepare
    time time-csv people people-csv partners partners-csv person person-gold gold model-view evidence-use
    evidence-use-file
    figures figure-svg figure-csv studies
    releases release release-archive release-differences release-differences-csv statistics
    leakage leakage-csv statistics-table release-certificate release-certificate-figure release-audit release-audit-file
    board-estimates board-estimate-file
    publish publication
    jobs job job-progress webhooks
    audit audit-csv audit-jsonl
    plans plan plan-file
    machine-judges machine-judge machine-judge-pairs machine-calibration machine-calibration-file machine-similarity
    machine-similarity-pairs
    survey-csv recruitment recruitment-csv
    opening stopping judgment-imports judgment-import draw topics topic
    campaigns campaign campaign-teams campaign-team campaign-submission campaign-submission-file
    campaign-standings campaign-standings-file campaign-pool campaign-export campaign-archive
    """.split()
)
OF_A_ROW = set(
    """
    recruitment recruitment-csv recruitment-change
    video-import
    video import-report import-rejected import-preview
    import-take-back video-remove description-remove
    caption-import-decide calibration-adopt
    machine-judge machine-judge-ask machine-judge-grades machine-judge-pairs machine-judge-retire
    machine-calibration machine-calibration-file evidence-use-file factor-figures-file
    import-preview-decide rewriting-llm-trial review-batch work-query work-change person figure-svg figure-csv
    study-put-away person-gold gold-remove set-aside set-aside-withdraw
    release release-share release-citation release-archive release-signature release-signature-off
    release-differences release-differences-csv
    statistics-table release-certificate release-certificate-figure release-certify release-audit release-audit-file
    plan plan-file plan-change
    board-estimates board-estimate-ask board-estimate-file
    publish publish-look publication publication-send
    job job-progress job-stop job-resume webhook-change judgment-import release-check topic topic-change
    video-content video-hide
    topic-delete topic-medium topic-medium-remove
    pool-run-remove
    campaign campaign-teams campaign-team campaign-submission campaign-submission-file
    campaign-change campaign-topics campaign-release campaign-score campaign-results campaign-delete campaign-teams-make
    campaign-team-change campaign-submission-decide
    campaign-standings campaign-standings-file campaign-pool campaign-export campaign-archive
    campaign-compare campaign-pool-make campaign-export-make
    """.split()
)
"""Lead pages of one row: where there is none yet they are a 404 even for leads."""
SHOWN_AGAIN = {
    "campaign-make",
    "settings-scale-number",
    "caption-import-send",
    "topics-import",
    "topic-add",
    "pool-recipe-change",
    "sampling-make",
    "factors-add",
    "factors-upload",
    "plan-make",
    "pool-run-add",
    "draw-make",
    "gold-add",
    "import-look",
    "import-upload",
    "judgment-import-upload",
    "machine-judge-declare",
    "machine-judge-declare-server",
    "machine-similarity-fit",
    "notice-post",
    "release-make",
    "run-to-open",
    "stopping-goal",
    "time-correct",
    "webhook-make",
}
"""Forms that are shown again with what is wrong in them, by the answer to what was sent."""
LEAD_POSTS = {
    *("campaign-make", "campaign-change", "campaign-topics", "campaign-release", "campaign-score", "campaign-results"),
    *("campaign-delete", "campaign-teams-make", "campaign-team-change", "campaign-submission-decide"),
    *("campaign-compare", "campaign-pool-make", "campaign-export-make"),
    *("gold-add", "gold-remove", "set-aside", "set-aside-withdraw"),
    "caption-import-send",
    "caption-import-decide",
    "calibration-start",
    "calibration-adopt",
    "topics-import",
    "topic-add",
    "topic-change",
    "topic-delete",
    "topic-medium",
    "video-content",
    "video-hide",
    "topic-medium-remove",
    "webhook-make",
    "webhook-change",
    "pool-make",
    "sampling-make",
    "sampling-extend",
    "sampling-remove",
    "factors-add",
    "factors-change",
    "factors-upload",
    "pool-recipe-change",
    "pool-run-add",
    "pool-run-remove",
    "pool-fetch",
    "caption-check",
    "caption-decide",
    "caption-accept-many",
    "caption-undo",
    "review-decide",
    "review-take-back",
    "review-decide-clear",
    "discarded-adjudicate",
    "discarded-withdraw",
    "span-set",
    "span-withdraw",
    "flag-answer",
    "pair-bring-back",
    "pair-withdraw",
    "clips-cut-again",
    "work-change",
    "time-correct",
    "computed-refresh",
    "person-change",
    "person-terms",
    "alert-dismiss",
    "import-upload",
    "cast-change",
    "cast-names",
    "rewriting-preview",
    "rewriting-start",
    "rewriting-llm-change",
    "rewriting-llm-try",
    "import-look",
    "import-preview-decide",
    "video-import-start",
    "video-names-settle",
    "video-uploads-give-up",
    "clips-cut",
    "invitation-withdraw",
    "recruitment-change",
    "applicant-decide",
    "exam-move",
    "prepare-draw",
    "prepare-explain",
    "prepare-explain-exam",
    "release-make",
    "release-share",
    "release-citation",
    "release-signature",
    "release-signature-off",
    "publish-look",
    "publication-send",
    "job-stop",
    "job-resume",
    "opening-open",
    "plan-make",
    "plan-change",
    "stopping-goal",
    "stopping-change",
    "draw-make",
    "release-check",
    "release-certify",
    "board-estimate-ask",
    "judgment-import-upload",
    "machine-judge-ask",
    "machine-similarity-fit",
    "machine-judge-declare",
    "machine-judge-declare-server",
    "machine-judge-grades",
    "machine-judge-retire",
    "member-change",
    "archive",
    "notice-post",
    "notice-withdraw",
    "question-answer",
    "settings-change",
    "settings-scale-number",
    "settings-scale-change",
    "study-start",
    "run-to-open",
    "study-put-away",
    *("survey-sum", "survey-retire"),
}
OWNER_FORMS = {"collection-delete"}
"""Pages for owners alone that take a POST at the same address."""
OWNERS_OF_A_RELEASE = {"release-public", "release-public-off"}
"""For owners alone, of one release: what of it is public."""
PUBLISHED = {"published", "published-file", "published-archive", "published-poster", "published-clip"} | {
    "published-certificate",
    "published-certificate-figure",
}
"""For anybody while a release's page is public: tests/datasets/presentation."""
LEAD_FORMS = {
    "invitations",
    "recruiting",
    "guideline-edit",
    "import-take-back",
    "video-remove",
    "description-remove",
} | {
    "consent-edit",
    "survey-edit",
}
"""Pages for leads that take a POST at the same address."""
INSTALLATION = {"llm", "llm-try", "llm-trial"}
"""For the owners of the installation: tests/queries/rewriting/test_llm_settings.py."""
LEAD_REQUESTS = {"video-uploads", "video-upload"}
"""Of a lead's page itself: whoever is logged out gets a 401; tests/corpus/video_import/test_uploads.py."""
OWN_POSTS = {
    "token-revoke",
    "account-own-change",
    "password-change",
    "login-end",
    "second-factor-change",
    "site-webhook-change",
    *("passkey-new-options", "passkey-add", "passkey-change"),
    "oidc-link",
} | {
    "account-change",
    "account-password-link",
    "offer-begin",
    *("judgment-audit-upload", "judgment-audit-change"),
}
"""Of an account, not of a collection; tests/foundation/access/test_api_tokens.py, tests/foundation/accounts."""
TEAMS = {"campaign-home", "campaign-board", "campaign-file", "campaign-submit", "team-change", "team-join"} | {
    *("team-submission", "team-submission-progress", "team-submission-change", "team-submission-file"),
    *("public-standings", "public-standings-file", "team-topics"),
}
"""Of a campaign's teams, who are members of no collection; and its public pages: tests/campaigns/test_team_pages.py,
tests/campaigns/test_standings.py."""
LINKS = {"member-password-link"}
"""Posts of leads about one person, with a page as answer; tests/foundation/accounts/test_password_links.py."""
GUIDELINE = {"guideline", "guideline-version", "guideline-confirm", "judge-guideline", "judge-guideline-confirm"} | {
    *("consent", "consent-version", "consent-confirm", "consent-withdraw", "survey")
}
"""For every member, the barred too: a guideline says nothing about any pair, nor does a consent text or the survey
(tests/annotation/consent)."""
TRAINING_PAGES = {"qualification", "training", "practice", "exam", "exam-feedback", "again"}
TRAINING_POSTS = {"exam-begin", "exam-hand-in"}
TRAINING_REQUESTS = {
    "practice-next",
    "practice-grade",
    "exam-next",
    "exam-grade",
    "exam-undo",
    "again-next",
    "again-grade",
}
JUDGING_PAGES = {"judge"}
JUDGING_REQUESTS = {"judge-next", "judge-grade", "judge-undo", "judge-flag", "judge-alive", "judge-leave"} | {
    "judge-answer-read"
}
TOLD_REQUESTS = {"notice-read", "question-read"}
"""An annotator, in training or not, has put away what the lead told."""
MEMBER_POSTS = {"own-content-choose"}
MEMBER_PAGES = {"own-time", "own-content", "shared-releases"}
"""Each member's own, leads and annotators alike."""
API = {pattern.name for pattern in api.urls.urlpatterns[1].url_patterns} | {"api-openapi"}
"""Endpoints for programs, each under its rule in tests/api/endpoint_rules.py; and their description, for anybody."""
JUDGING_FIGURES = {"judge-progress", "judge-session"}
JUDGING_EVIDENCE = {"judge-context", "judge-earlier"}
"""Of what is at hand alone, where the lead allows it; else 404: tests/annotation/judging/test_context.py."""
RECRUITED = {"own-session"}
"""Of who was sent by a platform, and nobody else: tests/annotation/recruiting."""
SHARED_PAGES = {"release-file", "board", "run", "run-file", "run-query", "run-figure", "release-trace"}
SHARED_POSTS = {"run-upload", "run-withdraw", "run-show"}
"""Of one release: to whom it is shared with (leaderboard/test_board_pages.py), else as if it weren't there."""


def patterns(within: URLResolver | None = None) -> Iterator[URLPattern]:
    for entry in (within or get_resolver()).url_patterns:
        if isinstance(entry, URLResolver):
            yield from patterns(entry)
        else:
            yield entry


def address(name: str, number: int = 1, collection: str = "paper") -> str:
    pattern = next(pattern for pattern in patterns() if pattern.name == name)
    numbers = {key: number for key in pattern.pattern.converters if key != "name"}
    return reverse(name, kwargs={"name": collection, **numbers})
