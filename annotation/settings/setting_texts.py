"""What each setting means, what the paper used, and why some are fixed once judging has begun."""

from django.utils.translation import gettext_lazy

WHY_FIXED = {
    "has_clips": gettext_lazy("existing judgments were given with clips, or without."),
    "evidence": gettext_lazy("existing judgments were given by this evidence."),
    "top_grade": gettext_lazy("existing grades have a meaning only on their own scale."),
    "grade_step": gettext_lazy("existing grades have a meaning only on their own scale."),
    "consensus_rule": gettext_lazy("existing grades depend on the rule."),
    "trimmed_grades": gettext_lazy("existing grades depend on the rule."),
    "first_round_people": gettext_lazy("existing judgments depend on how many people judge a pair."),
    "second_round_people": gettext_lazy("existing judgments depend on how many people judge a disputed pair."),
    "largest_difference": gettext_lazy("existing judgments depend on which grades agree."),
    "rounding": gettext_lazy("existing grades depend on how means are rounded."),
    "factors_asked": gettext_lazy("answers would stand beside judgments without any. A factor can be retired."),
    "batch_size": gettext_lazy("batches are open, and the next one starts where they end."),
}
"""Each a sentence after "... is fixed:"."""

MEANINGS = {
    "has_clips": gettext_lazy("Whether moments have clips to watch."),
    "language": gettext_lazy(
        "The language of descriptions that state none, such as en or pt-BR. Rules and checks know English; the "
        "encoder and the name tagger know what ENCODER_LANGUAGES and NER_LANGUAGES say."
    ),
    "end_slack": gettext_lazy("How many seconds a moment may end after its video's stated duration."),
    "max_attempts": gettext_lazy(
        "How often a description is rewritten, the first time included, before a person sees it."
    ),
    "top_grade": gettext_lazy("Grades go from 0 to this number: 1 to 4, or 100."),
    "grade_step": gettext_lazy("Grades are multiples of this: 1, or of a top grade of 100 also 5, 10, 20 or 25."),
    "consensus_rule": gettext_lazy("How the grades of several people become one."),
    "trimmed_grades": gettext_lazy(
        "By the paper's rule: how many highest and how many lowest grades of both rounds are left out of the mean."
    ),
    "first_round_people": gettext_lazy("How many people judge each pair independently."),
    "second_round_people": gettext_lazy(
        "How many others judge a pair when the first grades differ too much. 0 discards the pair at once."
    ),
    "largest_difference": gettext_lazy("Grades that differ by at most this much agree."),
    "break_minutes": gettext_lazy("After how many minutes of judging the page suggests a break. 0: never."),
    "show_agreement": gettext_lazy("Whether annotators see how often they agree with their partners."),
    "repeat_days": gettext_lazy("After how many days a pair may come again as a hidden repeat."),
    "minimum_age": gettext_lazy(
        "How old people have to say that they are, in years, to join and judge. 0 asks nobody."
    ),
    "gold_share": gettext_lazy("How much gold comes with each person's work, as a share of it, 0 to 0.2."),
    "gold_feedback": gettext_lazy("Whether people are told the known grade of gold after they have graded it."),
    "title": gettext_lazy("The name that people see. The short name in addresses and commands never changes."),
    "query_kinds": gettext_lazy(
        "Which kinds of descriptions can become queries. A change applies from the next draw on."
    ),
    "pool_kinds": gettext_lazy(
        "Moments with which kinds of descriptions can be candidates. A change applies from the next fetch on."
    ),
    "rewriting_style": gettext_lazy(
        "How descriptions are rewritten: its own prompt, rules and thresholds. Applies to captions "
        "that are still to be made."
    ),
    "similarity_threshold": gettext_lazy(
        "The lowest similarity of a caption to its description that passes (cosine, -1 to 1). "
        "Empty: the threshold calibrated for the encoder and the style."
    ),
    "name_threshold": gettext_lazy(
        "A caption fails if a person's name is found in it with a higher score than this (0 to 1)."
    ),
    "discarded_names": gettext_lazy(
        "Which names that the tagger found don't make a caption fail, by why they may be none. They are shown beside "
        "the caption and counted. None: every name counts, as in the paper."
    ),
    "review_policy": gettext_lazy(
        "The caption review policy: which rewritten captions a person sees before they count."
    ),
    "least_recall": gettext_lazy(
        "For very large collections: candidates are searched for approximately, and at least this share of the moments "
        "that the exact search finds is found (0.5 to 0.999, such as 0.95). It is measured at every fetch and told by "
        "releases. Empty: the search is exact."
    ),
    "batch_size": gettext_lazy("How many candidates of a query are opened and judged together."),
    "max_batches": gettext_lazy(
        "How many batches a query can have at most. The depth is the batch size times this number."
    ),
    "extend_threshold": gettext_lazy(
        "The review recommends another batch when the last five grades average at least this much."
    ),
    "rounding": gettext_lazy("Which way a mean between two grades is rounded."),
    "kept_threshold": gettext_lazy(
        "The share of words other than names that a caption has to keep. Empty: the style's."
    ),
    "auto_extend_from": gettext_lazy(
        "The batch review policy extends a batch whose last five grades average at "
        "least this, without a lead. Empty: never."
    ),
    "auto_finish_to": gettext_lazy(
        "The batch review policy finishes a batch whose last five grades average at "
        "most this, without a lead. Empty: never."
    ),
    "seat_minutes": gettext_lazy("An annotator who is silent for this many minutes loses the seat to others."),
    "played_fraction": gettext_lazy("The share of a clip that has to be watched before a grade is accepted."),
    "evidence": gettext_lazy(
        "What of a clip the guideline asks for. With sound, clips are cut with it and only what was played with the "
        "sound on counts as watched. With subtitles, annotators read those of the clip."
    ),
    "span_agreement": gettext_lazy(
        "From which overlap (IoU, 0 to 1) starts and ends that annotators mark within a clip agree, such as 0.5. "
        "Empty: annotators mark none."
    ),
    "context_seconds": gettext_lazy(
        "How many seconds before and after a moment annotators may look at while they judge it, at most 60. Who did is "
        "kept with the grade. 0: they see the moment alone."
    ),
    "compare_clips": gettext_lazy(
        "Whether annotators may look at the last three clips of the same query that they judged, with their own grades."
    ),
    "factors_asked": gettext_lazy(
        "After which grades annotators answer the factors that are declared on the page Factors."
    ),
    "idle_seconds": gettext_lazy("The longest time between two judgments that counts as work."),
    "needs_exam": gettext_lazy("Whether people who join by an invitation train and sit an exam before they judge."),
    "offers_tryout": gettext_lazy(
        "Whether the login page lets anybody try judging, without an account, on six decided clips "
        "of this collection, and then shows their six grades. Nothing is stored. Not possible in a collection with "
        "hidden repeats or gold."
    ),
    "repeat_share": gettext_lazy("The share of each person's work that is hidden repeats, 0 to 0.1."),
    "pay_per_hour": gettext_lazy(
        "Pay for an hour of active work; a person may have another rate. Empty: no pay is shown."
    ),
    "currency": gettext_lazy("The currency of the rate, as in ISO 4217."),
    "pay_training": gettext_lazy(
        "Whether work in practice and exam is paid like judging. The invitation's page says so. "
        "Applies from then on: what was done before stays paid, or unpaid, as it was."
    ),
}
"""Sentences for the settings page."""

