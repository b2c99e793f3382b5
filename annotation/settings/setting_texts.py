"""What each setting means, what the paper used, and why some are fixed once judging has begun."""

WHY_FIXED = {
    "has_clips": "existing judgments were given with clips, or without.",
    "top_grade": "existing grades have a meaning only on their scale.",
    "first_round_people": "existing judgments depend on it: it says how many people judge a pair.",
    "second_round_people": "existing judgments depend on it: it says how many people judge a disputed pair.",
    "largest_difference": "existing judgments depend on it: it says which grades agree.",
    "rounding": "existing judgments depend on it: it decides the grade between two others.",
    "batch_size": "batches are open, and the next one starts where they end.",
}
"""Each a sentence after "... is fixed:"."""

MEANINGS = {
    "title": "The name that people see. The short name, used in addresses and commands, never changes.",
    "query_kinds": "Which kinds of descriptions become queries. Applies to the next draw.",
    "pool_kinds": "Which kinds of descriptions make their moments candidates. Applies to the next fetch.",
    "rewriting_style": "How descriptions are rewritten: its own prompt, rules and thresholds. Applies to captions "
    "that are still to be made.",
    "similarity_threshold": "The lowest similarity of a caption to its description that passes (cosine, -1 to 1). "
    "Empty: the threshold calibrated for the encoder and the style.",
    "name_threshold": "A caption fails if a person's name is found in it with a higher score than this (0 to 1).",
    "review_policy": "The caption review policy: which rewritten captions a person sees before they count.",
    "batch_size": "How many candidates of a query are judged together.",
    "max_batches": "The most batches a query can have. Batch size times this is the depth.",
    "extend_threshold": "The review recommends the next batch when the last five grades average at least this.",
    "rounding": "How a mean between two grades is rounded.",
    "kept_threshold": "The share of words other than names that a caption has to keep. Empty: the style's.",
    "auto_extend_from": "The batch review policy extends a batch whose last five grades average at "
    "least this, without a lead. Empty: never.",
    "auto_finish_to": "The batch review policy finishes a batch whose last five grades average at "
    "most this, without a lead. Empty: never.",
    "seat_minutes": "An annotator who is silent for this many minutes loses the seat to others.",
    "played_fraction": "The share of a clip that has to be watched before a grade is accepted.",
    "idle_seconds": "The longest time between two judgments that counts as work.",
    "needs_exam": "Whether people who join by an invitation train and sit an exam before they judge.",
    "offers_tryout": "Whether the login page lets anybody try judging, without an account, on six decided clips "
    "of this collection, and then shows their six grades. Nothing is stored. Not in a collection with hidden repeats.",
    "repeat_share": "The share of each person's work that is hidden repeats, 0 to 0.1.",
    "pay_per_hour": "Pay for an hour of active work; a person may have another rate. Empty: no pay is shown.",
    "currency": "The currency of the rate, as in ISO 4217.",
    "pay_training": "Whether work in practice and exam is paid like judging. The invitation's page says so. "
    "Applies from then on: what was done before stays paid, or unpaid, as it was.",
}
"""Sentences for the settings page, instead of the column's help text."""

LABELS = {
    "kept_threshold": "Share of words kept",
    "offers_tryout": "Try it on the login page",
    "review_policy": "Caption review policy",
    "auto_extend_from": "Batch review policy: extend from",
    "auto_finish_to": "Batch review policy: finish to",
}
"""Labels of settings whose field's name isn't clear enough."""

DEFAULTS = {"similarity_threshold": "by encoder", "kept_threshold": "by encoder and style"}
"""What an empty default stands for, where it isn't "none"."""

PAPER = {
    "title": "TVR-Ranking",
    "has_clips": "yes",
    "query_kinds": "video",
    "pool_kinds": "video, subtitle, video and subtitle",
    "end_slack": "not stated",
    "rewriting_style": "diverse",
    "similarity_threshold": "0.4, for SimCSE",
    "name_threshold": "0.8",
    "kept_threshold": "no such check",
    "max_attempts": "until it passes: what fails is rewritten again at another temperature and seen by a person",
    "review_policy": "every caption that was rewritten again",
    "batch_size": "20",
    "max_batches": "2",
    "extend_threshold": "the lead's eye, no number",
    "auto_extend_from": "the lead decided each",
    "auto_finish_to": "the lead decided each",
    "repeat_share": "none",
    "repeat_days": "none",
    "seat_minutes": "not stated",
    "played_fraction": "not stated",
    "top_grade": "4",
    "first_round_people": "2",
    "second_round_people": "2",
    "largest_difference": "1",
    "rounding": "up",
    "idle_seconds": "not stated",
    "break_minutes": "not stated",
    "show_agreement": "not stated",
    "offers_tryout": "not stated",
    "needs_exam": "yes, of all 23: students from China, Singapore and India with an undergraduate degree or more, "
    "balanced by gender, most native in English and the others proficient",
    "pay_per_hour": "14, in part-time contracts; in all about 13,000 USD for 1,200 hours, without the lead",
    "currency": "SGD",
    "pay_training": "not stated",
}
"""By setting, in words; "not stated" where the paper says nothing."""

GROUPS = (
    ("The collection", ("title", "has_clips", "offers_tryout")),
    (
        "Captions",
        (
            "rewriting_style",
            "similarity_threshold",
            "name_threshold",
            "kept_threshold",
            "max_attempts",
            "review_policy",
            "end_slack",
        ),
    ),
    ("Queries and candidates", ("query_kinds", "pool_kinds", "batch_size", "max_batches")),
    ("Review", ("extend_threshold", "auto_extend_from", "auto_finish_to")),
    (
        "Grades and consensus",
        ("top_grade", "first_round_people", "second_round_people", "largest_difference", "rounding"),
    ),
    (
        "Judging",
        (
            "needs_exam",
            "played_fraction",
            "seat_minutes",
            "break_minutes",
            "show_agreement",
            "repeat_share",
            "repeat_days",
        ),
    ),
    ("Time and pay", ("idle_seconds", "pay_per_hour", "currency", "pay_training")),
)
"""The settings page's sections; a setting that is in none comes last, under "More"."""
