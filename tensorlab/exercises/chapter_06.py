"""Exercises of chapter 06, Where is token 785?: where the data starts, which byte an element is, a wrong landing."""

from tensorlab.exercises.model import Build, Prediction, Trap, Wrong
from tensorlab.layout import Layout

ROWS, COLUMNS, ITEMSIZE = 151_936, 1_024, 2
TABLE = Layout.row_major((ROWS, COLUMNS))
EIGHT_BYTES = bytes.fromhex("d0 02 00 00 00 00 00 00")


def _row_start(row):
    """First byte of a row, from the start of the table."""
    return TABLE.in_bytes(ITEMSIZE).position((row, 0, 0))


def _landing(byte):
    """The cell of the table that owns a byte."""
    row, column, _ = next(TABLE.in_bytes(ITEMSIZE).indices(byte))
    return row, column


def data_start(first_eight):
    header_length = int.from_bytes(first_eight, "little")
    return 8 + header_length


def file_byte(data_start, tensor_start, row, column, columns, itemsize):
    element = row * columns + column
    return data_start + tensor_start + element * itemsize


def _true_file_byte(data_start, tensor_start, row, column, columns, itemsize):
    return (
        data_start + tensor_start + Layout.row_major((row + 1, columns)).in_bytes(itemsize).position((row, column, 0))
    )


def _draw_file_byte(random):
    columns = random.randrange(1, 2_000)
    place = (random.randrange(100_000), random.randrange(columns), columns, random.choice((1, 2, 4, 8)))
    return (8 + random.randrange(2, 5_000), random.randrange(0, 10_000), *place)


