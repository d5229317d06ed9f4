"""What explorers share: a widget whose picture Python computes, and a page that only paints it.

How an explorer is made. A class holds the contract as `Checked` traits and computes one plain `picture` dict from
them; a hand-written ES module paints it. Nothing else is synchronised.

    class LineExplorer(Panel):
        _esm = page("line.js")
        length = Checked(3, lambda value: as_integer("LineExplorer", "length", value))

        def __init__(self, length=3):
            super().__init__({"length": length})

        def compute(self):                      # traits in, picture out; may raise a TensorlabError
            return {"figure": describe(...), "length": self.length}

        def still(self):                        # the twin that survives when no kernel and no widget state is left
            return figures.linked(Layout(self.length, 1))

        def obey(self, name, value):            # one command of the page, as the page sent it
            if name == "length":
                self.length = value

- A trait that is set, from Python or by the page, leads to one `refresh`: `compute` runs and the page gets the whole
  picture. Several changes are made one with ``with self.held():``.
- An error (a value that a trait refuses, a `compute` or an `obey` that raises) shows as one line inside the panel, is
  kept in `error`, and goes to the log; the last good picture stays. Only the constructor raises.
- An explorer opens its connection to the page when it is shown. A cell that runs again closes what its last run
  showed, unless another cell shows it too; whatever is shown again opens again. So running cells leaks nothing.
- `page("line.js")` joins ``panel.js``, the linked figure's painter as ``linked.mount`` and your file, which defines
  ``function build(ui)`` and returns ``{paint(picture), resized(width), destroy()}``; `resized` comes before the first
  `paint`, `destroy` is optional. ``ui.box`` is the themed box to fill (palette and classes of `figures.shell`).
  ``ui.ask(name, ...values)`` sends a command; commands wait while Python is busy. ``ui.set`` does too, and replaces a
  waiting command of the same name and leading values, so a burst of values ends in the last one. See the first lines
  of ``panel.js`` for the rest: `part`, `stepper`, `choice`, `button`, `keys`.
"""

import logging
from contextlib import contextmanager
from importlib import resources

import anywidget
import traitlets
from IPython import get_ipython

from tensorlab.errors import TensorlabError
from tensorlab.figures.linked import live_painter
from tensorlab.figures.shell import live_script

log = logging.getLogger("tensorlab.explore")

_shown = {}  # cell id -> (which run of the cell, the panels it shows)


class Checked(traitlets.TraitType):
    """A trait whose value goes through a function; what the function refuses leaves the trait as it was.

    Parameters
    ----------
    default : object
    read : callable
        Takes a value to its plain form, or raises a `TensorlabError`.

    Examples
    --------
    >>> class Box(traitlets.HasTraits):
    ...     size = Checked((2, 3), tuple)
    >>> Box(size=[4, 5]).size
    (4, 5)
    """

    def __init__(self, default, read):
        super().__init__(default)
        self._read = read

    def validate(self, obj, value):
        try:
            return self._read(value)
        except TensorlabError as error:
            if not getattr(obj, "ready", False):
                raise
            obj.refuse(error)
            return getattr(obj, self.name)


