"""What can be wrong with videos and moments, in the words of their pages."""

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from corpus.models import Moment

PAST_END = 0.1
"""Seconds by which an end passes its video before it is called a problem: sources round."""
CUT_SHORT = 0.5
"""Seconds that a clip lacks of its moment before it is called a problem."""

PROBLEMS: dict[str, Promise] = {
    "no-file": gettext_lazy("no video file"),
    "no-duration": gettext_lazy("no duration"),
    "other-duration": gettext_lazy("the file's duration differs from the stated one"),
    "no-moments": gettext_lazy("no moment"),
    "failed": gettext_lazy("a clip could not be cut"),
    "missing": gettext_lazy("a moment has no clip yet"),
    "past-end": gettext_lazy("a moment ends after the video"),
    "short": gettext_lazy("a clip is shorter than its moment"),
}
"""What a list of videos can be narrowed to."""


def problem_counted(key: str, count: int) -> str:
    """A problem of `PROBLEMS` in words: so many videos, or moments, have it."""
    sentences = {
        "no-file": ngettext("%(count)s video without a file", "%(count)s videos without a file", count),
        "no-duration": ngettext("%(count)s video without a duration", "%(count)s videos without a duration", count),
        "other-duration": ngettext(
            "%(count)s video whose file has another duration than stated",
            "%(count)s videos whose files have another duration than stated",
            count,
        ),
        "no-moments": ngettext("%(count)s video without a moment", "%(count)s videos without a moment", count),
        "failed": ngettext("%(count)s clip could not be cut", "%(count)s clips could not be cut", count),
        "missing": ngettext("%(count)s moment has no clip yet", "%(count)s moments have no clip yet", count),
        "past-end": ngettext(
            "%(count)s moment ends after its video", "%(count)s moments end after their videos", count
        ),
        "short": ngettext(
            "%(count)s clip is shorter than its moment: the file ends before its stated duration",
            "%(count)s clips are shorter than their moments: the files end before their stated durations",
            count,
        ),
    }
    return sentences[key] % {"count": f"{count:,}"}


def clip_words(state: str, *, has_clips: bool) -> str:
    """A moment's `ready`, `failed` or `missing` clip in words."""
    if state == "ready":
        return _("clip ready")
    if state == "failed":
        return _("clip failed")
    return _("no clip yet") if has_clips else _("no clip")


def problems_of_moment(moment: Moment, duration: float | None) -> list[str]:
    """What is wrong with a moment read with its clip, as sentences. `duration`: the video's, in seconds."""
    problems = []
    clip = getattr(moment, "clip", None)
    if clip is not None and not clip.ready:
        why = clip.problem or _("no reason was recorded")
        problems.append(_("The clip could not be cut: %(why)s.") % {"why": why})
    if duration is not None and moment.end > duration + PAST_END:
        values = {"late": f"{moment.end - duration:.2f}", "duration": f"{duration:.2f}"}
        problems.append(_("The moment ends %(late)s s after the video, which lasts %(duration)s s.") % values)
    length = moment.end - moment.start
    if clip is not None and clip.ready and clip.duration is not None and clip.duration < length - CUT_SHORT:
        values = {"plays": f"{clip.duration:.2f}", "moment": f"{length:.2f}"}
        problems.append(_("The clip plays %(plays)s s of the moment's %(moment)s s.") % values)
    return problems
