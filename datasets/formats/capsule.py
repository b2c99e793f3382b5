"""What counts a release anew in one command, in `capsule/`: a script, its environment's lock file, and our wheel."""

from pathlib import Path
from shutil import copyfile

from datasets.formats.library_wheel import write_wheel
from datasets.formats.material import Material

FILES = Path(__file__).parent / "capsule_files"


def write_capsule(material: Material) -> None:
    """Write all files, which follow from Qreels' code alone."""
    folder = material.subfolder("capsule")
    for path in FILES.iterdir():
        copyfile(path, folder / path.name)
    write_wheel(folder)
