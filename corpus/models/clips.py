"""Clips cut from videos."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from corpus.models.material import Moment, Video
from foundation.models.public_names import new_public_name


def clip_ready(path: str = "") -> Q:
    """Condition: there is a clip to watch. `path` leads to the clip, as in "moment__clip__"."""
    return Q((f"{path}video_file__gt", ""))


def clip_failed(path: str = "") -> Q:
    """Condition: cutting the clip was tried and failed."""
    return Q((f"{path}video_file", ""))


class Clip(models.Model):
    """What annotators watch of a moment. A row exists once cutting was tried; `problem` says why it failed."""

    moment = models.OneToOneField(Moment, models.CASCADE, related_name="clip")
    public_name = models.CharField(max_length=32, unique=True, default=new_public_name)
    video_file = models.CharField(max_length=300, blank=True, help_text="Its name in the storage; empty: not cut.")
    poster_file = models.CharField(max_length=300, blank=True)
    gif_file = models.CharField(max_length=300, blank=True, help_text="For the lead: the paper's 3 frames a second.")
    duration = models.FloatField(null=True, blank=True, help_text="Seconds the clip plays.")
    cut_from = models.CharField(max_length=64, blank=True, help_text="The fingerprint of the video's file then.")
    problem = models.TextField(blank=True)
    made_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return self.public_name

    @property
    def ready(self) -> bool:
        return bool(self.video_file)


class FormerClip(models.Model):
    """A replaced clip. It stays at its address, since people may have it open or have judged by it."""

    moment = models.ForeignKey(Moment, models.CASCADE, related_name="former_clips")
    public_name = models.CharField(max_length=32, unique=True)
    video_file = models.CharField(max_length=300)
    poster_file = models.CharField(max_length=300, blank=True)
    gif_file = models.CharField(max_length=300, blank=True)
    duration = models.FloatField(null=True, blank=True)
    cut_from = models.CharField(max_length=64, blank=True)
    made_at = models.DateTimeField()
    replaced_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.public_name


class ContextClip(models.Model):
    """A clip of a moment with seconds before and after it, for leads only, under its own address."""

    moment = models.OneToOneField(Moment, models.CASCADE, related_name="context")
    public_name = models.CharField(max_length=32, unique=True, default=new_public_name)
    seconds = models.FloatField(help_text="Asked for before and after the moment.")
    before = models.FloatField(null=True, blank=True, help_text="Seconds in the clip until the moment begins.")
    video_file = models.CharField(max_length=300, blank=True, help_text="Its name in the storage; empty: not cut.")
    duration = models.FloatField(null=True, blank=True, help_text="Seconds the clip plays.")
    cut_from = models.CharField(max_length=64, blank=True)
    problem = models.TextField(blank=True)
    made_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return self.public_name


class UnfinishedFile(models.Model):
    """A file being written to the storage, or left half-written by a killed process; the next run removes it."""

    video = models.ForeignKey(Video, models.CASCADE, related_name="unfinished_files")
    name = models.CharField(max_length=300, help_text="Its name in the storage.")

    def __str__(self) -> str:
        return self.name
