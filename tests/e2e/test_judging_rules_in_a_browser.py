"""The page's own rules, apart from any clip or server: what counts as seen, and what the queue keeps."""

from typing import Any

import pytest

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

SEEN = """
async ([looks, duration, rate]) => {
  const { Played } = await import("/static/js/judging/played.js");
  const played = new Played();
  for (const look of looks) {
    if (look === "pause") played.interrupt();
    else if (look === "end") played.end(duration);
    else if (look[0] === "step") played.step(look[1], look[2], duration);
    else played.see(look[0], duration, look[1] * 1000, rate);
  }
  return played.fraction;
}
"""
QUEUE = """
async () => {
  const { Queue } = await import("/static/js/judging/queue.js");
  localStorage.clear();
  const [mine, same, other] = [new Queue(7, "/a"), new Queue(7, "/a"), new Queue(8, "/a")];
  const first = mine.add({ pair: "one" });
  const clock = Date.now;
  Date.now = () => 5;
  same.add({ pair: "two" });
  Date.now = clock;
  other.add({ pair: "not mine" });
  localStorage.setItem(first.replace(/-.*/, "-broken"), "{");
  mine.change(first, { withdrawn: true });
  const told = [mine.entries().map((entry) => entry.pair), [...same.pairs()], mine.last.pair];
  const keep = Storage.prototype.setItem;
  Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };
  const third = mine.add({ pair: "three" });
  Storage.prototype.setItem = keep;
  told.push(mine.volatile, mine.entries().map((entry) => entry.pair));
  mine.remove(first);
  mine.remove(third);
  mine.remove("gone already");
  told.push(mine.entries().map((entry) => entry.pair), other.length);
  localStorage.clear();
  return told;
}
"""


def ticks(start: float, stop: float, rate: float = 1, at: float = 0) -> list[list[float]]:
    """Looks ten times a second at a clip that plays from start to stop (seconds of the clip), begun at time `at`."""
    count = round((stop - start) / rate * 10)
    return [[start + number / 10 * rate, at + number / 10] for number in range(count + 1)]


@pytest.fixture
def page(browser: Any, site: str) -> Any:
    context = browser.new_context(bypass_csp=True)
    opened = context.new_page()
    opened.goto(f"{site}/login/")
    yield opened
    context.close()


def test_what_was_seen_is_counted_once_and_jumps_are_not_seen(page: Any) -> None:
    def seen(looks: list[Any], duration: float = 10, rate: float = 1) -> float:
        return float(page.evaluate(SEEN, [looks, duration, rate]))

    assert seen([]) == 0
    assert seen(ticks(0, 5)) == pytest.approx(0.5, abs=0.011)
    assert seen(ticks(0, 5) + ticks(0, 5, at=60)) == pytest.approx(0.5, abs=0.011), "again, and no more than before"
    assert seen([*ticks(0, 9.9), [0.05, 10.05]]) == 1, "round the end"
    assert seen(ticks(0, 8, rate=2), rate=2) == pytest.approx(0.8, abs=0.011), "twice as fast"
    assert seen([[0, 0], [9, 0.1]]) == pytest.approx(0.02), "a jump forward"
    assert seen([[9, 0], [1, 0.1]]) == pytest.approx(0.02), "a jump back"
    assert seen([[0, 0], [9, 60]]) == pytest.approx(0.02), "a minute on no screen"
    assert seen([[0, 0], "pause", [0.5, 0.5]]) == pytest.approx(0.02), "what lies between a pause and what follows"
    assert seen([*ticks(0, 9.9), "end"]) == 1, "to its end, without looping"
    assert seen([["step", 0.5, 0.46]], duration=1) <= 0.06, "one frame back is no loop, however short the clip"
    assert seen([["step", number / 25, (number + 1) / 25] for number in range(20)], duration=1) == pytest.approx(0.81)
    assert seen([[1, 0], [2, 0.5]], duration=0) == 0


def test_the_queue_keeps_each_entry_apart_and_in_order(page: Any) -> None:
    told = page.evaluate(QUEUE)
    assert told[0] == ["one", "two"], "in order though the clock was set back; no other worker's, nothing unreadable"
    assert told[1] == ["two"], "what was taken back may come again"
    assert told[2] == "two"
    assert told[3] is True, "the page knows that its browser keeps nothing more"
    assert told[4] == ["one", "two", "three"]
    assert told[5] == ["two"]
    assert told[6] == 1
