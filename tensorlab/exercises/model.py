"""What a content file is made of: predictions and builds, and the beliefs that lead away from them.

Texts are plain: backticks mark code, stars a *stressed* word, a blank line starts a paragraph, four leading spaces keep
a block as it stands. `{guess}` stands for what the reader wrote, `{answer}` for the right answer; ints get their
thousands apart: 1,607,680.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Trap:
    """A wrong guess that comes from a belief, and what to say to it.

    Parameters
    ----------
    guess : callable of no arguments
        Computes what this belief gives, preferably from an array.
    says : str
        One or two short sentences that name the belief; `{guess}` is the number.

    Examples
    --------
    >>> trap = Trap(guess=lambda: 1 + 3 * 3, says="{guess} puts columns first: 1 + 3·3.")
    >>> trap.guess()
    10
    """

    guess: Callable[[], object]
    says: str


@dataclass(frozen=True, kw_only=True)
class Wrong:
    """A wrong function that comes from a belief, and what to say to a reader whose function does the same.

    Parameters
    ----------
    does : callable
        Takes the exercise's arguments and answers as this belief would.
    says : str
        Which belief leads there, and what holds instead.

    Examples
    --------
    >>> wrong = Wrong(does=lambda i, j, rows, cols: j * rows + i, says="That goes column by column.")
    >>> wrong.does(0, 1, 2, 2)
    2
    """

    does: Callable
    says: str


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """A question with one answer, asked before the reader sees it.

    Parameters
    ----------
    key : str
        Chapter and name, such as ``"01.slot"``.
    asks : str
        The question, complete in itself.
    answer : callable of no arguments
        Computes the right answer: an int, float, bool, str, or a tuple of them.
    right : str
        What to say to the right answer, such as ``"{answer} = 1·5 + 3."``.
    nudge : str
        What to say to a wrong answer that no trap explains, after ``Not 17.``
    shows : str
        The explanation in the fold "Show me", which appears after the first try.
    traps : sequence of Trap
        The beliefs worth naming.
    choices : sequence of str, optional
        The answers to choose from, where the answer is one of a few words.
    form : str, optional
        What an answer looks like, such as ``"(i, j)"``.
    tolerance : float
        How far a float may be away, relative to the answer.
    answer_in_question : bool
        True where the question itself has to show the number that is the answer.

    Examples
    --------
    >>> prediction = Prediction(
    ...     key="99.sum", asks="1 + 1?", answer=lambda: 1 + 1, right="{answer}.", nudge="Count.", shows="Two ones."
    ... )
    >>> prediction.chapter
    '99'
    """

    key: str
    asks: str
    answer: Callable[[], object]
    right: str
    nudge: str
    shows: str
    traps: Sequence[Trap] = ()
    choices: Sequence[str] = ()
    form: str | None = None
    tolerance: float = 1e-6
    answer_in_question: bool = False

    @property
    def chapter(self):
        """The two digits of the chapter."""
        return self.key.partition(".")[0]


@dataclass(frozen=True, kw_only=True)
class Build:
    """A function of a few lines that the reader writes and `check` tries out.

    Parameters
    ----------
    key : str
        Chapter and name, such as ``"01.flat_index"``.
    call : str
        How it is called: ``"flat_index(i, j, rows, cols)"``.
    task : str
        What it returns, in one or two sentences.
    solution : callable
        A function of the content file; its source, at most ten lines, is what the solution fold shows.
    truth : callable, optional
        Where the expected values come from, preferably the package's own function; `solution` if not given.
    cases : sequence of tuples, or a callable that makes it
        Arguments to try, smallest first: the first one that fails is the one the reader sees.
    draw : callable, optional
        Takes a seeded `random.Random` and gives the arguments of one more case.
    draws : int
        How many cases to draw.
    wrong : sequence of Wrong
        At least three wrong functions worth naming.
    hints : sequence of str
        Three, each nearer to the solution.
    why : str
        The reasons that stand below the solution.
    right : str
        What to say when every case agrees.
    tolerance : float
        How far a float may be away, relative to what is expected.

    Examples
    --------
    >>> def double(x):
    ...     return 2 * x
    >>> Build(
    ...     key="99.double", call="double(x)", task="Return twice x.", solution=double, cases=[(0,), (1,)],
    ...     hints=("Add.", "Add x.", "Add x to x."), why="x + x = 2·x.", right="Twice.",
    ... ).name
    'double'
    """

    key: str
    call: str
    task: str
    solution: Callable
    cases: Sequence[tuple] | Callable[[], Sequence[tuple]]
    hints: Sequence[str]
    why: str
    right: str
    truth: Callable | None = None
    draw: Callable | None = None
    draws: int = 60
    wrong: Sequence[Wrong] = ()
    tolerance: float = 1e-6

    @property
    def chapter(self):
        """The two digits of the chapter."""
        return self.key.partition(".")[0]

    @property
    def name(self):
        """The name of the function, as it is called."""
        return self.call.partition("(")[0]

    @property
    def parameters(self):
        """The names of its parameters, in order."""
        return tuple(name.strip() for name in self.call.partition("(")[2].rstrip(")").split(","))
