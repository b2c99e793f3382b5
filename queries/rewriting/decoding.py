"""Decoding parameters of each attempt (temperature, seed), and the key its answers are stored under."""

from dataclasses import dataclass

FIRST_TEMPERATURE = 0.0
AGAIN_TEMPERATURE = 0.2
SEED = 20240700


def temperature_of(number: int) -> float:
    """Attempt 1 is at temperature 0, every other one above it (rule 2)."""
    return FIRST_TEMPERATURE if number == 1 else AGAIN_TEMPERATURE


def seed_of(number: int) -> int:
    """Another seed an attempt."""
    return SEED + number


@dataclass(frozen=True, slots=True)
class Recipe:
    """Who answers and how it is asked: with the attempt's number, everything that an answer depends on."""

    model: str
    prompt_version: str

    def key(self, number: int) -> str:
        """An answer under this key is an answer for every description of the same text and collection."""
        return f"{number} {self.prompt_version} {temperature_of(number):g} {seed_of(number)} {self.model}"
