"""Draws the frames of a film and encodes them as a video."""

import math
import os
import random
from dataclasses import replace
from pathlib import Path

from PIL import Image

from .cast import FLOOR, THINGS
from .figures import Pose, draw_figure
from .paper import SCALE, SHADE, SIZE, WIDTH
from .rehearsal import FIGURE_SCALE, SHOULDER, Actor, Effect, Prop
from .script import CURTAIN, FRAMES_PER_SECOND, Act, Film
from .stage import (
    Layers,
    bubble,
    darkness,
    door_leaf,
    draw_curtain,
    note,
    proscenium,
    set_back,
    set_front,
    steam,
    title_card,
    turned_prop,
)
from .tracks import eased

_BREATH = 3.2  # seconds

Owned = dict[int, tuple[str, str]]  # by the number of the actor: noun and colour
Loose = tuple[Prop, float, float, float]


def draw_frame(film: Film, index: int) -> Image.Image:
    """Frame `index` of a film, RGB."""
    return lay_frame(film, index).drawn()


def lay_frame(film: Film, index: int) -> Layers:
    """What frame `index` of a film is drawn of."""
    time = index / FRAMES_PER_SECOND
    number, act = next(((i, a) for i, a in enumerate(film.acts) if time < a.end), (len(film.acts) - 1, film.acts[-1]))
    closed = _curtain_closed(act, time)
    if closed >= 0.999:
        frame = Layers(darkness())
    else:
        frame = Layers(set_back(act.place.name, act.light, act.mirrored))
        _play(frame, act, time)
    draw_curtain(frame, closed)
    if closed > 0.05 and time - act.start < CURTAIN + 0.2:
        gone = eased(min(1.0, max(0.0, (time - act.start - 0.75) / 0.5)), "soft")
        card = title_card(_card(act), f"Paper theatre no. {film.number + 1}" if number == 0 else "a little later")
        replace(card, y=round(-gone * 240 * SCALE)).onto(frame)
    for strip in proscenium():
        strip.onto(frame)
    return frame


def _card(act: Act) -> str:
    where = {"park": "In the park", "street": "On the street"}.get(act.place.name, f"In the {act.place.name}")
    return where + {"day": "", "dusk": ", at dusk", "night": ", at night"}[act.light]


def _curtain_closed(act: Act, time: float) -> float:
    opening = (time - act.start - 0.45) / (CURTAIN - 0.2)
    closing = (act.end - time - 0.15) / (CURTAIN - 0.2)
    return 1 - eased(min(1.0, max(0.0, min(opening, closing))), "soft")


def _play(frame: Layers, act: Act, time: float) -> None:
    play = act.play
    if act.place.door:
        door_leaf(act.place.outdoors, round(play.door.at(time), 2), act.mirrored).onto(frame)
    held, hats, loose = _where_things_are(play.props, time)
    seen = [a for a in play.actors if -75 < a.tracks["x"].at(time) < WIDTH + 75]
    for actor in sorted(seen, key=lambda a: (a.tracks["sit"].at(time) < 0.5, a.index)):
        _put_actor(frame, act, actor, time, held.get(actor.index), hats.get(actor.index))
    set_front(act.place.name, act.mirrored).onto(frame)
    for prop, x, height, turned in loose:
        _put_prop(frame, act, prop, x, height, turned)
    for effect in play.effects:
        if effect.start <= time < effect.end:
            _put_effect(frame, act, effect, time)


def _where_things_are(props: list[Prop], time: float) -> tuple[Owned, Owned, list[Loose]]:
    """Props and their places, held, worn, lying or flying: object, x, height, degrees."""
    held: Owned = {}
    hats: Owned = {}
    loose: list[Loose] = []
    for prop in props:
        place = prop.at(time)
        if place is None:
            continue
        since, kind, where = place
        if kind == "hand":
            held[int(where[0])] = (prop.noun, prop.colour)
        elif kind == "head":
            hats[int(where[0])] = (prop.noun, prop.colour)
        elif kind == "spot":
            loose.append((prop, where[0], where[1] + THINGS[prop.noun].base * 1.3 + 2, 0.0))
        elif kind == "fly":
            share = min(1.0, (time - since) / where[4])
            x = where[0] + (where[2] - where[0]) * share
            height = where[1] + (where[3] - where[1]) * share + 52 * math.sin(math.pi * share)
            loose.append((prop, x, height, 300 * share))
    return held, hats, loose


