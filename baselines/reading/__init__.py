"""Reading what a baseline needs: a release, its videos, their subtitles."""
