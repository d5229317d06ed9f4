// The page of the stride explorer. It paints what Python computed; hover, keys and the walk's clock are its own.

const STRIDES = `.numbers{display:flex;flex-wrap:wrap;gap:6px 32px;margin-left:-88px}.small .numbers{margin-left:0}.table{display:grid;gap:6px;align-items:center;align-content:start;justify-content:start}
.table .name{color:var(--mut);padding-right:10px}.table .axis{text-align:center;font:12.5px/16px var(--mono)}.rest{grid-template-columns:max-content max-content}.rest.under{grid-template-columns:82px max-content max-content max-content;width:100%}.under .axis,.under .axis+span{display:none}.under .name+.stepper+.name{padding-left:20px}.slim .rest.under{grid-template-columns:max-content max-content}.slim .under .name+.stepper+.name{padding-left:0}
.first{width:82px}.small .first{width:auto}
.facts{margin-top:2px}.effect,.effect+.error{margin-top:10px;min-height:20px}.chart{margin-bottom:14px}.facts b{display:inline-block;width:18px;font-weight:600}
.bar{display:flex;flex-wrap:wrap;gap:8px 14px;align-items:center;margin-bottom:8px}.bar label,.bar>span{display:inline-flex;align-items:center;gap:8px;color:var(--mut)}
.bar [hidden]{display:none}
.choice button[aria-checked=true].a0{color:var(--a0)}.choice button[aria-checked=true].a1{color:var(--a1)}.choice button[aria-checked=true].a2{color:var(--a2)}
.bar .stepper input,.slim .stepper input{width:40px}.slim .numbers{gap:6px 20px}.slim .table .name{min-width:60px}.slim .rest .axis,.slim .rest .axis+span{display:none}.slim .moves .wide{grid-column:auto}.slim .table{max-width:100%;overflow-x:auto;padding:2px;margin:-2px}.into{width:92px;height:28px;border:1px solid var(--line);border-radius:5px;padding:0 8px;font:14px var(--mono);cursor:text}
.moves{display:grid;grid-template-columns:repeat(auto-fill,minmax(140px,1fr));gap:6px;margin-bottom:8px}
.moves button{height:44px;padding:3px 6px;border:1px solid var(--line);border-radius:5px;line-height:18px;overflow:hidden}
.moves button:hover{background:var(--wedge)}.moves code{display:block;font:12px/17px var(--mono);color:var(--mut);white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.moves .wide{grid-column:span 2}.moves .no{border-style:dashed;color:var(--mut)}.moves .fresh{border-color:var(--fg)}
.error:empty{display:none}
.goal{display:flex;flex-wrap:wrap;gap:10px 24px;margin-top:12px;align-items:flex-start}.goal>div{flex:1 1 240px}
.goal .title{line-height:22px}.goal .said{margin:2px 0 8px;min-height:40px}.goal svg{display:block;flex:none;max-width:100%}.goal button{margin-right:6px}
.cell.differs{stroke:var(--fg);stroke-width:2.5}
.walk .bar{margin-bottom:4px}.walk .push{min-width:34px;padding:0 10px}.walk .count{min-height:20px}
.chart{overflow-x:auto;overflow-y:hidden;scrollbar-width:none;zoom:var(--zoom)}.chart svg{display:block}
.band{fill:var(--off);stroke:var(--line);stroke-dasharray:3 3}.band.hit{fill:var(--on);stroke:var(--onl);stroke-dasharray:none}
.leg{fill:none;stroke-width:1.8}.leg.ahead{stroke:var(--line)}
.dot{fill:var(--line)}.dot.done{fill:var(--mut)}.dot.cur{fill:var(--cur);stroke:var(--bg);stroke-width:1.5}.jump{fill:none;stroke:var(--fg);stroke-width:2.2}
.chain{display:flex;flex-wrap:wrap;gap:8px 0;list-style:none;margin:0;padding:0}
.chain li{display:flex}.chain li+li::before{content:"→";width:24px;padding-top:5px;text-align:center;color:var(--mut)}.chain li.torn::before{content:"✗";color:var(--fg)}
.link,.gap{display:block;text-align:left;border:1px solid var(--line);border-radius:5px;padding:5px 10px;min-width:124px;font:12px/17px var(--mono)}
.link:hover{background:var(--wedge)}.link[aria-current]{border:1.5px solid var(--fg);padding:4.5px 9.5px;background:var(--neu)}.link.later{border-style:dashed;color:var(--mut)}
.link strong,.gap strong{display:block;font-weight:600;margin-bottom:2px}.link span,.gap span{display:block;white-space:nowrap;color:var(--mut)}
.link .same{color:var(--mut)}.link .new{color:var(--fg);font-weight:700}.gap{border-style:dashed}.gap span{color:var(--fg)}.gap button{margin:6px 0 2px}`.replace(/\n/g, "");

