"""Publish into a dataset repository of the Hugging Face Hub: one commit, tagged with the release's name.

Large files go up first, one by one, and the Hub knows them by their hash: cut off, the next time begins with what is
missing. The token is huggingface_hub's own business (HF_TOKEN, or its login), and so is another hub (HF_ENDPOINT).
"""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from datasets.models import Release
from datasets.publishing.targets import Item, Target
from datasets.releases.signing import opened
from foundation.refused import Refused


class HuggingFaceTarget(Target):
    """A dataset repository, made (private) if there is none. What else lies in it is left alone."""

    def __init__(self, repository: str) -> None:
        self.repository = repository

    @cached_property
    def _hub(self) -> Any:
        from huggingface_hub import HfApi

        return HfApi()

    def address(self, item: Item) -> str:
        return f"hf://datasets/{self.repository}/{item.goes_to}"

    def refuse_unready(self) -> None:
        from huggingface_hub import constants, get_token

        if constants.HF_HUB_OFFLINE:
            raise Refused(
                "The server is told to ask no hub: set HF_HUB_OFFLINE=0 in its environment, that of the workers too."
            )
        if not get_token():
            raise Refused(
                "The server has no token for the Hub: set HF_TOKEN, a token that may write, in its environment, that "
                "of the workers too."
            )

    def states(self, items: list[Item], release: Release) -> dict[str, str]:
        from huggingface_hub.errors import RepositoryNotFoundError

        paths = [item.goes_to for item in items]
        try:
            with self._refusing("can't be looked at"):
                infos = self._hub.get_paths_info(self.repository, paths, repo_type="dataset")
        except RepositoryNotFoundError:
            infos = []
        there = {info.path: info for info in infos}
        return {item.goes_to: self._state(item, there.get(item.goes_to), release) for item in items}

    def _state(self, item: Item, info: Any, release: Release) -> str:
        if info is None:
            return "new"
        if info.lfs is not None:
            return "same" if info.lfs.sha256 == item.sha256 else "differs"
        # What isn't large is known by git's hash alone, which takes the content.
        with opened(release, item.path) as file:
            content = file.read(info.size + 1)
        return "same" if git_hash(content) == info.blob_id else "differs"

    def send(self, items: list[Item], folder: Path, release: Release, arrived: Callable[[Item], None]) -> None:
        from huggingface_hub import CommitOperationAdd

        additions = []
        with self._refusing("can't be published to"):
            self._hub.create_repo(self.repository, repo_type="dataset", private=True, exist_ok=True)
            for item in items:
                addition = CommitOperationAdd(item.goes_to, folder / item.path)
                self._hub.preupload_lfs_files(self.repository, [addition], repo_type="dataset")
                additions.append(addition)
                arrived(item)
            self._hub.create_commit(
                self.repository, additions, commit_message=f"Release {release.name}", repo_type="dataset"
            )

    def finish(self, release: Release) -> None:
        with self._refusing("can't be tagged"):
            self._hub.create_tag(self.repository, tag=release.name, repo_type="dataset", exist_ok=True)

    @contextmanager
    def _refusing(self, failed: str) -> Iterator[None]:
        from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled, RepositoryNotFoundError
        from requests import RequestException

        try:
            yield
        except RepositoryNotFoundError:
            raise
        except (HfHubHTTPError, OfflineModeIsEnabled, RequestException, RuntimeError, ValueError) as error:
            reason = " ".join(str(error).split())  # the Hub's are of several lines
            raise Refused(f"hf://datasets/{self.repository} {failed}: {reason}. What was sent stays.") from error


def git_hash(content: bytes) -> str:
    """The git blob hash of a file's content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
