"""The pictures of the README, taken from a running demo: judging, review, overview and a figure, in light and dark.

script/demo                 # in another terminal, until it says that the demo is complete
script/screenshots          # --site http://127.0.0.1:8000 --to docs/pictures
"""

import argparse
import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import which
from typing import Any

import django
from PIL import Image

from tests.paths import ROOT

WIDTH, HEIGHT = 1280, 800
QUALITY = 80
THEMES = ("light", "dark")
OPEN, FINISHED = "theatre", "finished"
"""The demo's collections: one that is judged now, one with everything in it."""


def judging(page: Any, site: str) -> None:
    """A clip, a part of it seen; a guideline that is new to the annotator is confirmed first."""
    page.goto(f"{site}/c/{OPEN}/judge/")
    page.wait_for_selector("#confirm:visible, video:visible")
    if page.is_visible("#confirm"):
        page.click("#confirm")
        page.wait_for_selector("#confirm", state="hidden")
        page.reload()
    page.wait_for_function("[...document.querySelectorAll('video')].some((one) => one.currentTime > 1)")


def review(page: Any, site: str) -> None:
    """The batch that waits for the lead, with its bars and posters."""
    page.goto(f"{site}/c/{FINISHED}/review/")
    page.wait_for_selector(".review .posters img")
    page.wait_for_function("[...document.querySelectorAll('.review img')].every((one) => one.complete)")


def overview(page: Any, site: str) -> None:
    page.goto(f"{site}/c/{FINISHED}/")
    page.wait_for_load_state("networkidle")


def figure(page: Any, site: str) -> None:
    """How grades follow similarity."""
    page.goto(f"{site}/c/{FINISHED}/figures/")
    page.evaluate("document.getElementById('relevance-by-similarity').scrollIntoView()")


PICTURES: dict[str, tuple[bool, Callable[[Any, str], None]]] = {
    "judging": (False, judging),
    "review": (True, review),
    "overview": (True, overview),
    "figure": (True, figure),
}
"""By the file's name: whether the lead looks or an annotator, and at what."""


def main() -> int:
    options = _parse()
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        print("The pictures need playwright, which script/screenshots installs.", file=sys.stderr)
        return 1
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from demo.build import ANNOTATORS, LEAD, PASSWORD

    options.to.mkdir(parents=True, exist_ok=True)
    chromium = os.environ.get("QREELS_CHROMIUM") or which("chromium-headless-shell") or which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-quic"])
        try:
            for name, (leads, look) in PICTURES.items():
                person = LEAD if leads else ANNOTATORS[0]
                for theme in THEMES:
                    path = options.to / f"{name}-{theme}.webp"
                    _keep(_taken(browser, options.site, theme, (person, PASSWORD), look), path)
                    print(f"{path}, {path.stat().st_size // 1000} kB", flush=True)
        except Error as error:
            print(f"{name}, {theme}: {error}\nIs script/demo running at {options.site}, and complete?", file=sys.stderr)
            return 1
        finally:
            browser.close()
    return 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="script/screenshots", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--site", default=f"http://127.0.0.1:{os.environ.get('QREELS_PORT', 8000)}", metavar="URL")
    parser.add_argument("--to", type=Path, default=ROOT / "docs" / "pictures", metavar="FOLDER")
    options = parser.parse_args()
    options.site = options.site.rstrip("/")
    return options


def _taken(browser: Any, site: str, theme: str, login: tuple[str, str], look: Callable[[Any, str], None]) -> bytes:
    context = browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT},
        color_scheme=theme,
        reduced_motion="no-preference",
        bypass_csp=True,  # what is waited for is evaluated in the page
    )
    try:
        page = context.new_page()
        page.goto(f"{site}/login/")
        page.fill("[name=username]", login[0])
        page.fill("[name=password]", login[1])
        page.press("[name=password]", "Enter")
        page.wait_for_url(lambda url: "/login/" not in url)
        look(page, site)
        picture: bytes = page.screenshot()
        return picture
    finally:
        context.close()


def _keep(picture: bytes, path: Path) -> None:
    Image.open(io.BytesIO(picture)).convert("RGB").save(path, quality=QUALITY, method=6)


if __name__ == "__main__":
    sys.exit(main())
