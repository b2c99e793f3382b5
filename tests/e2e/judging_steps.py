"""What a person does on the judging page, and what can be read from it."""

from typing import Any

from annotation.models import Judgment

OPEN = "!document.getElementById('grades').hidden && !document.getElementById('grades').hasAttribute('data-closed')"
TOO_FAST_MS = 200
"""More than judge.js takes for a double press, counted from a moment before the key."""
PATIENCE = 30_000
"""Milliseconds: clips play in real time, on a machine that may be busy."""
WAITING = "() => Object.keys(localStorage).filter((name) => name.startsWith('qreels:queue:')).length"

FORGET = "caches.keys().then((names) => Promise.all(names.map((name) => caches.delete(name))))"
"""What the browser keeps for judging without a network goes."""
KEPT = """async () => {
  const addresses = [];
  for (const name of await caches.keys()) {
    for (const request of await (await caches.open(name)).keys()) addresses.push(new URL(request.url).pathname);
  }
  return addresses;
}"""
"""The addresses of all that it keeps."""

HEAR = """
(() => {
  window.heard = [];
  new MutationObserver((changes) => {
    const parts = new Set();
    for (const { target, type } of changes) {
      const part = target.parentElement && type === "characterData" ? target.parentElement : target;
      // A region that is shown with its words in it isn't read out.
      const within = type === "attributes" ? part.parentElement : part;
      const region = within?.closest?.("[aria-live=polite], [role=status]");
      const whole = region?.role === "status" && region.ariaAtomic !== "false";
      if (region?.checkVisibility()) parts.add(whole ? region : part);
    }
    const outer = [...parts].filter((part) => ![...parts].some((other) => other !== part && other.contains(part)));
    window.heard.push(...outer.map((part) => part.innerText.trim()).filter(Boolean));
  }).observe(document, { subtree: true, childList: true, characterData: true, attributeFilter: ["hidden"] });
})();
"""
"""From the page's beginning on, `heard` has what a screen reader would read out of live regions."""


def wait_until_open(page: Any) -> None:
    """Until enough of the clip was seen for a grade."""
    page.wait_for_function(OPEN, timeout=PATIENCE)


def clip_on_stage(page: Any) -> str:
    """The pair on stage, by its clip's element: a number that this page gives it."""
    page.wait_for_selector("#stage video.on", timeout=PATIENCE)
    return str(
        page.evaluate(
            "() => { const video = document.querySelector('#stage video.on');"
            " window.numbered = (window.numbered ?? 0) + 1; return video.dataset.number ??= window.numbered; }"
        )
    )


def judge(page: Any, key: str) -> None:
    """Watch, press the key, and see the next clip, or the note that there is none."""
    wait_until_open(page)
    # A clip that was seen before is open at once, and a press so soon after another is taken for its second half.
    page.wait_for_function(f"performance.now() - (window.pressedAt ?? -Infinity) > {TOO_FAST_MS}")
    before = clip_on_stage(page)
    page.evaluate("window.pressedAt = performance.now()")
    page.keyboard.press(key)
    page.wait_for_function(
        "before => document.querySelector('#stage video.on')?.dataset.number !== before", arg=before, timeout=PATIENCE
    )


def wait_for_today(page: Any, count: int) -> None:
    """Until the page says that there are so many judgments of today, and the server has all of them."""
    page.wait_for_function(
        "count => document.getElementById('today').textContent === count", arg=str(count), timeout=PATIENCE
    )
    wait_for_waiting(page, 0)


def wait_for_state(page: Any, beginning: str) -> None:
    page.wait_for_function(
        "text => document.getElementById('state').textContent.startsWith(text)", arg=beginning, timeout=PATIENCE
    )


def wait_for_note(page: Any, beginning: str) -> None:
    page.wait_for_function(
        "text => !document.getElementById('note').hidden"
        " && document.getElementById('note-text').textContent.startsWith(text)",
        arg=beginning,
        timeout=PATIENCE,
    )


def grades_of(username: str) -> list[int]:
    """The counted grades that the server has of a person, in the order in which they were given."""
    mine = Judgment.objects.filter(annotator__account__username=username, counted=True)
    return list(mine.order_by("decided_at", "pk").values_list("grade", flat=True))


def wait_for_waiting(page: Any, count: int) -> None:
    page.wait_for_function(f"({WAITING})() === {count}", timeout=PATIENCE)


def wait_for_strip(page: Any, beginning: str) -> None:
    page.wait_for_function(
        "text => !document.getElementById('strip').hidden"
        " && document.getElementById('strip').textContent.startsWith(text)",
        arg=beginning,
        timeout=PATIENCE,
    )


def all_loaded(page: Any, count: int = 4) -> None:
    """Until so many clips are there: the one to judge and those that come next."""
    page.wait_for_function(
        "count => document.querySelectorAll('#stage video').length >= count"
        " && [...document.querySelectorAll('#stage video')].every(video => video.readyState >= 3)",
        arg=count,
        timeout=PATIENCE,
    )
