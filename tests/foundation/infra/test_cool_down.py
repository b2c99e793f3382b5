"""What takes long is repeated rarely."""

from datetime import timedelta

import pytest

from config.celery import app
from foundation.infra import cool_down, sweep
from foundation.infra.cool_down import CoolDown


def test_short_work_may_be_repeated_at_once() -> None:
    pause = CoolDown()
    assert pause.is_over()
    with pause.after():
        pass
    assert pause.is_over()


def test_after_long_work_there_is_a_rest_also_where_it_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cool_down, "LONG", 0.0)
    monkeypatch.setattr(cool_down, "TIMES", timedelta(days=1) / timedelta(microseconds=1))
    pause = CoolDown()
    with pytest.raises(ValueError, match="as it happens"), pause.after():
        raise ValueError("as it happens")
    assert not pause.is_over()
    assert CoolDown().is_over(), "each work has its own"


@pytest.mark.django_db
def test_a_look_that_took_long_is_left_out_by_the_next_sweeps(monkeypatch: pytest.MonkeyPatch) -> None:
    app.control.purge()
    monkeypatch.setattr(sweep, "_looks", {})
    looked: list[str] = []
    sweep.register(lambda: looked.append("short"))
    sweep.sweep()
    sweep.sweep()
    assert looked == ["short"] * 2
    monkeypatch.setattr(cool_down, "LONG", 0.0)
    monkeypatch.setattr(cool_down, "TIMES", timedelta(days=1) / timedelta(microseconds=1))
    sweep.sweep()
    sweep.sweep()
    assert looked == ["short"] * 3
