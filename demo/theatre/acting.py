"""Actions with things and about the stage: enter, sit down, pick up, hand over, read, pour, throw."""

from .cast import DOOR_X, LEFT_WING, RIGHT_WING, SEATS, TOP_SPOTS
from .company import Company
from .rehearsal import HIP, SHOULDER, Actor, Effect, Prop


class Play(Company):
    """One act with everything that is played in it; every action moves the clock `now` on."""

    # ---- actions: walking about

    def enters(self, actor: Actor, x: float, wing: str) -> None:
        edge = LEFT_WING if wing == "left" else RIGHT_WING
        self._move(actor, 0.0, x=edge, face=1.0 if wing == "left" else -1.0)
        actor.on_stage = True
        self._rest(actor, 0.0, wait=0.1)
        self._go(actor, self._clear_spot(actor, x))
        self.wait(0.6)

    def leaves(self, actor: Actor, wing: str) -> None:
        self._go(actor, LEFT_WING - 20 if wing == "left" else RIGHT_WING + 20)
        actor.on_stage = False

    def walks_over(self, actor: Actor, x: float) -> None:
        self._go(actor, self._clear_spot(actor, x))
        self.wait(0.6)

    def sits_down(self, actor: Actor, seat: int) -> None:
        x, face = SEATS[seat]
        self._go(actor, x)
        self._turn(actor, face)
        actor.seat = seat
        self._move(actor, 0.4, lean=26.0)
        self._move(actor, 0.85, at=0.15, hip=self._seat_hip(actor), sit=1.0)
        self._move(actor, 0.5, at=0.7, lean=0.0)
        self._rest(actor, 0.5, at=0.85)
        self.wait(1.8)

    def stands_up(self, actor: Actor) -> None:
        self.wait(0.5)
        self._rise(actor)
        if self.rng.random() < 0.6:
            self._go(actor, self._clear_spot(actor, actor.x + (-46 if actor.x < 440 else 46)))
        self.wait(0.6)

    def opens_the_door(self, actor: Actor, closing: bool = False) -> None:
        self._go(actor, DOOR_X + 74)
        self._look_at(actor, DOOR_X)
        self._reach(actor, DOOR_X + 24, 66, 0.45, hand=self._free(actor))
        self.wait(0.5)
        self.door.to(self.now, 0.9, 0.0 if closing else 1.0)
        self._reach(actor, DOOR_X + (24 if closing else 40), 70, 0.9, hand=self._free(actor))
        self.wait(1.0)
        self._rest(actor)
        self.wait(0.9)

    # ---- actions: things

    def picks_up(self, actor: Actor, spot: int) -> None:
        prop = self.lying.pop(spot)
        self._approach_top(actor, spot)
        self._grasp(actor, prop, TOP_SPOTS[spot])
        self._rest(actor, 0.7, wait=1.3)

    def _approach_top(self, actor: Actor, spot: int) -> None:
        if actor.seat is None:
            left, right = TOP_SPOTS[spot] - 50, TOP_SPOTS[spot] + 50
            first, second = (left, right) if actor.x < 440 else (right, left)
            blocked = not self.is_clear(actor, first, 40) and self.is_clear(actor, second, 40)
            self._go(actor, second if blocked else first)
            self._look_at(actor, TOP_SPOTS[spot])
        self.wait(0.2)

    def _grasp(self, actor: Actor, prop: Prop, x: float) -> None:
        self._reach(actor, x, self.place.top_height + 8, 0.7)
        self.wait(0.75)
        actor.held = prop
        self._take_place(prop, "hand", actor.index)

    def _lay_down(self, actor: Actor, spot: int) -> None:
        prop = actor.held
        assert prop is not None
        self._reach(actor, TOP_SPOTS[spot], self.place.top_height + 8, 0.7)
        self._move(actor, 0.4, grip=0.0)
        self.wait(0.75)
        self._take_place(prop, "spot", TOP_SPOTS[spot], self.place.top_height)
        self.lying[spot] = prop
        actor.held = None

    def puts_down(self, actor: Actor, spot: int) -> None:
        self._approach_top(actor, spot)
        self._lay_down(actor, spot)
        self._rest(actor, 0.7, wait=1.3)

    def hands_over(self, actor: Actor, partner: Actor) -> None:
        prop = actor.held
        assert prop is not None
        prop.open = False
        self._meet(actor, partner, 92)
        self._move(actor, 0.4, spread=0.0)
        middle = (actor.x + partner.x) / 2
        height = min((self._stand_hip(figure) + SHOULDER - 16) * figure.k for figure in (actor, partner))
        self._reach(actor, middle, height, 0.7)
        self._reach(actor, middle, height, 0.7, hand="f")
        self._reach(partner, middle - partner.face * 4, height - 2, 0.6, at=0.45)
        self.wait(1.35)
        self._take_place(prop, "hand", partner.index)
        actor.held, partner.held = None, prop
        self.wait(0.2)
        self._rest(actor, 0.6)
        self._rest(partner, 0.7)
        self._move(partner, 0.3, at=0.5, nod=10.0)
        self._move(partner, 0.3, at=0.85, nod=0.0)
        self.wait(1.5)

    def carries(self, actor: Actor, x: float) -> None:
        self._rest(actor, 0.3, wait=0.3)
        self._go(actor, self._clear_spot(actor, x))
        self.wait(0.5)

    def reads(self, actor: Actor) -> None:
        self._move(actor, 0.6, nx=25.0, ny=16.0, fx=30.0, fy=17.0)
        self._move(actor, 0.5, at=0.4, spread=1.0)
        self._move(actor, 0.6, at=0.3, nod=13.0, lean=3.0)
        self.wait(1.2)
        for _ in range(self.rng.choice((1, 2))):
            self.wait(1.1)
            self._hand(actor, 0.3, 34, 6, hand="f")
            self._hand(actor, 0.4, 30, 17, hand="f", at=0.35)
            self.wait(0.6)
        self.wait(0.7)

    def pours(self, actor: Actor, pot: int, cup: int) -> None:
        teapot = self.lying.pop(pot)
        side = -1 if pot < cup else 1
        self._go(actor, TOP_SPOTS[pot] + side * 44)
        self._look_at(actor, TOP_SPOTS[cup])
        self._grasp(actor, teapot, TOP_SPOTS[pot])
        above = self.place.top_height + 40
        self._reach(actor, TOP_SPOTS[cup] + side * 24, above, 0.8)
        self.wait(0.85)
        self._move(actor, 0.5, grip=38.0)
        self.wait(0.45)
        stream = (TOP_SPOTS[cup], above - 5, self.place.top_height + 10)
        self.effects.append(Effect(self.now, self.now + 1.6, "stream", stream))
        self.wait(1.65)
        steam = (TOP_SPOTS[cup], self.place.top_height + 20)
        self.effects.append(Effect(self.now - 0.8, self.now + 5, "steam", steam))
        self._move(actor, 0.4, grip=0.0)
        self.wait(0.4)
        self._lay_down(actor, pot)
        self._rest(actor, 0.6, wait=0.9)

    def drinks(self, actor: Actor) -> None:
        self._to_mouth(actor, 2, 26.0)

    def eats(self, actor: Actor) -> None:
        self._to_mouth(actor, 3, 0.0)

    def smells(self, actor: Actor) -> None:
        self._hand(actor, 0.8, 17, 3)
        self._move(actor, 0.8, nod=16.0, lean=5.0)
        self.wait(2.2)
        self._move(actor, 0.6, nod=-8.0, lean=-2.0)
        self.wait(1.0)
        self._rest(actor, 0.6, wait=0.8)

    def _to_mouth(self, actor: Actor, times: int, tip: float) -> None:
        for _ in range(times):
            self._hand(actor, 0.6, 19, -7)
            self._move(actor, 0.4, at=0.35, grip=-tip, nod=-7.0 if tip else 4.0)
            self.wait(1.15 if tip else 0.75)
            self._move(actor, 0.3, grip=0.0, nod=0.0)
            self._hand(actor, 0.5, 25, 20)
            if not tip:
                actor.talks.append((self.now, self.now + 0.7))
            self.wait(0.7)
        self._rest(actor, 0.5, wait=0.5)

    def opens_an_umbrella(self, actor: Actor) -> None:
        self._hand(actor, 0.6, 22, 20)
        self.wait(0.7)
        self._hand(actor, 0.6, 22, -8)
        self._move(actor, 0.55, at=0.25, ease="back", spread=1.0)
        self._move(actor, 0.5, at=0.2, nod=-10.0)
        assert actor.held is not None
        actor.held.open = True
        self.wait(2.2)
        self._rest(actor, 0.5, wait=1.0)

    def puts_on_a_hat(self, actor: Actor) -> None:
        hat = actor.held
        assert hat is not None
        self._hand(actor, 0.9, 7, -46)
        self._move(actor, 0.6, at=0.3, nod=9.0)
        self.wait(1.1)
        self._take_place(hat, "head", actor.index)
        actor.held, actor.hat = None, hat
        self._move(actor, 0.4, at=0.1, nod=-5.0)
        self._rest(actor, 0.7, at=0.45)
        self.wait(1.7)

    def takes_off_a_hat(self, actor: Actor) -> None:
        hat = actor.hat
        assert hat is not None
        self._hand(actor, 0.7, 7, -46)
        self.wait(0.9)
        self._take_place(hat, "hand", actor.index)
        actor.held, actor.hat = hat, None
        self._move(actor, 0.5, at=0.3, lean=12.0)
        self._hand(actor, 0.7, 26, 6)
        self.wait(1.2)
        self._rest(actor, 0.7, wait=0.9)

    def throws(self, actor: Actor, partner: Actor) -> None:
        ball = actor.held
        assert ball is not None
        side = 1 if actor.x > partner.x else -1
        if abs(actor.x - partner.x) < 150:
            goals = [partner.x + side * 175, partner.x - side * 175]
            fits = [g for g in goals if 78 < g < 556 and self.is_clear(actor, g)]
            self._go(actor, fits[0] if fits else goals[0] if 40 < goals[0] < 600 else goals[1])
        self._face_each_other(actor, partner)
        self._hand(actor, 0.5, -22, -12)
        self._move(actor, 0.5, lean=-9.0)
        self._move(partner, 0.5, at=0.3, nx=34.0, ny=-2.0, fx=36.0, fy=-1.0)
        self.wait(0.65)
        self._hand(actor, 0.2, 40, -26)
        self._move(actor, 0.2, lean=14.0)
        self.wait(0.17)
        from_x = actor.x + actor.face * 52 * actor.k
        to_x = partner.x + partner.face * 36 * partner.k
        catch = (self._stand_hip(partner) + SHOULDER + 2) * partner.k
        self._take_place(ball, "fly", from_x, (HIP + SHOULDER + 18) * actor.k, to_x, catch, 0.75)
        self.wait(0.75)
        self._take_place(ball, "hand", partner.index)
        actor.held, partner.held = None, ball
        self._move(partner, 0.2, lean=-6.0)
        self._rest(actor, 0.6, wait=0.4)
        self._rest(partner, 0.6, wait=1.0)

    def plays_the_guitar(self, actor: Actor) -> None:
        self._move(actor, 0.6, nx=10.0, ny=33.0, fx=34.0, fy=14.0)
        self._move(actor, 0.6, spread=1.0)
        self.wait(0.7)
        beats = self.rng.choice((8, 10, 12))
        self.effects.append(Effect(self.now, self.now + beats * 0.42, "notes", (actor.index,)))
        for beat in range(beats):
            self._hand(actor, 0.2, 14 if beat % 2 else 9, 38 if beat % 2 else 28)
            self._move(actor, 0.4, nod=7.0 if beat % 2 else -5.0, lean=-2.0 if beat % 4 < 2 else 3.0)
            self.wait(0.42)
        self._rest(actor, 0.6, wait=0.6)

    def talks_on_the_phone(self, actor: Actor) -> None:
        self._hand(actor, 0.6, 6, -14)
        self._move(actor, 0.6, grip=-20.0, nod=3.0)
        self.wait(0.8)
        for seconds in (1.3, 1.1):
            self._say(actor, seconds)
            self._gesture(actor, seconds, "f")
            self.wait(0.6)
        self._rest(actor, 0.6, wait=0.6)
