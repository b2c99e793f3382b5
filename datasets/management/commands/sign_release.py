"""`manage.py sign_release COLLECTION RELEASE (MINISIG --key KEY | --withdraw)`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from datasets.releases.command import release_named
from datasets.releases.signing import sign_release, withdraw_signature
from foundation.collections.command import CollectionCommand


class Command(CollectionCommand):
    help = (
        "Keep the signature that minisign made of a release's manifest.json beside the release, if it is one by the "
        "key. An earlier one is replaced."
    )

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("release", metavar="RELEASE")
        parser.add_argument("signature", metavar="MINISIG", type=Path, nargs="?", help="manifest.json.minisig")
        parser.add_argument("--key", metavar="KEY", help="minisign's public key, or its file")
        parser.add_argument("--withdraw", action="store_true", help="give the signature out no more")

    def handle(self, *args: Any, **options: Any) -> None:
        release = release_named(self.collection(options["collection"]), options["release"])
        if options["withdraw"]:
            if options["signature"] or options["key"]:
                raise CommandError("found --withdraw beside a signature: expected one of them")
            withdraw_signature(release=release)
            self.stdout.write(f"Release {release.name} has no signature.")
            return
        if not options["signature"] or not options["key"]:
            raise CommandError("expected MINISIG and --key, or --withdraw")
        try:
            content = options["signature"].read_bytes()
            key = Path(options["key"])
            known = key.read_text(encoding="utf-8") if key.is_file() else options["key"]
        except (OSError, ValueError) as error:
            raise CommandError(f"the signature or the key can't be read: {error}") from error
        signed = sign_release(release=release, signature=content, key=known)
        self.stdout.write(
            f"Release {release.name} is signed by the key {signed.identity}, {signed.at:%Y-%m-%d %H:%M} UTC."
        )