class Panel(anywidget.AnyWidget):
    """The base of every explorer: picture, errors, commands of the page, and a connection that does not leak.

    Parameters
    ----------
    traits : dict
        The first values of the contract.
    """

    picture = traitlets.Dict().tag(sync=True)
    """What the page paints; computed, never set by hand."""

    error = traitlets.Unicode("")
    """The line that the panel shows when something was refused, else empty."""

    ready = False
    """Whether the constructor is done: from then on errors show inside the panel."""

    def __init__(self, traits):
        self._awake = False
        self._holding = 0
        self._stale = False
        self._body = {}
        self._heard = 0
        self._cells = set()
        super().__init__(**traits)
        self._body = self.compute()
        self._publish()
        self.on_msg(lambda _, content, buffers: self._listen(content))
        self.ready = True
        names = [name for name, trait in self.traits().items() if isinstance(trait, Checked)]
        self.observe(lambda change: self.changed(change["name"]), names)

    def compute(self):
        """The picture for the present traits, as plain numbers, texts, lists and dicts."""
        raise NotImplementedError

    def still(self):
        """The figure that stands in for the panel where there is no widget."""
        raise NotImplementedError

    def obey(self, name, *values):
        """Do what the page asks."""
        raise NotImplementedError

    def changed(self, name):
        """React to a trait that has a new value: paint anew."""
        self.refresh()

    def __repr__(self):
        return repr(self.still())

    @contextmanager
    def held(self):
        """Make one change of many: the picture is computed once, at the end."""
        if not self._holding:
            self.error = ""
        self._holding += 1
        try:
            yield
        finally:
            self._holding -= 1
            if self._stale and not self._holding:
                self._paint()

    def refresh(self, act=None):
        """Compute the picture and give it to the page; an error shows in its place in the panel.

        Parameters
        ----------
        act : callable, optional
            What to do first; its errors show in the panel too.
        """
        if not self.ready:
            return
        if not self._holding:
            self.error = ""
        with self.guarded():
            if act is not None:
                act()
        self._stale = True
        if not self._holding:
            self._paint()

    def _paint(self):
        self._stale = False
        with self.guarded():
            self._body = self.compute()
        self._publish()

    @contextmanager
    def guarded(self):
        """Show and log any error of the block, and go on."""
        try:
            yield
        except Exception as error:  # a panel never breaks: what is unforeseen is shown and logged like the rest
            self.complain(error)

    def complain(self, error):
        """Show an error inside the panel and log it. The first of several in one change stays.

        Parameters
        ----------
        error : Exception
        """
        known = isinstance(error, TensorlabError)
        line = error_line(error) if known else f"{type(error).__name__}: {error}"
        log.log(logging.WARNING if known else logging.ERROR, "%s", line, exc_info=None if known else error)
        self.error = self.error or line
        self._publish()

    def refuse(self, error):
        """Show why a trait keeps its value.

        Parameters
        ----------
        error : TensorlabError
        """
        if not self._holding:
            self.error = ""
        self.complain(error)

    def _publish(self):
        if not self._holding:
            self.picture = {**self._body, "error": self.error, "heard": self._heard}

    def _listen(self, content):
        """Obey the commands of one message, then say that it was heard."""
        with self.held():
            for command in content.get("do", ()):
                with self.guarded():
                    self.obey(*command)
        self._heard = content.get("n", 0)
        self._publish()

    # ---- the connection to the page: opened when shown, closed when its cell shows something else -----------------

    def open(self):
        """Open the connection to the page, once the panel is shown for the first time."""
        if self._awake:
            super().open()

    def close(self):
        """Close the connection to the page; what is shown again opens a new one."""
        if self.comm is not None:
            super().close()
            vars(self).pop("_repr_mimebundle_", None)  # the base class hides it for good
            self.layout.close()
            self._trait_values.pop("layout", None)
        self._awake, self._model_id = False, None
        self._cells = set()

    @property
    def model_id(self):
        """The name of the panel's model in the page; asking for it opens the connection."""
        if self.comm is None:
            self._awake = True
            self.open()
        return self.comm.comm_id

    def _repr_mimebundle_(self, **options):
        _take_place(self, *_running_cell())
        bundle, metadata = super()._repr_mimebundle_(**options)
        bundle["text/html"] = self.still().html
        return bundle, metadata


def error_line(error):
    """A package error as one line: what is wrong, and what was expected.

    Examples
    --------
    >>> from tensorlab.errors import ShapeError
    >>> error_line(ShapeError("squeeze", "axis 0 has length 3", expected="an axis of length 1"))
    'squeeze: axis 0 has length 3 (expected an axis of length 1)'
    """
    expected = f" (expected {error.expected})" if error.expected else ""
    return f"{error.operation}: {error.problem}{expected}"


def _running_cell():
    """The cell that runs now and which run of it this is, where the front end says so."""
    kernel = getattr(get_ipython(), "kernel", None)
    parent = kernel.get_parent() if kernel is not None else {}
    return parent.get("metadata", {}).get("cellId"), parent.get("header", {}).get("msg_id")


def _take_place(panel, cell, run):
    """Note that a cell shows a panel, and close what an earlier run of the cell alone showed."""
    if cell is None:
        return
    before, panels = _shown.get(cell, (run, []))
    if before != run:
        for old in panels:
            old._cells.discard(cell)
            if not old._cells and old is not panel:
                old.close()
        panels = []
    panel._cells.add(cell)
    _shown[cell] = (run, [*(old for old in panels if old is not panel), panel])


def page(name, painter=None, names="mount, plan, text, box, line, cross, head, hatch, indexOf, calm, G"):
    """The ES module of one explorer: what all share, a figure's painter, and the explorer's own file.

    Parameters
    ----------
    name : str
        A JavaScript file of this folder that defines ``build(ui)``.
    painter : str, optional
        The painter's script; without it, the linked figure's.
    names : str
        What the explorer uses of the painter, as ``linked.mount`` and so on.

    Returns
    -------
    str

    Examples
    --------
    >>> page("strides.js").endswith("export default { render: (given) => open(given, build) };")
    True
    """
    script = live_script(live_painter() if painter is None else painter)
    figure = f"const linked = (() => {{\n{script}\nreturn {{ frame, html, svg, CSS, {names} }};\n}})();"
    return "\n".join(
        [figure, _script("panel.js"), _script(name), "export default { render: (given) => open(given, build) };"]
    )


def _script(name):
    source = resources.files("tensorlab.explore").joinpath(name).read_text(encoding="utf-8")
    lines = (line.strip() for line in source.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))
