"""Static files under content-hashed names."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # whitenoise has no types
    """WhiteNoise's storage, with plain names before `collectstatic` has run."""

    manifest_strict = False
    # A module imports others by their hashed names too, so that a browser never mixes two versions of a page.
    support_js_module_import_aggregation = True

    def stored_name(self, name: str) -> str:
        """The hashed name; the plain one, which the finders serve, if the file isn't collected."""
        # Not in `hashed_name`: collecting relies on its ValueError to report a stylesheet that names a missing file.
        try:
            return str(super().stored_name(name))
        except ValueError:
            return name
