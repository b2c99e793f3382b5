"""The room's tables, by noun."""

from corpus.models.clips import Clip, ContextClip, FormerClip, UnfinishedFile, clip_failed, clip_ready
from corpus.models.material import (
    DESCRIPTION_VECTOR,
    Description,
    HiddenRegion,
    Import,
    ImportPreview,
    Moment,
    Subtitles,
    Video,
)
from corpus.models.video_imports import ClipCutting, ProbedFile, VideoImport, VideoUpload, folder_of_uploads

__all__ = [
    "DESCRIPTION_VECTOR",
    "Clip",
    "ClipCutting",
    "ContextClip",
    "Description",
    "FormerClip",
    "HiddenRegion",
    "Import",
    "ImportPreview",
    "Moment",
    "ProbedFile",
    "Subtitles",
    "UnfinishedFile",
    "Video",
    "VideoImport",
    "VideoUpload",
    "clip_failed",
    "clip_ready",
    "folder_of_uploads",
]
