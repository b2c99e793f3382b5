"""`manage.py calibrate_checks COLLECTION [--captions N] [--seed S] [--adopt]`."""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from foundation.collections.command import CollectionCommand
from queries.calibration.calibrate import USUAL, adopt, calibrate, right_captions
from queries.calibration.rates import RIGHT, wrong_passing
from queries.checks.planted import KINDS
from queries.models import CheckCalibration


class Command(CollectionCommand):
    help = (
        "Calibrate the checks for the encoder in use: take right captions of the collection, make wrong ones of them, "
        "print and keep the error rates by threshold, and propose thresholds. docs/rewriting.md describes it."
    )

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--captions", type=int, default=USUAL, metavar="N", help=f"right ones to take at most; {USUAL} by default"
        )
        parser.add_argument("--seed", type=int, default=1, metavar="S", help="by which they are drawn; 1 by default")
        parser.add_argument("--adopt", action="store_true", help="make the proposed thresholds the settings")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        calibration = CheckCalibration(
            collection=collection,
            captions=options["captions"],
            seed=options["seed"],
            state=CheckCalibration.State.DONE,
            finished_at=timezone.now(),
        )
        right = min(options["captions"], right_captions(collection).count())
        with self.bar(total=right, unit="captions", title="Measuring") as bar:
            calibrate(calibration=calibration, progress=bar.update)
        self._tell(calibration)
        if options["adopt"]:
            adopt(calibration=calibration)
            self.stdout.write("These are the collection's thresholds now.")

    def _tell(self, calibration: CheckCalibration) -> None:
        found = calibration.found
        self.stdout.write(f"Encoder {calibration.identity}, style {calibration.style}.")
        for which, title in (("by_similarity", "similarity"), ("by_kept", "words kept")):
            self.stdout.write(f"{title:>12}  right that wait  wrong that pass")
            for row in found[which]:
                wrong = wrong_passing(row["wrong"])
                self.stdout.write(f"{row['threshold']:>12.2f}  {row[RIGHT]:>15.2%}  {wrong:>15.1%}")
        self.stdout.write("By all checks together, now and as proposed:")
        for kind in filter(found["captions"].__contains__, (RIGHT, *KINDS)):
            told = "right, wait" if kind == RIGHT else f"{kind}, pass"
            now, then = (found[name]["errors"][kind] for name in ("today", "proposed"))
            self.stdout.write(f"{told:>20}  {now:>7.2%}  {then:>7.2%}  of {found['captions'][kind]:,}")
        self.stdout.write(calibration.said)