LABELS = {
    "title": gettext_lazy("Title"),
    "has_clips": gettext_lazy("Clips"),
    "language": gettext_lazy("Language"),
    "offers_tryout": gettext_lazy("Try it on the login page"),
    "rewriting_style": gettext_lazy("Rewriting style"),
    "similarity_threshold": gettext_lazy("Similarity threshold"),
    "name_threshold": gettext_lazy("Name threshold"),
    "discarded_names": gettext_lazy("Names that don't count"),
    "kept_threshold": gettext_lazy("Share of words kept"),
    "max_attempts": gettext_lazy("Most attempts"),
    "review_policy": gettext_lazy("Caption review policy"),
    "end_slack": gettext_lazy("Moments past the video's end"),
    "query_kinds": gettext_lazy("Kinds of queries"),
    "pool_kinds": gettext_lazy("Kinds of candidates"),
    "least_recall": gettext_lazy("Approximate search: least recall"),
    "batch_size": gettext_lazy("Batch size"),
    "max_batches": gettext_lazy("Most batches"),
    "extend_threshold": gettext_lazy("Extend threshold"),
    "auto_extend_from": gettext_lazy("Batch review policy: extend from"),
    "auto_finish_to": gettext_lazy("Batch review policy: finish to"),
    "top_grade": gettext_lazy("Top grade"),
    "grade_step": gettext_lazy("Step between grades"),
    "consensus_rule": gettext_lazy("Consensus rule"),
    "trimmed_grades": gettext_lazy("Grades left out at each end"),
    "first_round_people": gettext_lazy("People in the first round"),
    "second_round_people": gettext_lazy("People in the second round"),
    "largest_difference": gettext_lazy("Largest difference"),
    "rounding": gettext_lazy("Rounding"),
    "needs_exam": gettext_lazy("Exam"),
    "played_fraction": gettext_lazy("Share of the clip to watch"),
    "evidence": gettext_lazy("Evidence"),
    "span_agreement": gettext_lazy("Starts and ends: agreement"),
    "context_seconds": gettext_lazy("Seconds of context"),
    "compare_clips": gettext_lazy("Compare with own last clips"),
    "factors_asked": gettext_lazy("Factors are asked"),
    "seat_minutes": gettext_lazy("Minutes a seat is kept"),
    "break_minutes": gettext_lazy("Minutes until a break"),
    "show_agreement": gettext_lazy("Show agreement"),
    "repeat_share": gettext_lazy("Share of hidden repeats"),
    "repeat_days": gettext_lazy("Days until a hidden repeat"),
    "minimum_age": gettext_lazy("Minimum age"),
    "gold_share": gettext_lazy("Share of gold"),
    "gold_feedback": gettext_lazy("Feedback on gold"),
    "idle_seconds": gettext_lazy("Longest pause, in seconds"),
    "pay_per_hour": gettext_lazy("Pay per hour"),
    "currency": gettext_lazy("Currency"),
    "pay_training": gettext_lazy("Pay for training"),
}
"""What each setting is called on its page."""

