"""Exercises of chapter 00, Start here: a byte in hex, and the list that holds one row three times."""

from tensorlab.exercises.model import Build, Prediction, Trap, Wrong

DIGITS = "0123456789abcdef"


def _rows_changed():
    g = [[0] * 4] * 3
    g[0][1] = 9
    return sum(9 in row for row in g)


def _cells_changed():
    g = [[0] * 4] * 3
    g[0][1] = 9
    return sum(row.count(9) for row in g) * 4


def byte_value(text):
    sixteens = DIGITS.index(text[0])
    ones = DIGITS.index(text[1])
    return sixteens * 16 + ones


EXERCISES = (
    Prediction(
        key="00.hex",
        asks="A byte is written as hex `2d`. Which number is it?",
        answer=lambda: int("2d", 16),
        right="{answer} = 2·16 + 13.",
        nudge="The left digit counts sixteens, the right one counts ones, and `d` is 13.",
        shows="`2` is two sixteens, 32; `d` comes after `a` 10, `b` 11, `c` 12, so it is 13. {answer} = 32 + 13.",
        traps=(
            Trap(guess=lambda: 2 * 10 + 13, says="{guess} counts the left digit in tens. In hex it counts sixteens."),
            Trap(guess=lambda: 2 + 13, says="{guess} adds the digits. The left one counts sixteens."),
            Trap(guess=lambda: 13 * 16 + 2, says="{guess} reads from the right. The left digit counts sixteens."),
            Trap(guess=lambda: 2 * 16 + 14, says="{guess} takes `d` for 14. `a` is 10, so `d` is 13."),
        ),
    ),
    Build(
        key="00.byte_value",
        call="byte_value(text)",
        task="Return the number, 0 to 255, that two hex digits stand for; `text` is a string such as `'2d'`.",
        solution=byte_value,
        truth=lambda text: bytes.fromhex(text)[0],
        cases=[("00",), ("01",), ("10",), ("0a",), ("a0",), ("c8",), ("ff",)],
        draw=lambda random: (f"{random.randrange(256):02x}",),
        wrong=(
            Wrong(
                does=lambda text: DIGITS.index(text[0]) * 10 + DIGITS.index(text[1]),
                says="The left digit is counted in tens. Hex has sixteen digits, so a step of the left one is sixteen.",
            ),
            Wrong(
                does=lambda text: DIGITS.index(text[1]) * 16 + DIGITS.index(text[0]),
                says="The digits are read from the right. The left one counts the sixteens.",
            ),
            Wrong(
                does=lambda text: DIGITS.index(text[0]) + DIGITS.index(text[1]),
                says="The digits are added, so `10` and `01` become the same number. Their places matter.",
            ),
            Wrong(
                does=lambda text: DIGITS.index(text[0]) * 15 + DIGITS.index(text[1]),
                says="The left digit is multiplied by 15, the largest digit. There are sixteen digits, 0 to 15.",
            ),
        ),
        hints=(
            "A two-digit number in tens is `left * 10 + right`. What takes the place of ten?",
            '`text[0]` is the left digit; its value is its place in `"0123456789abcdef"`.',
            "Sixteen times the value of `text[0]`, plus the value of `text[1]`.",
        ),
        why="Each place of a number counts sixteen of the place to its right, because there are sixteen digits. "
        "The largest two-digit number is 255 = 15·16 + 15, and that is what eight bits can hold.",
        right="Every byte that was tried is read as Python reads it.",
    ),
    Prediction(
        key="00.rows",
        asks="After g = [[0] * 4] * 3 and g[0][1] = 9, how many rows of g hold a 9?",
        answer_in_question=True,
        answer=_rows_changed,
        right="All {answer}: they are one list, with three references to it.",
        nudge="Ask how many different lists are in `g`.",
        shows="`[0] * 4` makes one list. `* 3` repeats the *reference* to it, so `g[0]`, `g[1]` and `g[2]` are one "
        "list, and a change through one of them shows under all {answer}.",
        traps=(
            Trap(
                guess=lambda: 1,
                says="{guess} is what an array would do. Multiplying a list repeats references, not rows.",
            ),
            Trap(guess=lambda: 0, says="{guess} would need the assignment to copy the lists. Nothing is copied."),
            Trap(guess=_cells_changed, says="{guess} counts all the cells. Only column 1 was written; count rows."),
        ),
    ),
)
