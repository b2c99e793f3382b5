"""Which manual a page's Help leads to."""

from desk.help.manuals import INDEX

_PAGES = {
    "account": "accounts#your-own-account",
    "accounts": "accounts",
    "system": "operating#the-page-system",
    "tokens": "api#tokens",
    "collection-new members archive collection-delete collection-deletion": "desk#collections-owners-leads",
    "overview": "desk",
    "jobs job": "commands#jobs-in-the-browser",
    "webhooks site-webhooks": "webhooks",
    "audit site-audit": "desk#who-changed-what",
    "notices": "desk#notices",
    "settings": "judging#settings",
    "imports import-report import-preview": "importing",
    "import-take-back video-remove description-remove": "importing#taking-back",
    "videos video": "videos",
    "videos-add": "videos#in-the-browser",
    "video-import": "videos#from-the-server-or-s3",
    "clips": "videos#cutting-clips-in-the-browser",
    "rewriting": "rewriting#in-the-browser",
    "llm rewriting-llm": "rewriting#where-the-llm-is-asked",
    "cast": "rewriting#who-is-who",
    "caption-imports": "rewriting#captions-made-elsewhere",
    "calibration": "rewriting#calibration",
    "captions caption-list": "rewriting#the-checks",
    "pool-runs": "pools#runs",
    "pool-recipe": "pools#recipes",
    "sampling": "sampling",
    "plans plan": "planning",
    "draw pool opening": "commands#from-descriptions-to-queries",
    "topics topic": "topics",
    "work work-query": "judging#who-gets-which-pair",
    "stopping": "sampling#stop-when-it-is-settled",
    "flags": "judging#flags",
    "review review-batch review-decisions replay": "judging#review",
    "discarded": "judging#discarded-pairs",
    "spans": "judging#start-and-end",
    "machine-judges machine-judge": "machine-judges",
    "machine-similarity": "machine-judges#our-own",
    "machine-calibration": "machine-judges#calibration",
    "invitations": "judging#finding-annotators",
    "recruiting recruitment": "recruiting",
    "guideline-edit prepare applicants exam-close": "judging#guideline-training-exam",
    "time": "judging#time-and-pay",
    "people person partners model-view": "judging#people",
    "figures": "judging#figures-for-a-paper",
    "studies": "studies",
    "campaigns campaign campaign-teams campaign-team campaign-submission": "campaigns#the-organisers-pages",
    "campaign-standings": "campaigns#which-runs-differ",
    "campaign-pool": "campaigns#judging-the-runs",
    "campaign-export": "campaigns#the-archive",
    "releases": "publishing#releases-in-the-browser",
    "statistics": "releases#tables",
    "leakage": "releases#leakage",
    "release release-check release-certify": "publishing#a-releases-page",
    "release-differences": "publishing#what-changed-between-two",
    "release-public": "publishing#making-it-public",
    "publish publication": "publishing#sending-one-somewhere",
    "board": "publishing#leaderboards",
    "board-estimates": "machine-judges#boards-with-a-machines-help",
    "run run-query": "publishing#a-runs-page",
    "shared-releases": "publishing#who-sees-it",
    "judgment-audits judgment-audit release-audit": "evaluation#audit",
    "judgment-imports judgment-import": "commands#more-about-some-of-them",
    "help help-page about": INDEX,
}
TOPICS = {page: topic for pages, topic in _PAGES.items() for page in pages.split()}
"""URL name -> a manual, with an anchor where one of its headings is about the page. Annotators' pages aren't in it:
they have the guideline and dialogs of their own, and never lead to a lead's manual."""


def topic_of(page: str) -> tuple[str, str]:
    """The manual that a page's Help leads to (the list of all, where none is about it), and the anchor in it or ""."""
    manual, _, anchor = TOPICS.get(page, INDEX).partition("#")
    return manual, anchor