def _halves(value: float) -> float:
    """A value rounded to a half, so that poses recur and drawings can be reused."""
    return round(value * 2) / 2


def _pose(actor: Actor, time: float, held: tuple[str, str] | None, hat: tuple[str, str] | None) -> Pose:
    at = {name: track.at(time) for name, track in actor.tracks.items()}
    own = random.Random(actor.person.name).uniform(0, _BREATH)
    beat = math.floor(time * 4) / 4  # people at rest move on every third frame, as cut-outs do
    breath = math.sin(2 * math.pi * (beat + own) / _BREATH)
    talking = any(start <= time < end for start, end in actor.talks)
    mouth = "open" if talking and int(time * FRAMES_PER_SECOND) % 4 < 2 else "flat" if at["brow"] > 0.5 else "smile"
    still = at["walk"] < 0.02
    return Pose(
        hip=_halves(at["hip"]),
        lean=_halves(at["lean"] + 0.7 * breath * still),
        nod=_halves(at["nod"] - 1.1 * breath * still),
        near=(_halves(at["nx"]), _halves(at["ny"])),
        far=(_halves(at["fx"]), _halves(at["fy"])),
        sit=round(at["sit"], 2),
        walk=round(at["walk"], 1),
        step=round(at["step"] % (2 * math.pi) * 16 / (2 * math.pi)) % 16 * (2 * math.pi / 16) if not still else 0.0,
        grip=float(round(at["grip"])),
        spread=round(at["spread"], 1),
        angry=at["brow"] > 0.5,
        mouth=mouth,
        blink=(time + own) % 3.4 < 0.17,
        held=held,
        hat=hat,
        turn=round(at["face"], 1) or 0.1,
    )


def _put_actor(frame: Layers, act: Act, actor: Actor, time: float, held: tuple[str, str] | None,
               hat: tuple[str, str] | None) -> None:  # fmt: skip
    pose = _pose(actor, time, held, hat)
    x = actor.tracks["x"].at(time)
    if act.mirrored:
        x = WIDTH - x
        pose = replace(pose, turn=-pose.turn)
    drawn = draw_figure(actor.person.name, pose)
    left, top = round(x * SCALE) - drawn.foot[0], round(FLOOR * SCALE) - drawn.foot[1]
    frame.paste(SHADE, (left + 7, top + 4), drawn.shadow)
    frame.paste(drawn.image, (left, top), drawn.image)


def _put_prop(frame: Layers, act: Act, prop: Prop, x: float, height: float, turned: float) -> None:
    layer = turned_prop(prop.noun, prop.colour, turned, act.mirrored)
    middle = 65 * SCALE
    if act.mirrored:
        x = WIDTH - x
    frame.paste(layer, (round(x * SCALE - middle), round((FLOOR - height) * SCALE - middle)), layer)