EXERCISES = (
    Prediction(
        key="06.row_start",
        asks="The table has 151,936 rows and 1,024 columns of two-byte numbers, stored row by row. "
        "How many bytes of the table come before row 6722?",
        answer=lambda: _row_start(6722),
        right="{answer} = 6722·1,024·2.",
        nudge="Rows 0 to 6721 come first. How many numbers is that, and how many bytes?",
        shows="6,722 rows come before it, numbered 0 to 6721. They hold 6,883,328 = 6722·1,024 numbers of two bytes: "
        "{answer} = 6,883,328·2.",
        traps=(
            Trap(guess=lambda: TABLE.position((6722, 0)), says="{guess} counts numbers. Each of them takes two bytes."),
            Trap(
                guess=lambda: _row_start(6721), says="{guess} counts rows from one. Row 6722 has 6,722 rows before it."
            ),
            Trap(
                guess=lambda: Layout.column_major((ROWS, COLUMNS)).in_bytes(ITEMSIZE).position((6722, 0, 0)),
                says="{guess} stores the table column by column. Row by row, whole rows come first.",
            ),
            Trap(guess=lambda: 6722 * ROWS * ITEMSIZE, says="{guess} takes a row to be as long as the table is high."),
            Trap(guess=lambda: TABLE.position((6722, 0)) * 4, says="{guess} takes four bytes for each number."),
        ),
    ),
    Prediction(
        key="06.header_length",
        asks="A file begins with the bytes `d0 02 00 00 00 00 00 00`. Which number do they hold, lowest byte first?",
        answer=lambda: int.from_bytes(EIGHT_BYTES, "little"),
        right="{answer} = 208 + 2·256.",
        nudge="`d0` is 208 and counts ones; `02` is the next byte and counts 256s.",
        shows="The first byte counts ones: `d0` is 208 = 13·16. The second counts 256s: `02` is 512 = 2·256. "
        "Together {answer} = 208 + 512; the other six bytes are zero.",
        traps=(
            Trap(guess=lambda: 0xD0 + 0x02, says="{guess} adds the bytes. Each further byte counts 256 times as much."),
            Trap(guess=lambda: 0xD002, says="{guess} reads `d002`, highest byte first. Here the lowest is first."),
            Trap(
                guess=lambda: int.from_bytes(EIGHT_BYTES, "big"),
                says="{guess} reads all eight bytes highest first, as network protocols do.",
            ),
            Trap(
                guess=lambda: 8 + int.from_bytes(EIGHT_BYTES, "little"),
                says="{guess} adds the eight bytes themselves. The question is the number that they hold.",
            ),
        ),
    ),
    Build(
        key="06.data_start",
        call="data_start(first_eight)",
        task="Return the byte number at which the data begins, from the first eight bytes of the file.",
        solution=data_start,
        cases=[
            ((2).to_bytes(8, "little"),),
            ((8).to_bytes(8, "little"),),
            ((13).to_bytes(8, "little"),),
            ((256).to_bytes(8, "little"),),
            (EIGHT_BYTES,),
            ((70_000).to_bytes(8, "little"),),
        ],
        draw=lambda random: (random.randrange(2, 100_000_000).to_bytes(8, "little"),),
        wrong=(
            Wrong(
                does=lambda first_eight: int.from_bytes(first_eight, "little"),
                says="That is the length of the header. The eight bytes that hold it come before it: add them.",
            ),
            Wrong(
                does=lambda first_eight: 8 + int.from_bytes(first_eight, "big"),
                says="The bytes are read highest first. The format stores the lowest byte first.",
            ),
            Wrong(
                does=lambda first_eight: -(-(8 + int.from_bytes(first_eight, "little")) // 8) * 8,
                says="The start is rounded up to a multiple of 8. Writers often pad the header so that it is one, "
                "but the format does not promise it: the data starts at exactly 8 + N.",
            ),
            Wrong(
                does=lambda first_eight: 8 + first_eight[0],
                says="Only the first byte is read. A header longer than 255 bytes needs the others too.",
            ),
        ),
        hints=(
            "Two things stand before the data: the eight bytes themselves, and the header.",
            'A bytes object becomes a number with `int.from_bytes(..., "little")`.',
            "Eight, plus the number that the eight bytes hold.",
        ),
        why="The file is `8 bytes | N bytes of header | data` without gaps, so the data begins where the header ends.",
        right="8 + N, exactly.",
    ),
    Build(
        key="06.file_byte",
        call="file_byte(data_start, tensor_start, row, column, columns, itemsize)",
        task="Return the byte number, counted from the start of the file, of element `[row, column]` of a table that "
        "has `columns` columns of `itemsize` bytes and begins `tensor_start` bytes into the data.",
        solution=file_byte,
        truth=_true_file_byte,
        cases=[
            (8, 0, 0, 0, 1, 1),
            (10, 0, 0, 0, 3, 2),
            (10, 4, 0, 0, 3, 2),
            (10, 4, 0, 1, 3, 2),
            (10, 4, 1, 0, 3, 2),
            (10, 4, 2, 1, 3, 4),
            (1_216, 6_144, 785, 0, 1_024, 2),
        ],
        draw=_draw_file_byte,
        wrong=(
            Wrong(
                does=lambda d, t, i, j, c, w: t + (i * c + j) * w,
                says="`data_start` is missing, as if the tensor's offset were counted from the start of the file. "
                "It is counted from the start of the data.",
            ),
            Wrong(
                does=lambda d, t, i, j, c, w: d + (i * c + j) * w,
                says="`tensor_start` is missing, so every table but the first is read in the wrong place.",
            ),
            Wrong(
                does=lambda d, t, i, j, c, w: d + t + i * c + j,
                says="Every number is taken to be one byte. Multiply elements by `itemsize` to get bytes.",
            ),
            Wrong(
                does=lambda d, t, i, j, c, w: d + t + (j * c + i) * w,
                says="Row and column have changed places. Each row before this one holds `columns` numbers.",
            ),
            Wrong(
                does=lambda d, t, i, j, c, w: d + t + i * c * w + j,
                says="The rows are counted in bytes and the column in numbers. Both need `itemsize`.",
            ),
            Wrong(
                does=lambda d, t, i, j, c, w: (d + t + i * c + j) * w,
                says="`data_start` and `tensor_start` are bytes already; only the element number is multiplied.",
            ),
        ),
        hints=(
            "First the number of the element in its table, as in chapter 01. Then make bytes of it.",
            "`data_start` and `tensor_start` are bytes. `row * columns + column` is not.",
            "Bytes before the data, plus bytes before the tensor, plus bytes before the element.",
        ),
        why="Three distances are added, each in bytes: to the data, to the tensor in the data, to the element in the "
        "tensor. Only the last one is counted in elements at first.",
        right="Every byte agrees, token 785 among them.",
    ),
    Prediction(
        key="06.forgot_eight",
        asks="Another reader forgets the 8, and so starts eight bytes too early. "
        "Its read for row 785 begins inside row 784. At which column?",
        answer=lambda: _landing(_row_start(785) - 8)[1],
        right="{answer}: eight bytes are four numbers, so the read begins with the last four of row 784.",
        nudge="How many two-byte numbers are eight bytes, and how many columns has a row?",
        shows="Eight bytes are four numbers of two bytes. The four columns before column 0 of row 785 are columns "
        "1,020 to 1,023 of row 784, so every number comes out four places late.",
        traps=(
            Trap(guess=lambda: COLUMNS - 8, says="{guess} goes back eight numbers. Eight bytes are fewer numbers."),
            Trap(guess=lambda: COLUMNS - 1, says="{guess} goes back one number, and that is two bytes."),
            Trap(guess=lambda: COLUMNS - 2, says="{guess} takes four bytes for each number. A bfloat16 has two."),
            Trap(guess=lambda: 4, says="{guess} is how far it is off. Count back from the end of row 784."),
        ),
    ),
)