DEFAULTS = {
    "similarity_threshold": gettext_lazy("by encoder"),
    "kept_threshold": gettext_lazy("by encoder and style"),
    "least_recall": gettext_lazy("exact"),
}
"""What an empty default stands for, where it isn't "none"."""

NONE = gettext_lazy("none")
"""What an empty default stands for otherwise."""

PAPER = {
    "title": gettext_lazy("TVR-Ranking"),
    "has_clips": gettext_lazy("yes"),
    "language": gettext_lazy("English"),
    "query_kinds": gettext_lazy("video"),
    "pool_kinds": gettext_lazy("video, subtitle, video and subtitle"),
    "end_slack": gettext_lazy("not stated"),
    "rewriting_style": gettext_lazy("diverse"),
    "similarity_threshold": gettext_lazy("0.4, for SimCSE"),
    "name_threshold": gettext_lazy("0.8"),
    "discarded_names": gettext_lazy("none"),
    "kept_threshold": gettext_lazy("no such check"),
    "max_attempts": gettext_lazy(
        "until it passes: what fails is rewritten again at another temperature and seen by a person"
    ),
    "review_policy": gettext_lazy("every caption that was rewritten again"),
    "least_recall": gettext_lazy("exact"),
    "batch_size": gettext_lazy("20"),
    "max_batches": gettext_lazy("2"),
    "extend_threshold": gettext_lazy("the lead's eye, no number"),
    "auto_extend_from": gettext_lazy("the lead decided each"),
    "auto_finish_to": gettext_lazy("the lead decided each"),
    "repeat_share": gettext_lazy("none"),
    "repeat_days": gettext_lazy("none"),
    "minimum_age": gettext_lazy("not stated"),
    "context_seconds": gettext_lazy("none: the moment alone"),
    "compare_clips": gettext_lazy("not stated"),
    "gold_share": gettext_lazy("none"),
    "gold_feedback": gettext_lazy("none"),
    "seat_minutes": gettext_lazy("not stated"),
    "played_fraction": gettext_lazy("not stated"),
    "evidence": gettext_lazy("picture: GIFs without sound"),
    "span_agreement": gettext_lazy("none were marked"),
    "factors_asked": gettext_lazy("never: the guideline describes three"),
    "top_grade": gettext_lazy("4"),
    "grade_step": gettext_lazy("1"),
    "consensus_rule": gettext_lazy("paper: mean, without the highest and lowest of both rounds"),
    "trimmed_grades": gettext_lazy("1"),
    "first_round_people": gettext_lazy("2"),
    "second_round_people": gettext_lazy("2"),
    "largest_difference": gettext_lazy("1"),
    "rounding": gettext_lazy("up"),
    "idle_seconds": gettext_lazy("not stated"),
    "break_minutes": gettext_lazy("not stated"),
    "show_agreement": gettext_lazy("not stated"),
    "offers_tryout": gettext_lazy("not stated"),
    "needs_exam": gettext_lazy(
        "yes, of all 23: students from China, Singapore and India with an undergraduate degree or more, "
        "balanced by gender, most native in English and the others proficient"
    ),
    "pay_per_hour": gettext_lazy(
        "14, in part-time contracts; in all about 13,000 USD for 1,200 hours, without the lead"
    ),
    "currency": gettext_lazy("SGD"),
    "pay_training": gettext_lazy("not stated"),
}
"""By setting, in words; "not stated" where the paper says nothing."""

GROUPS = (
    (gettext_lazy("The collection"), ("title", "language", "has_clips", "offers_tryout")),
    (
        gettext_lazy("Captions"),
        (
            "rewriting_style",
            "similarity_threshold",
            "name_threshold",
            "discarded_names",
            "kept_threshold",
            "max_attempts",
            "review_policy",
            "end_slack",
        ),
    ),
    (
        gettext_lazy("Queries and candidates"),
        ("query_kinds", "pool_kinds", "least_recall", "batch_size", "max_batches"),
    ),
    (gettext_lazy("Review"), ("extend_threshold", "auto_extend_from", "auto_finish_to")),
    (
        gettext_lazy("Grades and consensus"),
        (
            "top_grade",
            "grade_step",
            "consensus_rule",
            "first_round_people",
            "second_round_people",
            "largest_difference",
            "trimmed_grades",
            "rounding",
        ),
    ),
    (
        gettext_lazy("Judging"),
        (
            "needs_exam",
            "evidence",
            "played_fraction",
            "span_agreement",
            "context_seconds",
            "compare_clips",
            "factors_asked",
            "seat_minutes",
            "break_minutes",
            "minimum_age",
            "show_agreement",
            "repeat_share",
            "repeat_days",
            "gold_share",
            "gold_feedback",
        ),
    ),
    (gettext_lazy("Time and pay"), ("idle_seconds", "pay_per_hour", "currency", "pay_training")),
)
"""The settings page's sections; a setting that is in none comes last, under "More"."""
