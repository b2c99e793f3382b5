"""The spoken theatre: the first films with voices, judged by picture, sound and subtitles on a scale of its own."""
