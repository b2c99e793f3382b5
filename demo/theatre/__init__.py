"""The paper theatre: draws the demo collection's videos and knows what happens in them."""

from .scenes import Scene, read_scenes, relevance
from .workshop import build_theatre, video_names, write_programme

__all__ = ["Scene", "build_theatre", "read_scenes", "relevance", "video_names", "write_programme"]
