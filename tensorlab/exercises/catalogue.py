"""Find the exercises: every `chapter_NN.py` beside this file, read when one of its exercises is first asked for."""

import difflib
import importlib
import pkgutil
import re
from functools import cache

from tensorlab.errors import ArgumentError
from tensorlab.exercises.model import Build


@cache
def chapters():
    """Name the chapters that have exercises, in order.

    Examples
    --------
    >>> "01" in chapters()
    True
    """
    import tensorlab.exercises

    names = (module.name for module in pkgutil.iter_modules(tensorlab.exercises.__path__))
    return tuple(sorted(name.removeprefix("chapter_") for name in names if re.fullmatch(r"chapter_\d\d", name)))


@cache
def exercises_of(chapter):
    """Give the exercises of a chapter in the order of its content file; none for an unknown chapter.

    Examples
    --------
    >>> exercises_of("01")[0].key
    '01.slot'
    """
    if chapter not in chapters():
        return ()
    return tuple(importlib.import_module(f"tensorlab.exercises.chapter_{chapter}").EXERCISES)


def find(operation, key, kind):
    """Find the exercise `key`, which `operation` needs to be a `kind`.

    Raises
    ------
    ArgumentError
        If there is none of this name, with the names near it, or if it is the other kind.
    """
    chapter = key.partition(".")[0] if isinstance(key, str) else ""
    found = next((exercise for exercise in exercises_of(chapter) if exercise.key == key), None)
    if found is None:
        raise ArgumentError(operation, f"there is no exercise {key!r}", expected=_near(key, kind), got=repr(key))
    if not isinstance(found, kind):
        fix = f'check("{key}", {found.name})' if isinstance(found, Build) else f'predict("{key}", None)'
        what = "is a function to write" if isinstance(found, Build) else "is a question to answer"
        raise ArgumentError(operation, f"{key!r} {what}", fix=fix)
    return found


def _near(key, kind):
    """Name the keys the reader may have meant: the near ones, else those of the chapter, else all of this kind."""
    keys = [e.key for chapter in chapters() for e in exercises_of(chapter) if isinstance(e, kind)]
    near = difflib.get_close_matches(str(key), keys, n=3, cutoff=0.6)
    near = near or [k for k in keys if k[:2] == str(key)[:2]] or keys
    return "one of " + ", ".join(near) if len(near) > 1 else near[0]


def chapter_line(chapter, progress):
    """Show a chapter's exercises in order, solved ones filled.

    Examples
    --------
    >>> from tensorlab.exercises.progress import Progress
    >>> chapter_line("01", Progress({"01.slot": {"solved": True}}))[:13]
    'Chapter 01: ●'
    """
    marks = ("●" if progress.solved(exercise.key) else "○" for exercise in exercises_of(chapter))
    return f"Chapter {chapter}: {''.join(marks)}"
