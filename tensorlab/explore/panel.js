// What the pages of all explorers share: the box, the line of errors, commands to Python, keys, and controls.
//
// `open` is the module's render function. It calls `build(ui)` with
//   ui.box             the themed box to fill, inside a shadow root
//   ui.width           the box's width in pixels
//   ui.ask(name, ...)  a command for Python's `obey`
//   ui.set(name, ...)  the same, but it replaces a waiting command of the same name and the same leading values, so that
//                      a burst of values ends in the last one
//   ui.style(css)      adds rules
//   ui.last            the name of the last command
//   ui.error           where the line of errors shows; put it, and ui.offline, where the reader looks
// and paints every picture that comes from Python, at most once per frame.
//
// `part(name, ...kids)` is one row of the panel, named at the left edge. Controls, each {el, ...}: `stepper(label, commit)` with `.show(value, look)`; `choice(label, commit)` with
// `.show(options, current)`; `button(words, act)`. `keys(el, handler)` gives `handler(key, event)` every key while the
// focus is in `el`, before the page's own shortcuts; it returns true for what it used.
const { html, svg } = linked;

const PANEL = `:host{display:block}.fig{background:var(--bg);border-radius:6px;padding:14px 0 2px;line-height:20px;text-align:left}
.fig *{box-sizing:border-box}p{margin:0}
.part{position:relative;padding:0 16px 0 104px;margin-bottom:14px;max-width:760px;zoom:var(--zoom)}.part>.lab{position:absolute;left:16px;top:4px}
.small .part{padding-left:16px}.small .part>.lab{position:static;display:block;margin-bottom:2px}.slim .part{padding-left:12px;padding-right:12px}
button,input{all:unset;box-sizing:border-box;font:13px system-ui,"DejaVu Sans",sans-serif;color:var(--fg)}
button{cursor:pointer;text-align:center}
button:focus-visible,input:focus-visible,[tabindex]:focus-visible{outline:2px solid var(--onl);outline-offset:2px}
.push{height:28px;padding:0 12px;border:1px solid var(--line);border-radius:5px;white-space:nowrap}
.push:hover,.stepper button:hover,.choice button:hover{background:var(--wedge)}
.push.dim{color:var(--mut);border-style:dashed}
.stepper{display:inline-flex;height:28px;border:1px solid var(--line);border-radius:5px;overflow:hidden;vertical-align:top}
.stepper button{width:26px;color:var(--mut);font:15px var(--mono)}
.stepper input{width:54px;text-align:center;font:14px var(--mono);border:solid var(--line);border-width:0 1px;cursor:text}
.stepper:focus-within{border-color:var(--onl);box-shadow:0 0 0 1px var(--onl)}.stepper input:focus-visible{outline:none}
.stepper.new input{background:var(--wedge);font-weight:700}
.choice{display:inline-flex;flex-wrap:wrap;gap:2px}.choice button{min-width:28px;height:28px;padding:0 8px;border:1px solid var(--line);border-radius:5px;color:var(--mut)}
.choice button[aria-checked=true]{background:var(--neu);border:1.5px solid var(--fg);color:var(--fg);font-weight:600}
.error{color:var(--fg);min-height:20px}.error:empty{visibility:hidden}.error b{font-weight:600}
.offline{color:var(--mut)}.offline[hidden]{display:none}
.mono,.mono *{font-family:var(--mono)}
@media(prefers-reduced-motion:no-preference){button,input{transition:background .12s,border-color .12s}}`.replace(/\n/g, "");

const PATIENCE = 5000; // milliseconds without an answer, after which the page says that nobody answers

