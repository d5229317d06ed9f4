"""Faults that a learner or a maintainer could make, each of which one chapter must notice."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """One small change of the package's text, and the chapter whose outputs it must disturb."""

    name: str
    file: str
    before: str
    after: str
    chapter: str

    def applied(self, text: str) -> str:
        """The text of the file with the fault in it; the text to change must stand there exactly once."""
        found = text.count(self.before)
        if found != 1:
            raise ValueError(f"{self.name}: {self.before!r} stands {found} times in {self.file}: write the fault anew")
        return text.replace(self.before, self.after)


FAULTS: list[Fault] = []