function build(ui) {
  ui.style(STRIDES);
  let picture, figure, painted, figureKnown = "", told = "", rank = -1;

  // ---- puzzles -------------------------------------------------------------------------------------------------

  const puzzles = choice("Puzzles", (number) => ui.ask("puzzle", number));
  const goal = html("div", { class: "goal", hidden: "" });

  function paintPuzzles() {
    puzzles.show([{ value: 0, words: "explore" }, ...picture.puzzles.map(({ title, solved }, k) => ({
      value: k + 1, words: solved ? `${k + 1} ✓` : String(k + 1), say: `Puzzle ${k + 1}: ${title}${solved ? ", solved" : ""}`,
    }))], picture.puzzle ? picture.puzzle.number : 0);
    goal.hidden = !picture.puzzle;
    goal.style.display = picture.puzzle ? "" : "none";
    if (!picture.puzzle) return;
    const { title, said, solved, number, last } = picture.puzzle, held = goal.getRootNode().activeElement;
    const act = solved ? (last ? null : button("Next puzzle", () => ui.ask("puzzle", number + 1))) : button("Mark the first difference", () => ui.ask("compare"));
    const focus = goal.contains(held);
    goal.replaceChildren(paintTarget(picture.puzzle), html("div", {},
      html("div", { class: "title", role: "heading", "aria-level": 4 }, title),
      html("p", { class: "said", role: "status" }, solved ? html("b", {}, "✓ ") : "", said), act));
    if (focus && act) act.focus();
  }

  function paintTarget({ shape, cells, marked, title }) {
    const wide = shape.length ? shape[shape.length - 1] : 1, high = shape.length > 1 ? shape[shape.length - 2] : 1;
    const planes = Math.max(1, cells.length / (wide * high)), unit = wide * 34 + 16;
    const root = svg("svg", { width: 20 + planes * unit - 16, height: high * 28 + 20, role: "img", "aria-label": `Target: ${title}. Shape (${shape.join(", ")}), numbers ${cells.join(" ")}` });
    cells.forEach((value, k) => {
      const plane = Math.floor(k / (wide * high)), x = 20 + plane * unit + (k % wide) * 34, y = 18 + (Math.floor(k / wide) % high) * 28;
      root.append(linked.box(x + 1, y + 1, 32, 26, k === marked ? "cell byte differs" : "cell byte"), linked.text(x + 17, y + 19, value, "num", "middle"));
    });
    for (let plane = 0; plane < planes; plane++)
      for (let c = 0; c < wide; c++) root.append(linked.text(20 + plane * unit + c * 34 + 17, 12, c, "idx", "middle"));
    if (shape.length > 1) for (let r = 0; r < high; r++) root.append(linked.text(12, 18 + r * 28 + 18, r, "idx", "end"));
    return root;
  }

  // ---- numbers -------------------------------------------------------------------------------------------------

  const axes = html("div", { class: "table" }), rest = html("div", { class: "table rest" });
  const setter = (name) => (value) => ui.set("number", name, value);
  const offset = stepper("offset", setter("offset")), slots = stepper("slots in the buffer", setter("length"));
  const facts = html("div", { class: "facts", role: "status" });
  let lengths = [], strides = [];
  const name = (words) => html("span", { class: "name first" }, words);
  const aside = (words) => html("span", { class: "name" }, words);
  rest.append(html("span", { class: "axis" }, "\u00a0"), html("span"), aside("offset"), offset.el, aside("slots"), slots.el);

  function paintNumbers() {
    if (picture.axes.length !== rank) {
      rank = picture.axes.length;
      lengths = picture.axes.map((_, k) => stepper(`length of axis ${k}`, setter(`shape[${k}]`)));
      strides = picture.axes.map((_, k) => stepper(`stride of axis ${k}`, setter(`strides[${k}]`)));
      const heads = picture.axes.map(({ look }, k) => html("span", { class: `axis ${look}` }, `axis ${k}`));
      rest.classList.toggle("under", rank > 3);
      axes.style.gridTemplateColumns = `max-content repeat(${rank}, max-content)`;
      axes.replaceChildren(...(rank ? [html("span"), ...heads, name("shape"), ...lengths.map((one) => one.el), name("strides"), ...strides.map((one) => one.el)]
        : [name("rank 0")]));
    }
    if (ui.busy) return;
    const look = (number) => (picture.changed.includes(number) ? "new" : "");
    picture.axes.forEach(({ length, stride }, k) => {
      lengths[k].show(length, look(`shape:${k}`));
      strides[k].show(stride, look(`strides:${k}`));
    });
    offset.show(picture.offset, look("offset"));
    slots.show(picture.length, look("length"));
    slots.el.style.display = slots.el.previousSibling.style.display = picture.puzzle ? "none" : "";
    facts.replaceChildren(...picture.facts.map(({ holds, words }) => html("div", {}, html("b", {}, { 1: "✓", 0: "✗" }[holds] || "?"), words)));
  }

  // ---- moves ---------------------------------------------------------------------------------------------------

  const axis = choice("axis", (value) => ui.set("choose", "axis", value)), other = choice("with axis", (value) => ui.set("choose", "other", value));
  const at = stepper("at index", (value) => ui.set("choose", "at", value)), by = stepper("by", (value) => ui.set("choose", "by", value));
  const into = html("input", { class: "into", "aria-label": "new shape for reshape, such as 2, 6", spellcheck: "false", autocomplete: "off" });
  into.addEventListener("input", () => ui.set("choose", "into", into.value));
  keys(into, (key) => {
    const reshape = key === "Enter" && picture.moves.find((one) => one.name === "reshape");
    const lengths = into.value.replaceAll("−", "-").split(/[,\s()]+/).filter(Boolean);
    const typed = lengths.length > 1 ? `(${lengths.join(", ")})` : lengths[0];
    if (reshape) ui.ask("move", typed ? `.reshape(${typed})` : reshape.code);
    return Boolean(reshape);
  });
  const labelled = (words, el) => html("span", {}, words, el);
  const withAxis = labelled("with", other.el), intoShape = labelled("into", into), axisBar = labelled("axis", axis.el);
  const bar = html("div", { class: "bar" }, axisBar, withAxis, labelled("at", at.el), labelled("by", by.el), intoShape);
  const moves = html("div", { class: "moves", role: "group", "aria-label": "Moves" });
  const effect = html("p", { class: "effect", role: "status" }), refusal = html("div");
  let offered = "";

  function paintMoves() {
    const { choices } = picture, option = (k) => ({ value: k, words: String(k), look: picture.axes[k].look, say: `axis ${k}` });
    axisBar.hidden = !picture.axes.length;
    withAxis.hidden = picture.axes.length < 3;
    axis.show(picture.axes.map((_, k) => option(k)), choices.axis);
    other.show(choices.others.map(option), choices.other);
    if (!ui.busy) {
      at.show(choices.at);
      by.show(choices.by);
      if (into.getRootNode().activeElement !== into) into.value = minus(choices.into);
    }
    intoShape.hidden = !picture.moves.some((one) => one.name === "reshape");
    const now = JSON.stringify(picture.moves);
    if (now === offered) return;
    offered = now;
    const held = [...moves.children].findIndex((el) => el === moves.getRootNode().activeElement);
    const before = held < 0 ? "" : moves.children[held].dataset.move;
    moves.replaceChildren(...picture.moves.map((one) => {
      const el = button("", () => ui.ask("move", one.code), `${one.possible ? "" : "no "}${one.fresh ? "fresh " : ""}${one.name === "repeat" ? "wide" : ""}`);
      el.dataset.move = one.name;
      el.append(one.words + (one.fresh ? " · new" : ""), html("code", {}, one.code));
      el.title = one.possible ? one.code : `${one.code} is not possible here: press it to see why.`;
      return el;
    }));
    const again = before && [...moves.children].find((el) => el.dataset.move === before);
    if (again) again.focus();
  }

  // ---- the figure ----------------------------------------------------------------------------------------------

  const figureHost = html("div");

  // A selection made in the figure becomes Python's too, so that the next picture keeps it.
  const report = () => setTimeout(() => {
    const el = figureHost.shadowRoot && figureHost.shadowRoot.querySelector("[data-c][aria-selected=true]");
    if (!el || walk.running) return;
    const index = linked.indexOf(picture.figure.views[0], Number(el.dataset.c));
    if (index.join() === told) return;
    told = index.join();
    ui.set("select", index);
  });
  figureHost.addEventListener("click", report);
  figureHost.addEventListener("keyup", report);

  function paintFigure() {
    if (picture.figure === painted) return; // the same picture again: what the reader selected stays
    painted = picture.figure;
    const { start, ...facts } = picture.figure, known = JSON.stringify(facts);
    const index = start[2] < 0 ? "" : linked.indexOf(picture.figure.views[0], start[2]).join();
    const same = known === figureKnown;
    if (same && index === told) return;
    figureKnown = known;
    told = index;
    if (figure) figure.update(picture.figure);
    else figure = linked.mount(figureHost, picture.figure);
    chart.follow();
  }

  // ---- the walk ------------------------------------------------------------------------------------------------

  const chart = walkChart();
  const walk = chart.walk;

  function walkChart() {
    const play = button("▶", () => (walk.running ? pause() : start())), back = button("‹", () => to(walk.at - 1)), next = button("›", () => to(walk.at + 1));
    const count = html("p", { class: "count", role: "status" }), scroll = html("div", { class: "chart" });
    const line = stepper("slots in one cache line", (value) => ui.set("line", value));
    const walk = { at: 0, running: 0 };
    let known = "", parts, strip, where;
    back.setAttribute("aria-label", "one step back");
    next.setAttribute("aria-label", "one step on");
    const el = html("div", { class: "walk" }, html("div", { class: "bar" }, html("span", {}, play, back, next), labelled("slots in a cache line", line.el)), count);
    const area = keys(html("div", { tabindex: 0, role: "slider", "aria-label": "Walk in logical order. Arrow keys step, space plays.", "aria-valuemin": 1 }, scroll), (key) => {
      if (key === "ArrowRight" || key === "ArrowDown") to(walk.at + 1);
      else if (key === "ArrowLeft" || key === "ArrowUp") to(walk.at - 1);
      else if (key === "Home") to(1);
      else if (key === "End") to(data().positions.length);
      else if (key === " ") walk.running ? pause() : start();
      else return false;
      return true;
    });
    const data = () => picture.walk;

    function start() {
      if (!data().positions.length) return;
      const end = data().positions.length;
      walk.at = walk.at >= end ? 0 : walk.at;
      to(walk.at + 1, true);
      walk.running = setInterval(() => (walk.at >= end ? pause() : to(walk.at + 1, true)), linked.calm() ? 900 : 450);
      dress();
    }

    function pause() {
      clearInterval(walk.running);
      walk.running = 0;
      dress();
    }

    function dress() {
      play.textContent = walk.running ? "❚❚" : "▶";
      play.setAttribute("aria-label", walk.running ? "pause the walk" : "play the walk");
    }

    function to(step, playing) {
      if (walk.running && !playing) pause();
      const { positions, items } = data(), view = picture.figure.views[0];
      walk.at = Math.max(1, Math.min(positions.length, step));
      mark();
      const k = walk.at - 1;
      if (!positions.length || view.cells.length !== data().size || items[k] < 0) return;
      figure.update({ ...picture.figure, start: [0, items[k], k] });
      follow();
      told = "";
    }

    function mark() {
      const { positions, touched, loads, size, bytes, left, lines, looks } = data(), n = positions.length, at = Math.min(walk.at, n);
      const words = [];
      if (!n) words.push("No index, no walk.");
      else {
        const whole = at === n && !left && n === size;
        const many = (count, thing) => `${count} ${thing}${count === 1 ? "" : "s"}`;
        words.push(whole ? (size === 1 ? "The only step:" : `All ${size} steps:`) : `Step ${at} of ${size}, slot ${minus(positions[at - 1])}:`);
        if (left && at === n) words.push("outside the buffer, the walk ends here.");
        words.push(`${many(touched[at - 1], "cache line")} of ${bytes} bytes touched; with room for only one at a time, ${many(loads[at - 1], "load")}.`);
      }
      count.textContent = words.join(" ");
      area.setAttribute("aria-valuemax", Math.max(1, n));
      area.setAttribute("aria-valuenow", at);
      area.setAttribute("aria-valuetext", count.textContent);
      if (!parts) return;
      const done = new Set(lines.slice(0, at));
      parts.bands.forEach(([band, number]) => band.setAttribute("class", done.has(number) ? "band hit" : "band"));
      parts.dots.forEach((dot, k) => {
        dot.setAttribute("class", `dot ${k === at - 1 && at < n + (walk.running ? 1 : 0) ? "cur" : k < at ? "done" : ""}`);
        dot.setAttribute("r", k === at - 1 && at < n + (walk.running ? 1 : 0) ? parts.r + 2 : parts.r);
      });
      parts.legs.forEach((leg, k) => leg.setAttribute("class", k < at - 1 ? `leg arc ${looks[k]}` : "leg ahead"));
    }

    // The chart stands under the strip of the figure: the same plan, the same scroll.
    function plan() {
      const zoom = ui.width < 1400 ? 1 : ui.width < 1800 ? 1.25 : 1.5, G = linked.G;
      const pad = ui.width < 480 ? G.narrowPad : G.pad, free = Math.floor(ui.width / zoom) - 2 * pad;
      const widest = linked.plan(picture.figure, 1e6);
      const room = Math.min(free, Math.max(728, widest.left - G.stripPad + widest.total));
      const found = linked.plan(picture.figure, room);
      return { ...found, margin: pad + found.left - G.stripPad, seen: room - found.left + G.stripPad };
    }

    function paint() {
      const now = JSON.stringify([data(), picture.broken, ui.width]);
      if (!ui.busy) line.show(data().line);
      if (now === known) return;
      known = now;
      if (walk.running) pause();
      walk.at = data().positions.length;
      parts = null;
      scroll.replaceChildren();
      area.style.display = data().drawn && data().positions.length ? "" : "none";
      if (data().drawn && data().positions.length) draw();
      dress();
      mark();
    }

    function draw() {
      const { positions, items, line: each } = data(), n = positions.length, length = picture.length;
      where = plan();
      const dy = Math.max(2, Math.min(10, Math.floor(140 / n))), r = Math.max(1.2, Math.min(3.2, dy / 2.6)), top = 12, height = top + (n - 1) * dy + 14;
      const middle = (item) => where.slots[item] + where.pitch / 2, root = svg("svg", { width: Math.max(where.total, where.free), height, "aria-hidden": "true" });
      const item = new Map(picture.figure.slots.map((slot, k) => [Number(slot[0]), k]));
      const bands = [];
      for (let number = 0; number * each < length; number++) {
        const shown = [];
        for (let p = number * each; p < Math.min(length, (number + 1) * each); p++) if (item.has(p)) shown.push(item.get(p));
        if (!shown.length) continue;
        const x = where.slots[shown[0]] + 1, band = linked.box(x, 1, where.slots[shown[shown.length - 1]] + where.pitch - 1 - x, height - 2, "band");
        bands.push([band, number]);
        root.append(band);
      }
      const points = positions.map((_, k) => `${middle(items[k])},${top + k * dy}`);
      const legs = points.slice(1).map((end, k) => linked.line(`M${points[k]}L${end}`, "leg ahead"));
      root.append(...legs);
      const dots = positions.map((_, k) => svg("circle", { cx: middle(items[k]), cy: top + k * dy, r, class: "dot" }));
      root.append(...dots);
      for (const { steps: [a, b], jump } of picture.broken ? picture.broken.jumps : []) {
        if (b >= n) continue;
        const x = (middle(items[a]) + middle(items[b])) / 2, y = top + ((a + b) / 2) * dy;
        root.append(svg("path", { class: "jump", d: `M${middle(items[a])} ${top + a * dy}L${middle(items[b])} ${top + b * dy}` }),
          linked.text(x + (dy > 8 ? 0 : 8), y - 5, jump, "mono step halo now", "middle"));
      }
      parts = { bands, legs, dots, r };
      scroll.style.marginLeft = `${where.margin}px`;
      scroll.style.width = `${Math.min(where.seen, where.free)}px`;
      scroll.append(root);
      follow();
    }

    function follow() {
      const all = figureHost.shadowRoot ? figureHost.shadowRoot.querySelectorAll(".scroll") : [];
      strip = all[all.length - 1];
      if (!strip) return;
      scroll.scrollLeft = strip.scrollLeft;
      strip.addEventListener("scroll", () => { scroll.scrollLeft = strip.scrollLeft; });
    }
    scroll.addEventListener("scroll", () => { if (strip && Math.abs(strip.scrollLeft - scroll.scrollLeft) > 1) strip.scrollLeft = scroll.scrollLeft; });

    return { el, area, paint, follow, walk, stop: pause };
  }

  // ---- the history ---------------------------------------------------------------------------------------------

  const chain = keys(html("ol", { class: "chain", "aria-label": "History" }), (key) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key], links = [...chain.querySelectorAll(".link")];
    const next = step && links[links.indexOf(chain.getRootNode().activeElement) + step];
    if (next) next.focus();
    return Boolean(step);
  });
  let chainKnown = "";

  function paintChain() {
    const now = JSON.stringify([picture.chain, picture.broken]);
    if (now === chainKnown) return;
    chainKnown = now;
    const held = [...chain.querySelectorAll(".link")].indexOf(chain.getRootNode().activeElement);
    const { links, now: current } = picture.chain;
    const shown = links.map(({ code, numbers, changed, bytes }, k) => {
      const el = button("", () => ui.ask("link", k), k > current ? "link later" : "link");
      if (k === current) el.setAttribute("aria-current", "step");
      el.append(html("strong", {}, code), ...numbers.map(([what, value]) => html("span", { class: changed.includes(what) ? "new" : "same" }, `${what.padEnd(8, "\u00a0")}${value}`)),
        html("span", {}, `${bytes} bytes moved`));
      return html("li", {}, el);
    });
    const { broken } = picture;
    if (broken) shown.splice(current + 1, 0, html("li", { class: "torn" }, html("div", { class: "gap" },
      html("strong", {}, broken.code), html("span", {}, broken.words), html("span", {}, `needs a copy: ${broken.bytes} bytes`),
      picture.moves.some((one) => one.name === "copy") ? button("Copy first", () => { ui.ask("move", ".contiguous()"); ui.ask("move", broken.code); }) : null)));
    chain.replaceChildren(...shown);
    const links2 = chain.querySelectorAll(".link");
    if (held >= 0 && links2[held]) links2[held].focus();
  }

  // ---- everything ----------------------------------------------------------------------------------------------

  ui.box.append(
    part("puzzles", puzzles.el, goal), part("", html("div", { class: "numbers" }, axes, rest), effect, facts, ui.offline),
    figureHost, part("moves", bar, moves, refusal), part("history", chain), part("walk", chart.el), chart.area);

  return {
    paint(next) {
      picture = next;
      paintPuzzles();
      paintNumbers();
      paintMoves();
      paintFigure();
      chart.paint();
      paintChain();
      // An error shows where the reader looks: below the moves if a move was refused, else at the numbers.
      if (ui.last === "move") refusal.append(ui.error);
      else effect.after(ui.error);
      effect.textContent = next.effect;
      effect.style.display = next.error && ui.last !== "move" ? "none" : "";
    },
    resized() { if (picture) chart.paint(); },
    destroy() {
      chart.stop();
      if (figure) figure.destroy();
    },
  };
}