def _put_effect(frame: Layers, act: Act, effect: Effect, time: float) -> None:
    def flipped(x: float) -> float:
        return WIDTH - x if act.mirrored else x

    def speaker() -> tuple[Actor, float]:
        actor = act.play.actors[int(effect.where[0])]
        return actor, flipped(actor.tracks["x"].at(time))

    if effect.kind == "bubble":
        actor, x = speaker()
        k = actor.person.height * FIGURE_SCALE
        height = (actor.tracks["hip"].at(time) + SHOULDER + 58) * k
        left = x < WIDTH / 2
        paper = bubble(effect.text, left)
        grown = eased(min(1.0, (time - effect.start) / 0.25 + 0.2), "back")
        image = paper.image
        if grown < 0.98:
            image = image.resize((max(2, round(image.width * grown)), max(2, round(image.height * grown))))
        px = round((x + (12 if left else -12)) * SCALE - paper.x * grown)
        px = min(max(px, round(30 * SCALE)), SIZE[0] - round(30 * SCALE) - image.width)
        frame.paste(image, (px, max(round(30 * SCALE), round((FLOOR - height) * SCALE - paper.y * grown))), image)
    elif effect.kind == "notes":
        _, x = speaker()
        for i in range(12):
            age = time - effect.start - i * 0.55
            if 0 <= age < 2.2:
                image = note(i, round(min(1.0, age * 4, (2.2 - age) * 1.5), 1))
                side = x + (-34 if i % 2 else 30) + 8 * math.sin(age * 3 + i)
                frame.paste(image, (round(side * SCALE), round((FLOOR - 178 - age * 26) * SCALE)), image)
    elif effect.kind == "steam":
        x, height = flipped(effect.where[0]), effect.where[1]
        fade = min(1.0, (time - effect.start) * 2, effect.end - time)
        for i in range(3):
            age = (time * 0.7 + i / 3) % 1.0
            puff = steam(round(fade * (1 - age) * min(1.0, age * 5), 1))
            aside = x - 5 + 4 * math.sin(age * 5 + i * 2)
            frame.paste((255, 252, 244), (round(aside * SCALE), round((FLOOR - height - age * 26) * SCALE)), puff)
    elif effect.kind == "stream":
        x = flipped(effect.where[0])
        top, bottom = (FLOOR - h for h in effect.where[1:])
        fall = min(1.0, (time - effect.start) / 0.2)
        edge, width = round((x - 1.2) * SCALE), round(2.6 * SCALE)
        foot = round((top + (bottom - top) * fall) * SCALE)
        frame.paste((150, 92, 48), (edge, round(top * SCALE), edge + width, foot))


def frame_count(film: Film) -> int:
    return round(film.acts[-1].end * FRAMES_PER_SECOND)


def shoot(film: Film, path: Path, stamp: str) -> None:
    """Draws and encodes a film. The file appears under its name only when it is finished."""
    import av
    import numpy as np

    temporary = path.with_name(f".{path.stem}.{os.getpid()}.part")
    try:
        with av.open(
            str(temporary), "w", format="mp4", options={"movflags": "+faststart", "fflags": "+bitexact"}
        ) as container:
            container.metadata["comment"] = stamp
            stream = container.add_stream("libx264", rate=FRAMES_PER_SECOND)
            stream.width, stream.height = SIZE
            stream.pix_fmt = "yuv420p"
            stream.codec_context.thread_count = 1
            stream.codec_context.flags |= av.codec.context.Flags.bitexact.value
            stream.options = {
                "crf": "42",
                "preset": "veryfast",
                "g": "240",
                "bf": "2",
                # Without mbtree and aq the moving figures get the bits, not the grain behind them.
                "x264-params": "scenecut=0:mbtree=0:aq-mode=0:chroma-qp-offset=-3:ipratio=1.9:deblock=1,1",
                "threads": "1",
            }
            seen, picture = None, None
            for index in range(frame_count(film)):
                layers = lay_frame(film, index)
                if layers != seen:  # in one frame of four nothing moves
                    seen, picture = layers, av.VideoFrame.from_ndarray(np.asarray(layers.drawn()), format="rgb24")
                for packet in stream.encode(picture):
                    container.mux(packet)
            for packet in stream.encode(None):
                container.mux(packet)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def is_finished(film: Film, path: Path, stamp: str) -> bool:
    """Whether the file is this film, with all its frames."""
    import av

    if not path.is_file():
        return False
    try:
        with av.open(str(path)) as container:
            if container.metadata.get("comment") != stamp:
                return False
            return sum(1 for packet in container.demux(video=0) if packet.size) == frame_count(film)
    except (av.FFmpegError, OSError, ValueError, IndexError):
        return False
