"""Subtitles of videos: read from files and from tracks of videos' own files, kept, and cut with the clips."""
