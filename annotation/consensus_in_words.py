"""A consensus rule in sentences, in the language of who reads: for pages, and for what releases say of themselves."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.consensus import Rule


def rule_in_words(rule: Rule) -> str:
    """What decides a pair, by the rule's numbers.

    >>> rule_in_words(Rule(kind="majority", second_round=0))
    'A grade that more than half of 2 people give decides. Other pairs are discarded.'
    >>> rule_in_words(Rule(kind="median", second_round=1)).endswith("Of two grades in the middle the mean counts.")
    True
    """
    sentences = [_agreement(rule), *_otherwise(rule)]
    if rule.kind == "median" and _may_have_two_middles(rule):
        sentences.append(_("Of two grades in the middle the mean counts."))
    if rule.step > 1 and rule.kind != "majority":
        sentences.append(_("Means are rounded to multiples of %(step)s.") % {"step": rule.step})
    return " ".join(sentences)


def _may_have_two_middles(rule: Rule) -> bool:
    """Whether an even number of grades that aren't all equal may be decided by their median."""
    if rule.second_round == 0:
        return rule.first_round % 2 == 0
    return (rule.first_round % 2 == 0 and rule.largest_difference > 0) or rule.both_rounds % 2 == 0


def _agreement(rule: Rule) -> str:
    """Who judges first, and what decides if they agree."""
    words = {
        "up": _("Grades of %(first)s that differ by at most %(difference)s give their mean, rounded up."),
        "down": _("Grades of %(first)s that differ by at most %(difference)s give their mean, rounded down."),
        "nearest": _(
            "Grades of %(first)s that differ by at most %(difference)s give their mean, rounded to the nearest grade."
        ),
    }[rule.rounding]
    if rule.kind == "majority":
        words = _("A grade that more than half of %(first)s give decides.")
    elif rule.kind == "median" and rule.second_round:
        words = _("Grades of %(first)s that differ by at most %(difference)s give their median.")
    elif rule.kind == "median":
        words = _("The median of the grades of %(first)s decides.")
    people = ngettext("%(count)s person", "%(count)s people", rule.first_round) % {"count": rule.first_round}
    return words % {"first": people, "difference": rule.largest_difference}


def _otherwise(rule: Rule) -> list[str]:
    """What becomes of a pair on which the first don't agree; nothing where they always do."""
    second = rule.second_round
    if not second:
        return [] if rule.kind == "median" else [_("Other pairs are discarded.")]
    if rule.kind == "median":
        words = ngettext(
            "Otherwise %(count)s more person is asked, and the median of all grades decides.",
            "Otherwise %(count)s more people are asked, and the median of all grades decides.",
            second,
        )
    elif rule.kind != "paper":
        words = ngettext(
            "Otherwise %(count)s more person is asked, and all grades decide in the same way or the pair is discarded.",
            "Otherwise %(count)s more people are asked, and all grades decide in the same way or the pair is "
            "discarded.",
            second,
        )
    elif rule.trimmed == 1:
        words = ngettext(
            "Otherwise %(count)s more person is asked, one highest and one lowest grade are dropped, and the rest "
            "decide in the same way or the pair is discarded.",
            "Otherwise %(count)s more people are asked, one highest and one lowest grade are dropped, and the rest "
            "decide in the same way or the pair is discarded.",
            second,
        )
    else:
        words = ngettext(
            "Otherwise %(count)s more person is asked, the %(trimmed)s highest and the %(trimmed)s lowest grades are "
            "dropped, and the rest decide in the same way or the pair is discarded.",
            "Otherwise %(count)s more people are asked, the %(trimmed)s highest and the %(trimmed)s lowest grades are "
            "dropped, and the rest decide in the same way or the pair is discarded.",
            second,
        )
    return [words % {"count": second, "trimmed": rule.trimmed}]
