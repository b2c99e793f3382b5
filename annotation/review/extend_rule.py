"""The review rule: extend a batch whose last five grades are still relevant (rule 7). Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext, gettext_lazy

LAST = 5
"""How many of the lowest ranks with a grade are looked at."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The rule's verdict on a batch: `ranks` are those that count, `mean` their average, None without a grade."""

    ranks: tuple[int, ...]
    mean: float | None
    threshold: float
    extend: bool

    def in_words(self) -> str:
        """One line for the lead.

        >>> recommend([(rank, 3) for rank in range(1, 21)], threshold=2.5).in_words()
        'last five average 3.0, rule says extend (≥ 2.5)'
        """
        if self.mean is None:
            return gettext("no grade to go by, rule says finish")
        sentence = _LAST[len(self.ranks)][self.extend]
        return sentence % {"mean": mean_in_words(self.mean), "threshold": f"{self.threshold:g}"}


_LAST = {
    1: (
        gettext_lazy("last grade averages %(mean)s, rule says finish (< %(threshold)s)"),
        gettext_lazy("last grade averages %(mean)s, rule says extend (≥ %(threshold)s)"),
    ),
    2: (
        gettext_lazy("last two average %(mean)s, rule says finish (< %(threshold)s)"),
        gettext_lazy("last two average %(mean)s, rule says extend (≥ %(threshold)s)"),
    ),
    3: (
        gettext_lazy("last three average %(mean)s, rule says finish (< %(threshold)s)"),
        gettext_lazy("last three average %(mean)s, rule says extend (≥ %(threshold)s)"),
    ),
    4: (
        gettext_lazy("last four average %(mean)s, rule says finish (< %(threshold)s)"),
        gettext_lazy("last four average %(mean)s, rule says extend (≥ %(threshold)s)"),
    ),
    5: (
        gettext_lazy("last five average %(mean)s, rule says finish (< %(threshold)s)"),
        gettext_lazy("last five average %(mean)s, rule says extend (≥ %(threshold)s)"),
    ),
}
"""The verdict by how many grades it rests on: to finish, to extend."""


def mean_in_words(mean: float | None) -> str:
    """A mean of grades with one decimal, or two where one would round it; a dash for none.

    >>> mean_in_words(3.0), mean_in_words(2.4), mean_in_words(2.25), mean_in_words(None)
    ('3.0', '2.4', '2.25', '–')
    """
    if mean is None:
        return "–"
    return f"{mean:.1f}" if abs(mean - round(mean, 1)) < 1e-9 else f"{mean:.2f}"


def recommend(graded: Sequence[tuple[int, int | None]], *, threshold: float) -> Recommendation:
    """Recommend from the last five grades whether to open another batch.

    Args:
        graded: (rank, grade or None) of every candidate of the batch; a discarded pair has None.
        threshold: extend when the mean of the last five is at least this, 0-4.
    """
    last = sorted((rank, grade) for rank, grade in graded if grade is not None)[-LAST:]
    if not last:
        return Recommendation((), None, threshold, extend=False)
    mean = sum(grade for _, grade in last) / len(last)
    return Recommendation(tuple(rank for rank, _ in last), mean, threshold, extend=mean >= threshold)


def decide_alone(mean: float | None, *, extend_from: float | None, finish_to: float | None) -> str | None:
    """The batch review policy's decision on a mean of the last five: "extend", "finish", or None (left to the lead).

    >>> [decide_alone(mean, extend_from=2.5, finish_to=1.0) for mean in (2.5, 2.4, 1.0, None)]
    ['extend', None, 'finish', None]
    """
    if mean is None:
        return None
    if extend_from is not None and mean >= extend_from:
        return "extend"
    if finish_to is not None and mean <= finish_to:
        return "finish"
    return None
