"""Actions between people: wave, point, hug, dance, argue, talk."""

import math

from .rehearsal import HIP, Actor, Effect, Rehearsal


class Company(Rehearsal):
    """The actions that are about another person; every one moves the clock `now` on."""

    def waves(self, actor: Actor, partner: Actor | None) -> None:
        if partner:
            self._look_at(actor, partner.x)
        hand = self._free(actor)
        self._hand(actor, 0.45, 36, -34, hand=hand)
        self._move(actor, 0.45, nod=-5.0)
        self.wait(0.45)
        for swing in range(self.rng.choice((6, 8))):
            self._hand(actor, 0.22, 46 if swing % 2 else 28, -24 if swing % 2 else -43, hand=hand)
            self.wait(0.24)
        self._rest(actor, 0.5, wait=0.7)

    def applauds(self, actor: Actor, partner: Actor | None) -> None:
        if partner:
            self._look_at(actor, partner.x)
        for clap in range(self.rng.choice((10, 12, 14))):
            apart = 8 if clap % 2 == 0 else 0
            self._move(actor, 0.16, nx=30 - apart, ny=14 + apart, fx=30 + apart / 2, fy=14 - apart * 1.3)
            self.wait(0.2)
        self._rest(actor, 0.5, wait=0.7)

    def points(self, actor: Actor, x: float) -> None:
        self._look_at(actor, x)
        hand = self._free(actor)
        self._hand(actor, 0.4, 51, -6, hand=hand, ease="back")
        self._move(actor, 0.4, lean=6.0)
        self.wait(0.9)
        self._hand(actor, 0.25, 44, -2, hand=hand)
        self._hand(actor, 0.25, 51, -8, hand=hand, at=0.28)
        self.wait(1.3)
        self._rest(actor, 0.5, wait=0.6)

    def hugs(self, actor: Actor, partner: Actor) -> None:
        self._meet(actor, partner, 64)
        for figure in (actor, partner):
            near, far = (-2, 12) if figure is actor else (10, 2)
            self._move(figure, 0.6, nx=44, ny=near, fx=44, fy=far)
        self.wait(0.4)
        step = actor.face * 20.0
        home = actor.x
        self._move(actor, 0.6, x=actor.x + step, lean=6.0, nod=8.0)
        self._move(partner, 0.6, lean=6.0, nod=8.0)
        self.wait(0.5)
        for figure in (actor, partner):
            near, far = (4, 18) if figure is actor else (16, 6)
            self._move(figure, 0.5, nx=34, ny=near, fx=34, fy=far)
        self.wait(1.9)
        self._move(actor, 0.6, x=home - actor.face * 8.0)
        self._rest(actor, 0.6)
        self._rest(partner, 0.6, wait=1.1)

    def shakes_hands(self, actor: Actor, partner: Actor) -> None:
        self._meet(actor, partner, 90)
        middle = (actor.x + partner.x) / 2
        for figure in (actor, partner):
            self._reach(figure, middle, 98, 0.5)
        self.wait(0.6)
        for shake in range(6):
            for figure in (actor, partner):
                self._reach(figure, middle, 104 if shake % 2 else 91, 0.2)
            self.wait(0.24)
        self._rest(actor, 0.5)
        self._rest(partner, 0.5, wait=1.0)

    def dances(self, actor: Actor, partner: Actor | None) -> None:
        if partner:
            self._meet(actor, partner, 76)
        pair = [actor, partner] if partner else [actor]
        beats = self.rng.choice((8, 10))
        self.effects.append(Effect(self.now, self.now + beats * 0.5, "notes", (actor.index,)))
        homes = [dancer.x for dancer in pair]
        for beat in range(beats):
            side = 1 if beat % 2 else -1
            for dancer, home in zip(pair, homes, strict=True):
                turned = dancer.face
                self._move(dancer, 0.46, x=home + side * 15, lean=side * 7.0 * turned, nod=-side * 6.0)
                self._move(dancer, 0.22, hip=HIP - 7)
                self._move(dancer, 0.22, at=0.24, hip=HIP)
                self._move(dancer, 0.46, walk=0.7, step=dancer.tracks["step"].value + math.pi / 2)
                if partner:
                    self._move(dancer, 0.4, nx=36, ny=6 + side * 8 * turned, fx=37, fy=2 - side * 8 * turned)
                else:
                    far = 22 if side > 0 else -20
                    self._move(dancer, 0.4, nx=26, ny=-20 + side * 22, fx=far, fy=-16 - side * 20)
            self.wait(0.5)
        for dancer, home in zip(pair, homes, strict=True):
            self._move(dancer, 0.5, x=home, walk=0.0)
            self._rest(dancer, 0.5)
        self.wait(0.8)

    def argues(self, actor: Actor, partner: Actor, words: tuple[str, ...] = ()) -> None:
        self._meet(actor, partner, 98)
        for turn in range(self.rng.choice((2, 3, 4))):
            speaker, other = (partner, actor) if turn % 2 else (actor, partner)
            self._move(speaker, 0.3, brow=1.0, lean=9.0)
            self._move(other, 0.4, brow=1.0, lean=-5.0)
            self._say(speaker, 1.2, words[turn % len(words)] if words else "!")
            hand = self._free(speaker)
            for beat in range(4):
                self._hand(speaker, 0.2, 34 if beat % 2 else 24, -12 if beat % 2 else 12, hand=hand)
                self.wait(0.31)
            self.wait(0.25)
        self._rest(actor, 0.5)
        self._rest(partner, 0.5, wait=0.7)

    def talks(self, actor: Actor, partner: Actor, words: str) -> None:
        if abs(actor.x - partner.x) > 260 and actor.seat is None:
            self._go(actor, self._clear_spot(actor, partner.x + (110 if actor.x > partner.x else -110)))
        self._face_each_other(actor, partner)
        seconds = 1.5 + 0.05 * len(words)
        self._say(actor, seconds, words)
        self._gesture(actor, seconds, self._free(actor))
        self._move(partner, 0.3, nod=8.0)
        self._move(partner, 0.3, at=0.35, nod=0.0)
        self._rest(actor, 0.5, wait=0.9)