function open({ model, el }, build) {
  const host = html("div", { class: "tl-explorer" });
  el.append(host);
  let shell, made, frameAsked = 0, waiting = 0, count = 0, timer, queue = [];
  const ui = {
    width: 0,
    last: "",
    offline: html("p", { class: "offline", role: "status", hidden: "" }, "No answer from Python. Run the cell again to go on; pointing and keys still work here."),
    error: html("p", { class: "error", role: "alert" }),
    ask(...command) {
      ui.last = command[0];
      queue.push(command);
      flush();
    },
    set(...command) {
      const last = queue[queue.length - 1] || [];
      if (last.length === command.length && command.slice(0, -1).every((part, k) => part === last[k])) queue.pop();
      ui.ask(...command);
    },
    style(css) { host.shadowRoot.prepend(html("style", {}, css)); },
  };

  function flush() {
    if (waiting || !queue.length) return;
    waiting = ++count;
    clearTimeout(timer);
    timer = setTimeout(alone, PATIENCE);
    try {
      model.send({ n: count, do: queue });
    } catch {
      alone(); // the kernel is gone, and with it the connection
    }
    queue = [];
  }

  // Nobody answers: say so, and show what Python said last.
  function alone() {
    clearTimeout(timer);
    waiting = 0;
    queue = [];
    ui.offline.hidden = false;
    paint();
  }

  function paint() {
    frameAsked = 0;
    const picture = model.get("picture");
    ui.busy = Boolean(waiting || queue.length);
    ui.error.replaceChildren(...(picture.error ? [html("b", {}, "✗ "), picture.error.replace(/-(?=\d)/g, "−")] : []));
    if (ui.width) made.paint(picture);
  }

  function fresh() {
    if (waiting && model.get("picture").heard === waiting) {
      waiting = 0;
      clearTimeout(timer);
      ui.offline.hidden = true;
      flush();
    }
    if (!frameAsked) frameAsked = requestAnimationFrame(paint);
  }

  const keyed = (event) => {
    const path = event.composedPath(), inside = path.indexOf(host);
    if (inside < 0 || event.altKey || event.metaKey) return;
    const typing = path[0].tagName === "INPUT", owner = path.slice(0, inside).find((node) => node.tensorlabKeys);
    const used = owner && owner.tensorlabKeys(event.key, event);
    if (used) event.preventDefault();
    // What a button or a field does with a key is its own; the page's shortcuts must not see it.
    const own = typing ? event.key !== "Tab" : path[0].tagName === "BUTTON" && ["Enter", " "].includes(event.key);
    if (used || own) event.stopImmediatePropagation();
  };
  const focused = () => addEventListener("keydown", keyed, true), left = () => removeEventListener("keydown", keyed, true);
  host.addEventListener("focusin", focused);
  host.addEventListener("focusout", left);

  shell = linked.frame(host, linked.CSS + PANEL, (width) => {
    ui.width = width;
    shell.box.classList.toggle("slim", width < 480);
    shell.box.classList.toggle("small", width < 592);
    // On a projector everything grows, as the linked figure does.
    shell.box.style.setProperty("--zoom", width < 1400 ? 1 : width < 1800 ? 1.25 : 1.5);
    made.resized(width);
    paint();
  });
  ui.box = shell.box;
  made = build(ui);
  shell.measure();
  model.on("change:picture", fresh);
  return () => {
    model.off("change:picture", fresh);
    cancelAnimationFrame(frameAsked);
    clearTimeout(timer);
    left();
    if (made.destroy) made.destroy();
    shell.destroy();
  };
}

// One row of the panel: its name at the left edge that all rows share, as in the linked figure.
const part = (name, ...kids) => html("div", { class: "part" }, name ? html("span", { class: "lab" }, name) : null, ...kids);
const minus = (n) => String(n).replace(/-/g, "−");

function keys(el, handler) {
  el.tensorlabKeys = handler;
  return el;
}

function button(words, act, look = "push") {
  const el = html("button", { type: "button", class: look }, words);
  el.addEventListener("click", act);
  return el;
}

// A number with − and +, typed, or changed with the arrow keys. Python judges every value.
function stepper(label, commit) {
  const input = html("input", { role: "spinbutton", inputmode: "text", spellcheck: "false", autocomplete: "off", "aria-label": label });
  const shift = (by) => set(Number(value) + by);
  const side = (sign, words) => {
    const el = button(sign, () => shift(sign === "+" ? 1 : -1), "");
    el.tabIndex = -1;
    el.setAttribute("aria-label", `${label}: ${words}`);
    return el;
  };
  const el = html("span", { class: "stepper" }, side("−", "one less"), input, side("+", "one more"));
  let value = 0;
  function set(next) {
    value = next;
    input.value = minus(next);
    commit(next);
  }
  function typed() {
    const words = input.value.trim().replace(/−/g, "-");
    if (words !== String(value)) set(/^-?\d{1,15}$/.test(words) ? Number(words) : words);
  }
  input.addEventListener("change", typed);
  input.addEventListener("focus", () => input.select());
  keys(input, (key) => {
    const by = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[key];
    if (by) shift(by);
    else if (key === "Enter") typed();
    else if (key === "Escape") input.value = minus(value);
    else return false;
    return true;
  });
  return {
    el, input,
    show(next, look = "") {
      el.className = `stepper ${look}`;
      value = next;
      input.setAttribute("aria-valuenow", next);
      input.value = minus(next);
    },
  };
}

// One of a few: a radio group that the arrow keys move through.
function choice(label, commit) {
  const el = html("span", { class: "choice", role: "radiogroup", "aria-label": label });
  let buttons = [], known = "";
  keys(el, (key) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[key];
    if (!by || !buttons.length) return false;
    const at = buttons.findIndex((one) => one.getAttribute("aria-checked") === "true");
    const next = buttons[(at + by + buttons.length) % buttons.length];
    next.focus();
    next.click();
    return true;
  });
  return {
    el,
    // options: [{value, words, look, say}]
    show(options, current) {
      const now = JSON.stringify(options);
      if (now !== known) {
        const held = el.getRootNode().activeElement, focus = buttons.indexOf(held);
        buttons = options.map(({ value, words, look, say }) => {
          const one = button(words, () => commit(value), look || "");
          one.setAttribute("role", "radio");
          if (say) one.setAttribute("aria-label", say);
          return one;
        });
        el.replaceChildren(...buttons);
        if (focus >= 0 && buttons[focus]) buttons[focus].focus();
        known = now;
      }
      buttons.forEach((one, k) => {
        const on = options[k].value === current;
        one.setAttribute("aria-checked", on);
        one.tabIndex = on || (k === 0 && !options.some((option) => option.value === current)) ? 0 : -1;
      });
    },
  };
}
