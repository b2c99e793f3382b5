"""What each setting means, what the paper used, and why some freeze once judging has begun."""

WHY_FIXED = {
    "has_clips": "judgments were given with it, with clips or without.",
    "top_grade": "judgments were given by it, and a grade means something only within its scale.",
    "first_round_people": "judgments were given by it: it says how many decide a pair.",
    "second_round_people": "judgments were given by it: it says how many decide a pair in dispute.",
    "largest_difference": "judgments were given by it: it says which grades agree.",
    "rounding": "judgments were given by it: it decides the grade between two.",
    "batch_size": "batches are open, and the next one begins where these end.",
}
"""Each a sentence after "... is fixed:"."""

MEANINGS = {
    "title": "What people read as the collection's name. Its short name, in addresses and commands, never changes.",
    "query_kinds": "Which kinds of descriptions become queries. Counts for the next draw.",
    "pool_kinds": "Which kinds' moments can be candidates. Counts for the next search.",
    "similarity_threshold": "A caption has to be at least this similar to its description (cosine, 0 to 1).",
    "name_threshold": "A name found with more than this score keeps a caption from being accepted (0 to 1).",
    "review_policy": "Which rewritten captions a person sees before they count.",
    "batch_size": "Candidates of a query that are judged together.",
    "max_batches": "Batches a query has at most; batch size times this is its depth.",
    "extend_threshold": "The review recommends the next batch when the last five grades average at least this.",
    "rounding": "What becomes of a mean between two grades.",
    "pay_per_hour": "What an hour of active work earns; a person may have another rate. Empty: no pay is told.",
    "currency": "Of the rate, as in ISO 4217.",
}
"""Of settings whose column says less."""

PAPER = {
    "title": "TVR-Ranking",
    "has_clips": "yes",
    "query_kinds": "video",
    "pool_kinds": "video, subtitle, video and subtitle",
    "end_slack": "not stated",
    "similarity_threshold": "0.4",
    "name_threshold": "0.8",
    "kept_threshold": "no such check",
    "max_attempts": "2",
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
    "needs_exam": "yes",
    "pay_per_hour": "not stated",
    "currency": "not stated",
}
"""By setting, in words; "not stated" where the paper says nothing."""

GROUPS = (
    ("The collection", ("title", "has_clips")),
    (
        "Captions",
        ("similarity_threshold", "name_threshold", "kept_threshold", "max_attempts", "review_policy", "end_slack"),
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
    ("Time and pay", ("idle_seconds", "pay_per_hour", "currency")),
)
"""The settings page's sections; a setting that is in none comes last, under "More"."""
