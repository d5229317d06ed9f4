// The broadcast explorer: the live figure, with a stepper on every length and buttons that add and remove axes.
const STYLE = `.fig.fig.pairs{padding:0;max-width:760px}.bar{display:flex;flex-wrap:wrap;gap:4px 12px;align-items:center;padding:14px 16px 0}
.bar .lab{font-size:13px}.below{padding:0 16px}.wide .below{padding-left:var(--left)}.below .error{padding-bottom:4px}
.pairs .len{border-radius:5px;cursor:ns-resize}
.pairs .mini{border:1px solid var(--line);border-radius:4px;background:var(--bg);color:var(--mut);font:14px var(--mono);line-height:1}
.pairs .mini:hover{background:var(--wedge);color:var(--fg)}.pairs .mini[disabled]{opacity:.35;cursor:default}
.pairs .mini.add{border-style:dashed;font:12px system-ui,"DejaVu Sans",sans-serif}.pairs .mini.sign{font:16px var(--mono)}`.replace(/\n/g, "");

const SIGNS = [["+", "+", "plus"], ["-", "−", "minus"], ["*", "×", "times"], ["/", "÷", "divided by"], ["==", "==", "equals"], ["<", "<", "less than"]];

function build(ui) {
  let made, wanted = [[], []], most = 4, focus = null;
  const known = new Map();
  ui.style(linked.OWN + STYLE);
  ui.box.classList.add("pairs");
  const operation = choice("operation", (value) => ui.ask("operation", value));
  ui.box.append(html("div", { class: "bar" }, html("span", { class: "lab" }, "operation"), operation.el));

  function change(own, shape, next) {
    wanted[own] = shape;
    focus = next || null;
    ui.ask("ab"[own], shape);
  }

  const shift = (own, at, by) => change(own, wanted[own].map((n, k) => (k === at ? Math.max(0, n + by) : n)));
  const drop = (own, at) => change(own, wanted[own].filter((_, k) => k !== at), `len-${own}-${Math.max(0, at - 1)}`);

  function length(own, at) {
    const el = html("div", { class: "len", role: "spinbutton", "aria-valuemin": 0, tabindex: 0 });
    let typed = 0;
    keys(el, (key) => {
      const by = { ArrowUp: 1, ArrowDown: -1 }[key], side = { ArrowLeft: -1, ArrowRight: 1 }[key];
      if (by) shift(own, at, by);
      else if (/^\d$/.test(key)) {
        const now = Date.now();
        const n = now - typed < 900 ? wanted[own][at] * 10 + Number(key) : Number(key);
        typed = now;
        change(own, wanted[own].map((old, k) => (k === at ? n : old)));
      } else if (key === "Delete" || key === "Backspace") drop(own, at);
      else if (side) known.get(`len-${own}-${at + side}`)?.focus();
      else return false;
      return true;
    });
    el.addEventListener("click", () => el.focus());
    return el;
  }

  function small(words, label, act, look = "") {
    const el = button(words, () => { if (!el.disabled) act(); }, `mini ${look}`);
    el.setAttribute("aria-label", label);
    el.title = label;
    return el;
  }

  // Lays the controls over the picture, row by row in the order of reading.
  function controls(spots, place, data) {
    known.clear();
    const put = (key, create, box) => {
      const el = place(key, create, box);
      known.set(key, el);
      return el;
    };
    data.operands.forEach((operand, own) => {
      const missing = operand.pairs.filter((pair) => pair[1]).length, full = wanted[own].length >= most;
      const add = (side, words, label, box, shape) => {
        const el = put(`add-${own}-${side}-${words}`, () => small(words, label, () => change(own, shape()), words === "+" ? "add sign" : "add"), box);
        el.disabled = full;
      };
      const [first, last] = spots.adds[own], wide = last[2] < 30;
      add("first", missing ? "+ axis" : wide ? "+" : "+ first", `${operand.name}: add a first axis of length 1`, first, () => [1, ...wanted[own]]);
      for (const [, k, x, y, width] of spots.boxes.filter(([at]) => at === own).slice(missing)) {
        const at = k - missing, axis = data.axes[k];
        const el = put(`len-${own}-${at}`, () => length(own, at), [x, y, width, 30]);
        el.setAttribute("aria-label", `${operand.name}, ${axis}: length. Up and down change it, Delete removes the axis.`);
        el.setAttribute("aria-valuenow", operand.pairs[k][0]);
        const each = Math.min(28, (width - 4) / 3), from = x + (width - 3 * each - 4) / 2;
        const three = [["less", "−", "one shorter", () => shift(own, at, -1)], ["more", "+", "one longer", () => shift(own, at, 1)], ["drop", "✕", "remove this axis", () => drop(own, at)]];
        three.forEach(([name, words, say, act], n) => {
          const el = put(`${name}-${own}-${at}`, () => small(words, "", act, name === "drop" ? "" : "sign"), [from + n * (each + 2), y + 32, each, 24]);
          el.tabIndex = -1;
          el.disabled = name === "less" && operand.pairs[k][0] === "0";
          el.setAttribute("aria-label", `${operand.name}, ${axis}: ${say}`);
          el.title = say;
        });
      }
      add("last", wide ? "+" : "+ last", `${operand.name}: add a last axis of length 1`, last, () => [...wanted[own], 1]);
    });
  }

  // On a projector everything grows.
  function resized(width) {
    const zoom = width < 1400 ? 1 : width < 1800 ? 1.25 : 1.5;
    ui.box.style.zoom = zoom;
    if (made) made.resized(Math.floor(width / zoom));
  }

  return {
    paint(picture) {
      if (!ui.busy) wanted = picture.shapes.map((shape) => [...shape]);
      most = picture.most;
      operation.show(SIGNS.map(([value, words, say]) => ({ value, words, say })), picture.operation);
      if (made) made.update(picture.figure, ui.busy);
      else {
        const below = html("div", { class: "below" }, ui.error, ui.offline);
        made = linked.scene(ui.box, picture.figure, {
          controls, below: [below], selected: (index) => ui.ask("select", index),
          hint: "Step a length; add or remove an axis.",
        });
        resized(ui.width);
      }
      if (focus && known.get(focus)) known.get(focus).focus({ preventScroll: true });
      if (!ui.busy) focus = null;
    },
    resized,
  };
}
