"""Decoding parameters of each attempt (temperature, seed), and the key its answers are stored under."""

from dataclasses import dataclass

FIRST_TEMPERATURE = 0.0
AGAIN_TEMPERATURE = 0.2
SEED = 20240700


def temperature_of(number: int) -> float:
    """The temperature of an attempt: 0 for the first, above 0 for the others (rule 2)."""
    return FIRST_TEMPERATURE if number == 1 else AGAIN_TEMPERATURE


def seed_of(number: int) -> int:
    """The seed of an attempt, another for each number."""
    return SEED + number


@dataclass(frozen=True, slots=True)
class ModelAndPrompt:
    """Model and prompt version: with the attempt's number, everything that an answer depends on."""

    model: str
    prompt_version: str

    def key(self, number: int) -> str:
        """The key under which answers are stored, shared by descriptions of the same text and collection."""
        return f"{number} {self.prompt_version} {temperature_of(number):g} {seed_of(number)} {self.model}"
