// The live linked figure. Python computed every position; here they are only looked up, placed and painted.
// `G` holds the measures. `plan` places everything as linked.py does, and a test holds the two together.

const minus = (n) => String(n).replace(/-/g, "−");
const term = (stride) => (stride[0] === "−" ? `(${stride})` : stride);
const axisClass = (axis) => (axis < 3 ? `a${axis}` : "lab");
const bracket = (index) => `[${index.join(", ")}]`;
const mono = (text, size) => text.length * size * G.advance;
const ceilMono = (count, size) => Math.ceil(count * size * G.advance);
const div = (a, b) => Math.floor(a / b);
const list = (axis) => axis || [0];
const axisLabel = (view, axis) => `axis ${axis}  ${view.steps[axis]}`;
const most = (values, least) => values.reduce((a, b) => Math.max(a, b), least);

// ---- facts, in words -------------------------------------------------------------------------------------------

function indexOf(view, cell) {
  const wide = view.columns ? view.columns.length : 1, high = view.rows ? view.rows.length : 1;
  const rest = cell % (wide * high);
  const index = view.lead[div(cell, wide * high)].slice();
  if (view.rows) index.push(view.rows[div(rest, wide)]);
  if (view.columns) index.push(view.columns[rest % wide]);
  return index;
}

const cellsOn = (view, slot) => view.cells.map((s, k) => (s === slot ? k : -1)).filter((k) => k >= 0);
const lastByte = (data, entry) => Number(entry[4]) + data.width - 1;

function formula(data, { v, slot, cell }) {
  const view = data.views[v];
  if (slot < 0) return [[[`position(${view.shape.map(() => "?").join(", ")})`]], [["no cell, no position", "lab"]]];
  const entry = data.slots[slot], position = minus(entry[0]);
  let lines;
  if (cell < 0) {
    const far = view.far[slot];
    lines = [[[`slot ${position}`, "hot"]], [[far ? `${far} lands here` : "no index reaches it", "lab"]]];
  } else {
    const index = indexOf(view, cell), runs = [[`= ${minus(data.slots[view.offset][0])}`]];
    index.forEach((i, axis) => runs.push([" + "], [`${i}×${term(view.strides[axis])}`, axisClass(axis)]));
    lines = [[[`position(${index.join(", ")})`]], [...runs, [" = "], [position, "hot"]]];
  }
  if (data.width && !entry[2]) {
    const many = data.width > 1;
    const span = many ? `${entry[4]} … ${lastByte(data, entry)}` : entry[4];
    lines.push([[`byte${many ? "s" : ""} ${position}×${data.width} = ${span}`]]);
  }
  return lines;
}

function joined(words) {
  return words.length === 1 ? words[0] : `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}

function facts(data, entry) {
  const parts = [];
  if (data.values) parts.push(`value ${entry.length > 5 ? entry[5] : entry[1].replace(/\u00a0/g, "")}`);
  if (data.width) parts.push(data.width > 1 ? `bytes ${entry[4]} to ${lastByte(data, entry)}` : `byte ${entry[4]}`);
  return parts.length ? `: ${parts.join(", ")}` : "";
}

function sentence(data, { v, slot, cell }) {
  const view = data.views[v];
  if (slot < 0) return `${view.meta[0]}: no cell, nothing is read.`;
  const entry = data.slots[slot], position = minus(entry[0]);
  if (entry[2]) {
    const last = Number(data.length) - 1;
    const place = last < 0 ? "the buffer is empty"
      : entry[0] > 0 ? `the buffer ends at slot ${last}` : "the buffer starts at slot 0";
    if (cell < 0) return `Slot ${position} does not exist: ${place}.`;
    return `${bracket(indexOf(view, cell))} leaves the buffer: it would be slot ${position}, but ${place}.`;
  }
  const held = facts(data, entry);
  if (cell < 0) {
    const far = view.far[slot];
    return `Slot ${position}${held}. ${far ? `${far} lands there, outside this window.` : "No index reaches it."}`;
  }
  let also = "";
  if (view.landings[slot] > 1) {
    const named = cellsOn(view, slot).filter((k) => k !== cell).slice(0, 3).map((k) => bracket(indexOf(view, k)));
    const hidden = view.landings[slot] - 1 - named.length;
    if (hidden) named.push(`${view.landings[slot] < 99 ? "" : "at least "}${hidden} more`);
    also = ` ${joined(named)} land${named.length === 1 && hidden < 2 ? "s" : ""} there too.`;
  }
  return `${bracket(indexOf(view, cell))} is slot ${position}${held}.${also}`;
}

function hops(data, { v, cell }) {
  const view = data.views[v], path = [];
  if (cell < 0 || view.offset < 0) return path;
  const indices = view.cells.map((_, k) => indexOf(view, k));
  const numbers = new Map(indices.map((i, k) => [i.join(), k]));
  const at = view.shape.map(() => 0);
  let here = view.offset;
  indexOf(view, cell).forEach((count, axis) => {
    const stops = [here];
    for (const step of [...new Set(indices.map((i) => i[axis]))].filter((i) => i > 0 && i <= count).sort((a, b) => a - b)) {
      at[axis] = step;
      const number = numbers.get(at.join());
      if (number !== undefined) stops.push(view.cells[number]);
    }
    if (!count) return;
    const last = stops[stops.length - 1];
    path.push({ axis, count, stops: stops.length === count + 1 ? stops : [here, last] });
    here = last;
  });
  return path;
}

// ---- where everything stands -----------------------------------------------------------------------------------

function steps(shown, whole, each, gap) {
  const starts = [];
  let at = 0, before = -1;
  for (const number of shown) {
    if (number !== before + 1) at += gap;
    starts.push(at);
    at += each;
    before = number;
  }
  return [starts, at + (shown.length && before !== whole - 1 ? gap : 0)];
}

function planView(view, room, wide, label, rowLabel, cell) {
  const ndim = view.shape.length;
  let [xs, across] = steps(list(view.columns), ndim ? Number(view.shape[ndim - 1]) : 1, cell, G.breakWidth);
  let [ys, down] = steps(list(view.rows), ndim > 1 ? Number(view.shape[ndim - 2]) : 1, G.cellHeight, G.breakHeight);
  if (!view.cells.length) [across, down] = [Math.max(across, G.emptyWidth), Math.max(down, G.cellHeight)];
  const planes = Math.max(1, view.lead.length);
  const above = G.columnLabel + (ndim > 2 ? G.planeLabel : 0);
  const unit = rowLabel + across, gap = G.planeGap, free = room - label;
  const arrow = 26 + most(view.shape.map((_, a) => ceilMono(axisLabel(view, a).length, 12.5)), 0);
  const fits = div(free - arrow + gap, unit + gap);
  const beside = fits >= 1 && ndim > 1;
  const perRow = Math.min(planes, Math.max(1, beside ? fits : div(free + gap, unit + gap)));
  const lead = view.shape.slice(2).map((_, a) => 64 + ceilMono(axisLabel(view, a).length, 12.5));
  const stacked = lead.reduce((a, b) => a + b, 0) > free - rowLabel;
  const first = ndim > 2 ? G.legendLine * (stacked ? ndim - 2 : 1) : 0;
  const px = [], py = [];
  for (let k = 0; k < planes; k++) {
    px.push(label + rowLabel + (k % perRow) * (unit + gap));
    py.push(first + div(k, perRow) * (above + down + 14) + above);
  }
  const right = label + perRow * (unit + gap) - gap;
  const bottom = py[planes - 1] + down;
  const height = bottom + (ndim ? 32 : 8);
  const below = beside || ndim < 2 ? 0 : arrow + 8;
  const width = right + (beside ? arrow : 0);
  const acrossFormula = ceilMono(view.wide, 13.5);
  const side = wide && width + G.formulaGap + acrossFormula <= room;
  return {
    xs, ys, across, down, px, py, right, bottom, arrow, beside, width, below, lead, stacked, side, grid: height,
    full: Math.max(width, px[0] + below + 19 + arrow, px[0] + lead.reduce((a, b) => (stacked ? Math.max(a, b) : a + b), 0)),
    fx: side ? Math.max(width + G.formulaGap, Math.min(G.formulaLeft, room - acrossFormula)) : label + rowLabel,
    fy: side ? py[0] : height + 8,
    height: side ? Math.max(height, py[0] + 76) : height + 8 + 3 * G.formulaLine,
  };
}

function arcRoom(view) {
  const long = view.shape.map(Number);
  const moving = view.steps.filter((_, a) => long[a] > 1);
  if (!moving.length || !view.cells.length) return 14;
  const jumps = moving.filter((step) => step !== "+0");
  const both = new Set(jumps.map((step) => step[0])).size > 1;
  const doubled = view.steps.some((step, a) => step === "+0" && long[a] > 2);
  return G.arcs + (both ? G.lane * (jumps.length - 1) : 0) + (doubled ? G.second : 0);
}

function planStrip(data, free, cell, characters, longest) {
  const { slots, gaps } = data, fences = [], xs = [];
  slots.forEach((slot, k) => { if (k && slot[2] !== slots[k - 1][2]) fences.push(k); });
  const extra = Object.keys(gaps).length * G.stripBreak + fences.length * G.fence + G.stripPad + G.stripRight;
  const count = Math.max(1, slots.length);
  const smallest = Math.max(G.smallest, data.values ? ceilMono(characters, 12) + 8 : 0, ceilMono(longest, 12) + 6);
  const pitch = count * cell + extra <= free ? cell : Math.min(cell, Math.max(smallest, div(free - extra, count)));
  let at = G.stripPad;
  slots.forEach((_, k) => {
    at += (k in gaps ? G.stripBreak : 0) + (fences.includes(k) ? G.fence : 0);
    xs.push(at);
    at += pitch;
  });
  if (slots.length in gaps) at += G.stripBreak;
  const total = Math.max(at, G.stripPad + (slots.length ? 0 : 120)) + G.stripRight;
  const arcs = most(data.views.map(arcRoom), 0);
  const long = slots.some((slot) => slot.length > 4 && Number(slot[4]) + data.width > 1000);
  const byte = long && data.width * G.byteWide + 2 * G.rowLabel <= free ? G.byteWide : G.byteWidth;
  const each = data.width * byte;
  let fit = each ? div(free - 2 * G.stripBreak + G.byteGap, each + G.byteGap) : 0;
  fit = Math.max(1, Math.min(fit, data.width > 2 ? 3 : 7));
  return {
    pitch, small: pitch < ceilMono(characters, 14) + 8, slots: xs, fences, total, free, arcs,
    byte, bytes: arcs + G.toBytes, around: div(fit - 1, 2),
    strip: arcs + (data.width ? G.toBytes + G.byteEnd : G.stripEnd),
  };
}

function plan(data, room) {
  const wide = room >= G.wide, label = wide ? G.label : 0;
  const rows = data.views.flatMap((view) => view.rows || []);
  const rowLabel = Math.max(G.rowLabel, ceilMono(most(rows.map((row) => String(row).length), 0), 12) + 12);
  const longest = most(data.slots.map((slot) => minus(slot[0]).length), data.slots.length ? 0 : 1);
  const shown = most(data.slots.map((slot) => slot[1].length), data.slots.length ? 0 : 1);
  const characters = data.values ? shown : longest;
  const cell = Math.max(G.cellWidth, ceilMono(characters, 14) + 14, ceilMono(longest, 12) + 8);
  const left = label + rowLabel;
  const views = data.views.map((view) => planView(view, room, wide, label, rowLabel, cell));
  return {
    wide, label, left, cell, characters, views, top: most(views.map((view) => view.height), 0),
    ...planStrip(data, room - left + G.stripPad, cell, characters, longest),
  };
}

function byteWindow(data, where, anchor) {
  const { slots, gaps } = data;
  if (anchor < 0 || !data.width || slots[anchor][2]) return [];
  let low = anchor, high = anchor;
  while (anchor - low < where.around && low > 0 && !slots[low - 1][2] && !(low in gaps)) low--;
  while (high - anchor < where.around && high < slots.length - 1 && !slots[high + 1][2] && !(high + 1 in gaps)) high++;
  const each = data.width * where.byte + G.byteGap, across = (high - low + 1) * each - G.byteGap;
  const middle = where.slots[anchor] + where.pitch / 2;
  const end = Math.max(where.total, where.free) - G.rowLabel;
  let left = middle - data.width * where.byte / 2 - (anchor - low) * each;
  left = Math.floor(Math.max(low ? G.rowLabel : G.stripPad, Math.min(left, end - across)));
  const shown = [];
  for (let k = low; k <= high; k++) shown.push([k, left + (k - low) * each]);
  return shown;
}

function stripScroll(data, where, slot, now) {
  if (slot < 0 || where.total <= where.free) return 0;
  const window = byteWindow(data, where, slot).map((entry) => entry[1]);
  const low = Math.max(0, Math.min(where.slots[slot], ...window) - 24);
  const high = Math.min(where.total, most(window.map((x) => x + data.width * where.byte), where.slots[slot] + where.pitch) + 24);
  if (low >= now && high <= now + where.free) return now;
  return Math.floor(Math.max(0, Math.min((low + high - where.free) / 2, where.total - where.free)));
}

const labelSpot = (from, to, free) => (Math.abs(to - from) * 2 < free ? (from + to) / 2 : to - Math.sign(to - from) * 100);

function arcList(data, where, state) {
  const view = data.views[state.v], path = hops(data, state), base = where.arcs - 3, arcs = [], lanes = new Map();
  const middles = where.slots.map((x) => x + where.pitch / 2);
  const reach = ({ stops }) => middles[stops[stops.length - 1]] - middles[stops[0]];
  const pairs = (stops) => stops.slice(1).map((b, k) => [middles[stops[k]], middles[b]]);
  for (const hop of path.filter(reach).sort((a, b) => Math.abs(reach(a)) - Math.abs(reach(b)))) {
    const ends = [middles[hop.stops[0]], middles[hop.stops[hop.stops.length - 1]]].sort((a, b) => a - b);
    const below = [...lanes.values()].filter(([, a, b]) => a < ends[1] && ends[0] < b).map(([lane]) => lane);
    lanes.set(hop.axis, [below.length ? Math.max(...below) + 1 : 0, ...ends]);
  }
  let coming = 0, lean = 0;
  path.forEach((hop, number) => {
    const { axis, count, stops } = hop, step = view.steps[axis], style = axisClass(axis);
    if (!lanes.has(axis)) {
      const next = path.slice(number + 1).find(reach), going = next ? Math.sign(reach(next)) : 0;
      lean = lean ? -lean : coming && going ? 0 : coming || -going || -1;
      const x = middles[stops[0]] + 7 * lean;
      const top = base - 29.3;
      arcs.push({
        path: `M${x - 3} ${base}C${x - 14} ${top} ${x + 14} ${top} ${x + 3} ${base}`, head: [x + 3, base + 2, -2, 6], style,
        label: count === 1 ? step : `${count} × ${step}`, at: [x, base - 28 - (count === 1 ? 0 : G.second)],
      });
      return;
    }
    const before = coming;
    coming = Math.sign(reach(hop));
    lean = 0;
    const ends = stops.length === count + 1 && count <= G.drawn ? stops : [stops[0], stops[stops.length - 1]];
    const tight = pairs(ends).some(([a, b]) => Math.abs(b - a) < mono(step, 12.5) + 3);
    const labelled = count === ends.length - 1 && count <= G.each && !(tight && count > 1);
    const [lane, low, high] = lanes.get(axis), rise = 22 + G.lane * lane;
    const covered = [...lanes.values()].some(([other, a, b]) => other > lane && a < high && low < b);
    const turn = before && before !== coming ? 6 * coming : 0;
    pairs(ends).forEach(([from, to], k) => {
      const way = Math.sign(to - from), start = from + 3 * way - (k ? 0 : turn), end = to - 3 * way;
      const inside = covered && labelled && Math.abs(to - from) > mono(step, 12.5) + 18;
      const bend = way * Math.min(Math.abs(end - start) / 4, 30), top = base - rise * 4 / 3;
      arcs.push({
        path: `M${start} ${base}C${start + bend} ${top} ${end - bend} ${top} ${end} ${base}`,
        head: [end, base + 2, bend, base - top], style,
        label: labelled ? step : k ? "" : `${count} × ${step}`,
        at: [labelled ? labelSpot(from, to, where.free) : labelSpot(middles[ends[0]], middles[ends[ends.length - 1]], where.free),
          inside ? base - 5 : base - rise - 6],
      });
    });
  });
  return arcs;
}

// ---- painting --------------------------------------------------------------------------------------------------

const text = (x, y, words, style, anchor) =>
  svg("text", { x, y, class: style, "text-anchor": anchor || null, "xml:space": "preserve" },
    ...(Array.isArray(words) ? words.map(([run, look]) => svg("tspan", { class: look || null }, run)) : [String(words)]));
const box = (x, y, width, height, style) => svg("rect", { x, y, width, height, rx: 5, class: style });
const line = (d, style) => svg("path", { d, class: style });
const cross = (x, y) => line(`M${x - 4.5} ${y - 4.5}l9 9m-9 0l9-9`, "cross");

function head(x, y, dx, dy, style) {
  const length = Math.hypot(dx, dy) || 1, ux = dx / length, uy = dy / length, bx = x - 7 * ux, by = y - 7 * uy;
  return line(`M${x} ${y}L${bx - 3.6 * uy} ${by + 3.6 * ux}L${bx + 3.6 * uy} ${by - 3.6 * ux}Z`, `head ${style}`);
}

const arrow = (x, y, dx, dy, style) => [line(`M${x} ${y}l${dx} ${dy}`, `arc ${style}`), head(x + dx, y + dy, dx, dy, style)];

function hatch(x, y, width, height) {
  const right = width - 2, low = height - 2;
  let d = "";
  for (let total = 10; total < Math.floor(right + low); total += 8) {
    const x0 = Math.max(2, total - low), x1 = Math.min(right, total - 2);
    if (x1 - x0 > 1) d += `M${x + x0} ${y + total - x0}L${x + x1} ${y + total - x1}`;
  }
  return line(d, "hatch");
}

function gapWords(number) {
  for (const [unit, letter] of [[1e9, "G"], [1e6, "M"]])
    if (number >= unit) return `${div(Number(number) + unit / 2, unit)}${letter}`;
  return number >= 1e4 ? `${div(Number(number) + 500, 1000)}k` : String(number);
}

const shortNumber = (n) => (n < 1e4 ? String(n) : `…${String(n % 1000).padStart(3, "0")}`);

function breakSpots(shown, whole, starts, each, gap) {
  const spots = [];
  shown.forEach((number, k) => { if (number !== (k ? shown[k - 1] + 1 : 0)) spots.push(starts[k] - gap / 2); });
  if (shown[shown.length - 1] !== whole - 1) spots.push(starts[starts.length - 1] + each + gap / 2);
  return spots;
}

const PAGE = `:host{display:block}.fig{padding:16px;line-height:20px}
.fig.slim{padding:12px}.top{display:flex;flex-wrap:wrap;justify-content:space-between;margin-bottom:14px}
.top .title{line-height:22px}.top .mono{line-height:20px}.top.one .mono{line-height:22px}.top span{white-space:nowrap}
.all{display:flex;flex-direction:column;position:relative;contain:layout style}.wrap{position:relative}.wrap>.lab,.keys>.lab{position:absolute;left:0;z-index:1;background:var(--bg)}.nb{white-space:nowrap}
.keys{order:-1;display:flex;position:relative;margin-bottom:12px;min-height:28px}.top{order:-2}
.keys button{all:unset;box-sizing:border-box;height:28px;border:1px solid var(--line);background:var(--bg);border-radius:5px;
margin-right:2px;text-align:center;cursor:pointer;color:var(--mut);font-size:13px}
.keys button[aria-checked=true]{background:var(--neu);border:1.5px solid var(--fg);color:var(--fg);font-weight:600}
.scroll{overflow-x:auto;overflow-y:hidden;scrollbar-width:thin;scrollbar-color:var(--line) transparent}
.more-left{--l:24px}.more-right{--r:24px}.more-left,.more-right{mask-image:linear-gradient(90deg,transparent,#000 var(--l,0px),#000 calc(100% - var(--r,0px)),transparent)}
svg{display:block}
.formula{line-height:24px;min-height:72px}.formula span{white-space:pre-wrap}
.say{margin:12px 0 0}.note{margin:0}.say:empty,.note:empty{display:none}
[data-c],[data-s],[data-b]{cursor:pointer}.cell{transition:fill .12s,stroke .12s}.cell.byte.pick,
.cell.cur.pick{stroke:var(--fg);stroke-width:2}
g:focus{outline:none}.ring{fill:none;stroke:none}g:focus-visible>.ring{stroke:var(--onl);stroke-width:2}
.keys button:focus-visible{outline:2px solid var(--onl);outline-offset:2px}.ghost{fill:none;stroke:var(--cur);stroke-width:3;pointer-events:none}
.hover{color:var(--mut)}@media(prefers-reduced-motion:reduce){.cell{transition:none}}`.replace(/\n/g, "");

const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

function mount(host, given) {
  let data = given, where, width = 0, parts, pinned, state;

  const home = () => ({ v: data.start[0], slot: data.start[1], cell: data.start[2], byte: -1, anchor: data.start[1], moved: "" });
  pinned = state = home();
  const shell = frame(host, CSS + PAGE, (full) => { width = full; paint(); });
  // Keys are taken before the page's own shortcuts see them, and only while the focus is in this figure.
  const keyed = (event) => {
    const where = event.composedPath().find((el) => el.dataset && el.dataset.keys);
    if (!where || event.altKey || event.metaKey || !press(where.dataset.keys, event.key, event.ctrlKey)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  host.addEventListener("focusin", () => addEventListener("keydown", keyed, true));
  host.addEventListener("focusout", () => removeEventListener("keydown", keyed, true));

  function paint() {
    // On a projector everything grows; nothing is spread wider than the strip needs.
    const zoom = width < 1400 ? 1 : width < 1800 ? 1.25 : 1.5;
    const slim = width < 480, pad = slim ? G.narrowPad : G.pad, free = Math.floor(width / zoom) - 2 * pad;
    const widest = plan(data, 1e6), room = Math.min(free, Math.max(728, widest.left - G.stripPad + widest.total));
    where = plan(data, room);
    shell.box.style.cssText = `max-width:${room}px;zoom:${zoom}`;
    const kept = parts && parts.scroll.scrollLeft;
    shell.box.className = slim ? "fig slim" : "fig";
    parts = { cells: [], slots: [], rows: [], columns: [], leads: [] };
    const title = data.title ? html("div", { class: "title", role: "heading", "aria-level": 4 }, data.title) : null;
    const one = data.title && data.title.length * 9 + 24 + mono(metaOf().join(" · "), 13.5) <= room;
    parts.meta = html("div", { class: "mono" });
    parts.grid = html("div", { class: "scroll", style: `margin-left:${where.label}px` });
    parts.gridBox = html("div", { class: "wrap", style: `min-height:${where.top}px` });
    parts.formula = html("div", { class: "formula mono", "aria-live": "off" });
    parts.strip = paintStrip();
    parts.scroll = html("div", { class: "scroll", style: `margin-left:${where.left - G.stripPad}px` }, parts.strip);
    const inset = `margin-left:${where.left}px`;
    parts.say = html("p", { class: "say", "aria-live": "polite", style: inset });
    parts.legend = html("p", { class: "note", style: inset });
    const label = (words, y) => html("span", { class: "lab", style: `top:${y}px` }, words);
    parts.gridBox.append(parts.grid, parts.formula);
    const stripBox = html("div", { class: "wrap", style: `margin-top:${where.wide ? 8 : 24}px` },
      label("buffer", where.wide ? where.arcs + 5 : -18),
      data.width ? label("bytes", where.bytes + (where.wide ? 3 : -24)) : null, parts.scroll);
    shell.box.replaceChildren(html("div", { class: "all" },
      html("div", { class: one ? "top one" : "top" }, title, parts.meta), parts.gridBox, stripBox, parts.say, parts.legend,
      html("p", { class: "note", style: inset }, data.note),
      html("p", { class: "note", style: inset }, data.slots.length
        ? "Click a cell, a slot or a byte, then use the arrow keys: every row follows." : ""),
      data.names.length ? paintToggle() : null));
    paintView();
    parts.scroll.scrollLeft = stripScroll(data, where, state.slot, kept || 0);
    for (const part of [parts.scroll, parts.grid]) {
      part.addEventListener("scroll", fade);
      fade({ target: part });
    }
  }

  const metaOf = () => [...data.views[state.v].meta, ...(data.dtype ? [data.dtype] : [])];

  // What depends on the view: facts, grid, classes of slots, legend.
  function paintView() {
    const view = data.views[state.v], at = where.views[state.v], meta = metaOf();
    parts.meta.replaceChildren(...meta.flatMap((part, k) => [html("span", {}, part + (k < meta.length - 1 ? " ·" : "")), " "]));
    parts.grid.replaceChildren(paintGrid(view, at));
    parts.gridLabel?.remove();
    parts.gridLabel = html("span", { class: "lab", style: `top:${at.py[0] + (where.wide ? 5 : -19)}px` }, "grid");
    parts.gridBox.prepend(parts.gridLabel);
    parts.formula.style.cssText = at.side ? `position:absolute;left:${at.fx}px;top:${at.fy + 3}px`
      : `margin-left:${at.fx}px;padding-top:${at.fy - at.grid + 3}px;margin-bottom:-3px`;
    parts.legend.textContent = view.legend;
    parts.anchor = null;
    mark(true);
    revealCell();
  }

  function paintGrid(view, at) {
    const ndim = view.shape.length, wide = at.full - where.label;
    const root = svg("svg", { width: wide, height: at.grid, viewBox: `${where.label} 0 ${wide} ${at.grid}` });
    const group = svg("g", {
      tabindex: 0, role: "grid", "data-keys": "grid", "aria-label": `Grid, ${view.meta.join(", ")}. Arrow keys move along the axes.`,
    });
    group.append(box(at.px[0] - 4, at.py[0] - 4, at.right - at.px[0] + 8, at.bottom - at.py[0] + 8, "ring"));
    parts.cells = [];
    parts.rows = [];
    parts.columns = [];
    parts.leads = [];
    if (ndim > 2) {
      let along = where.left;
      at.lead.forEach((long, axis) => {
        const y = at.stacked ? axis * G.legendLine : 0;
        root.append(...arrow(along + 2, y + 8, 28, 0, axisClass(axis)),
          text(along + 38, y + 12, axisLabel(view, axis), `mono step ${axisClass(axis)}`));
        if (!at.stacked) along += long;
      });
    }
    at.px.forEach((px, plane) => {
      const py = at.py[plane];
      if (ndim > 2 && view.lead[plane]) {
        const runs = view.lead[plane].flatMap((i) => [[i], [", "]]);
        const title = text(px, py - G.columnLabel - 5, [["["], ...runs, [":, :]"]], "idx");
        parts.leads.push([...title.childNodes].filter((_, k) => k % 2));
        root.append(title);
      }
      (view.columns || []).forEach((c, k) => {
        const el = text(px + at.xs[k] + where.cell / 2, py - 6, c, "idx", "middle");
        parts.columns.push([el, plane, c]);
        root.append(el);
      });
      (view.rows || []).forEach((r, k) => {
        const el = text(px - 10, py + at.ys[k] + 19, r, "idx", "end");
        parts.rows.push([el, plane, r]);
        root.append(el);
      });
      if (!view.cells.length)
        root.append(box(px + 1, py + 1, at.across - 2, at.down - 2, "cell off"),
          text(px + at.across / 2, py + at.down / 2 + 4, "no cell", "note", "middle"));
      if (view.columns && view.columns.length)
        for (const x of breakSpots(view.columns, Number(view.shape[ndim - 1]), at.xs, where.cell, G.breakWidth))
          root.append(text(px + x, py + at.down / 2 + 4, "⋯", "note", "middle"));
      if (view.rows && view.rows.length)
        for (const y of breakSpots(view.rows, Number(view.shape[ndim - 2]), at.ys, G.cellHeight, G.breakHeight))
          root.append(text(px + at.across / 2, py + y + 5, "⋮", "note", "middle"));
      if (!view.cells.length) return;
      at.ys.forEach((dy) => {
        const row = svg("g", { role: "row" });
        at.xs.forEach((dx) => row.append(paintCell(view, px + dx, py + dy)));
        group.append(row);
      });
    });
    if (view.cells.length) root.append(group);
    paintAxes(root, view, at, ndim);
    listen(group, "c", (k) => ({ slot: view.cells[k], cell: k, byte: -1 }));
    return root;
  }

  function paintCell(view, x, y) {
    const number = parts.cells.length, entry = data.slots[view.cells[number]];
    const index = bracket(indexOf(view, number)), middle = x + where.cell / 2;
    const hatched = view.landings[view.cells[number]] > 1 && !entry[2];
    const shape = box(x + 1, y + 1, where.cell - 2, G.cellHeight - 2, "cell");
    const words = entry[2] ? cross(middle, y + 15)
      : text(middle + where.characters * 7 * G.advance, y + 20, data.values ? entry[1] : minus(entry[0]), "num", "end");
    const lines = hatched ? hatch(x + 1, y + 1, where.cell - 2, G.cellHeight - 2) : null;
    parts.cells.push({ shape, words, lines, x, y, base: entry[2] ? "off" : hatched ? "rep" : "", crossed: entry[2] });
    return svg("g", {
      "data-c": number, id: `c${number}`, role: "gridcell",
      "aria-label": `${index}, ${entry[2] ? "outside the buffer" : `slot ${minus(entry[0])}${facts(data, entry)}`}`,
    }, shape, lines, words);
  }

  function paintAxes(root, view, at, ndim) {
    if (!ndim) return;
    const left = at.px[0], y = at.bottom + 19;
    const mark = (x, axis) => text(x, y + 4, axisLabel(view, axis), `mono step ${axisClass(axis)}`);
    root.append(...arrow(left + at.below + 3, y, 34, 0, axisClass(ndim - 1)), mark(left + at.below + 45, ndim - 1));
    if (ndim < 2) return;
    const style = axisClass(ndim - 2), long = Math.min(at.down, 60), top = at.py[0];
    if (at.beside) root.append(...arrow(at.right + 14, top + 3, 0, long - 4, style),
      text(at.right + 24, top + long / 2 + 4, axisLabel(view, ndim - 2), `mono step ${style}`));
    else root.append(...arrow(left + 6, y - 8, 0, 16, style), mark(left + 16, ndim - 2));
  }

  function paintStrip() {
    const { slots, arcs, pitch } = where, n = data.slots.length;
    const root = svg("svg", { width: Math.max(where.total, where.free), height: where.strip });
    const group = svg("g", { tabindex: 0, role: "listbox", "aria-orientation": "horizontal", "data-keys": "strip",
      "aria-label": `Buffer of ${data.length} slots. Left and right arrow keys move along it.` });
    if (n) group.append(box(slots[0] - 3, arcs - 3, slots[n - 1] + pitch - slots[0] + 6, 36, "ring"));
    data.slots.forEach((entry, k) => {
      const x = slots[k], middle = x + pitch / 2, shape = box(x + 1, arcs + 1, pitch - 2, 28, "cell");
      const lines = hatch(x + 1, arcs + 1, pitch - 2, 28);
      const words = entry[2] ? cross(middle, arcs + 15)
        : text(middle, arcs + 20, data.values ? entry[1].replace(/\u00a0/g, "") : "", "num", "middle");
      const label = text(middle, arcs + 44, minus(entry[0]), "idx", "middle");
      parts.slots.push({ shape, lines, words, label, crossed: entry[2] });
      group.append(svg("g", { "data-s": k, id: `s${k}`, role: "option",
        "aria-label": entry[2] ? `slot ${minus(entry[0])} does not exist` : `slot ${minus(entry[0])}${facts(data, entry)}` },
        svg("rect", { x, y: arcs, width: pitch, height: 48, fill: "none", "pointer-events": "all" }), shape, lines, words, label));
    });
    for (const k of where.fences) group.append(line(`M${slots[k] - G.fence / 2} ${arcs - 3}V${arcs + 33}`, "fence"));
    for (const key in data.gaps) {
      const k = Number(key), end = k < n ? slots[k] : where.total - G.stripRight;
      const middle = end - G.stripBreak / 2 - (where.fences.includes(k) ? G.fence : 0);
      root.append(text(middle, arcs + 19, "⋯", "note", "middle"), text(middle, arcs + 44, gapWords(data.gaps[key]), "idx", "middle"));
    }
    if (!n) root.append(text(G.stripPad, arcs + 20, "no slot", "note"));
    parts.wedge = svg("g", {});
    parts.hops = svg("g", {});
    parts.bytes = svg("g", { tabindex: 0, role: "listbox", "aria-orientation": "horizontal", "data-keys": "bytes",
      "aria-label": "Bytes. Left and right arrow keys move along them." });
    root.append(parts.wedge, ...(n ? [group] : []), ...(data.width ? [parts.bytes] : []), parts.hops);
    listen(group, "s", (k) => ({ slot: k, cell: landing(k), byte: -1 }));
    listen(parts.bytes, "b", (k) => ({
      slot: div(k, data.width), cell: landing(div(k, data.width)), byte: k % data.width, anchor: state.anchor,
    }));
    parts.stripKeys = group;
    return root;
  }

  function paintBytes() {
    const window = byteWindow(data, where, state.anchor), top = where.bytes, each = where.byte, wide = data.width;
    parts.byteBoxes = [];
    parts.bytes.replaceChildren();
    if (!window.length) {
      parts.bytes.append(text(G.stripPad, top + 17, state.slot >= 0 ? "no bytes: this slot does not exist" : "no bytes are read", "note"));
      return;
    }
    const [first, left] = window[0], [last, right] = window[window.length - 1];
    parts.bytes.append(box(left - 3, top - 4, right - left + wide * each + 6, G.byteHeight + 8, "ring"));
    for (const [k, x] of window)
      for (let b = 0; b < wide; b++) {
        const shape = box(x + b * each + 1, top, each - 2, G.byteHeight, "cell byte"), middle = x + b * each + each / 2;
        const digits = data.slots[k][3].slice(2 * b, 2 * b + 2), number = Number(data.slots[k][4]) + b;
        const words = text(middle, top + 17, digits, "num off", "middle");
        const label = text(middle, top + 40, shortNumber(number), "idx", "middle");
        parts.byteBoxes.push({ shape, words, label, k, b, x });
        parts.bytes.append(svg("g", { "data-b": k * wide + b, id: `b${k * wide + b}`, role: "option", "aria-label": `byte ${number}, hex ${digits}` },
          svg("rect", { x: middle - each / 2, y: top, width: each, height: 44, fill: "none", "pointer-events": "all" }), shape, words, label));
      }
    if (data.slots[first][4]) parts.bytes.append(text(left - 5, top + 17, "…", "note", "end"));
    if (Number(data.slots[last][0]) + 1 < data.length) parts.bytes.append(text(right + wide * each + 5, top + 17, "…", "note"));
  }

  // Everything that follows the selection.
  function mark(fresh) {
    const view = data.views[state.v], { slot, cell } = state;
    const index = cell < 0 ? null : indexOf(view, cell), ndim = view.shape.length;
    parts.cells.forEach((part, k) => {
      const look = [part.base, k === cell ? "cur" : view.cells[k] === slot && slot >= 0 ? "same" : ""].filter(Boolean).join(" ");
      part.shape.setAttribute("class", `cell ${look}`);
      part.words.setAttribute("class", part.crossed ? `cross${k === cell ? " cur" : ""}` : `num ${look}`);
      if (part.lines) part.lines.style.display = k === cell ? "none" : "";
      part.shape.parentNode.setAttribute("aria-selected", k === cell);
    });
    const here = (plane) => index && (ndim < 3 || view.lead[plane].join() === index.slice(0, -2).join());
    for (const [el, plane, c] of parts.columns)
      el.setAttribute("class", here(plane) && c === index[ndim - 1] ? `idx now ${axisClass(ndim - 1)}` : "idx");
    for (const [el, plane, r] of parts.rows)
      el.setAttribute("class", here(plane) && r === index[ndim - 2] ? `idx now ${axisClass(ndim - 2)}` : "idx");
    parts.leads.forEach((runs, plane) => runs.forEach((el, axis) => {
      const same = index && view.lead[plane].slice(0, axis + 1).join() === index.slice(0, axis + 1).join();
      el.setAttribute("class", same ? `now ${axisClass(axis)}` : "");
    }));
    parts.slots.forEach((part, k) => {
      const count = view.landings[k], base = part.crossed || !count ? "off" : count > 1 ? "rep" : "";
      const look = `${base} ${k === slot ? "cur" : ""}`.trim();
      part.shape.setAttribute("class", `cell ${look}`);
      part.words.setAttribute("class", part.crossed ? `cross${k === slot ? " cur" : ""}` : `num ${look}${where.small ? " small" : ""}`);
      part.lines.style.display = base === "rep" && k !== slot ? "" : "none";
      part.label.setAttribute("class", k === slot ? "idx hot" : "idx");
      part.shape.parentNode.setAttribute("aria-selected", k === slot);
    });
    if (data.width) {
      if (fresh || parts.anchor !== state.anchor || !parts.byteBoxes.length) paintBytes();
      parts.anchor = state.anchor;
    }
    parts.wedge.replaceChildren();
    const own = (parts.byteBoxes || []).filter((part) => part.k === slot);
    if (own.length) {
      const x = where.slots[slot], end = own[0].x + data.width * where.byte;
      parts.wedge.append(line(`M${x + 2} ${where.arcs + 50}L${own[0].x} ${where.bytes - 2}H${end}L${x + where.pitch - 2} ${where.arcs + 50}Z`, "wedge"));
    }
    for (const part of parts.byteBoxes || []) {
      const now = part.k === slot, pick = now && part.b === state.byte;
      part.shape.setAttribute("class", `cell ${now ? "cur" : "byte"}${pick ? " pick" : ""}`);
      part.words.setAttribute("class", now ? "num cur" : "num off");
      part.label.setAttribute("class", pick ? "idx hot" : "idx");
      part.shape.parentNode.setAttribute("aria-selected", now);
    }
    parts.hops.replaceChildren();
    if (view.offset >= 0) {
      const x = where.slots[view.offset] + where.pitch / 2;
      parts.hops.append(line(`M${x} ${where.arcs + 48}v6`, "arc"), text(x, where.arcs + 66, "offset", "idx", "middle"));
    }
    const arcs = arcList(data, where, state);
    for (const arc of arcs) parts.hops.append(line(arc.path, `arc ${arc.style}`), head(...arc.head, arc.style));
    for (const arc of arcs) if (arc.label) parts.hops.append(text(...arc.at, arc.label, `mono step halo ${arc.style}`, "middle"));
    parts.formula.replaceChildren(...formula(data, state).map((runs) =>
      html("div", {}, ...runs.map(([run, look]) => html("span", { class: look || null }, run)))));
    const byte = state.byte < 0 ? "" : `Byte ${Number(data.slots[slot][4]) + state.byte} belongs to slot ${minus(data.slots[slot][0])}. `;
    const said = (state.moved || byte + sentence(data, state)).split(/(\[[^\]]*\])/);
    parts.say.replaceChildren(...said.map((words, k) => (k % 2 ? html("span", { class: "nb" }, words) : words)));
    // The line of words only ever grows, so that pointing never moves the page; measuring is dear, so it is rare.
    const long = parts.say.textContent.length;
    if (long > (parts.longest || 0)) {
      parts.longest = long;
      parts.say.style.minHeight = `${Math.max(parseInt(parts.say.style.minHeight) || 0, parts.say.offsetHeight)}px`;
    }
    const grid = parts.grid.querySelector("[role=grid]");
    if (grid && cell >= 0) grid.setAttribute("aria-activedescendant", `c${cell}`);
    parts.stripKeys.setAttribute("aria-activedescendant", slot < 0 ? "" : `s${slot}`);
    parts.bytes.setAttribute("aria-activedescendant", slot < 0 ? "" : `b${slot * data.width + Math.max(0, state.byte)}`);
  }

  // ---- moving --------------------------------------------------------------------------------------------------

  const landing = (slot) => data.views[state.v].cells.indexOf(slot);

  function show(next) {
    state = { ...state, moved: "", anchor: next.slot, ...next };
    mark();
  }

  function pin(next) {
    show(next);
    pinned = state;
    reveal();
  }

  function reveal(atOnce) {
    const left = stripScroll(data, where, state.slot, parts.scroll.scrollLeft);
    if (left !== parts.scroll.scrollLeft) parts.scroll.scrollTo({ left, behavior: atOnce || calm() ? "auto" : "smooth" });
    if (atOnce) return;
    revealCell();
  }

  function revealCell() {
    const part = parts.cells[state.cell], grid = parts.grid;
    if (!part || grid.scrollWidth <= grid.clientWidth) return;
    const x = part.x - where.label;
    if (x < grid.scrollLeft + 24) grid.scrollLeft = x - 24;
    if (x + where.cell + 24 > grid.scrollLeft + grid.clientWidth) grid.scrollLeft = x + where.cell + 24 - grid.clientWidth;
  }

  // More to the left or right of a scrolled part fades out.
  function fade({ target }) {
    const more = target.scrollWidth - target.clientWidth, left = target.scrollLeft > 1, right = target.scrollLeft < more - 1;
    target.classList.toggle("more-left", left);
    target.classList.toggle("more-right", right);
  }

  // Pointing shows, clicking keeps; leaving goes back to what was kept. What slides under a resting pointer is not pointed at.
  let pointer = "";
  const rests = (event) => pointer === (pointer = `${Math.floor(event.clientX)} ${Math.floor(event.clientY)}`);

  function listen(group, key, chosen) {
    const spot = (event) => {
      const el = event.target.closest(`[data-${key}]`);
      return el && chosen(Number(el.dataset[key]));
    };
    const same = (next) => next.slot === state.slot && next.cell === state.cell && next.byte === state.byte;
    group.addEventListener("pointerover", (event) => {
      const next = event.pointerType !== "touch" && !rests(event) && spot(event);
      if (!next || same(next)) return;
      show(next);
      if (key === "c") reveal(true);
    });
    group.addEventListener("pointermove", rests);
    group.addEventListener("pointerleave", () => {
      if (state === pinned) return;
      state = pinned;
      mark();
      if (key === "c") reveal(true);
    });
    group.addEventListener("click", (event) => {
      const next = spot(event);
      rests(event);
      if (!next) return;
      show(next);
      pinned = state;
      if (key !== "b") reveal();
      group.focus({ preventScroll: true });
    });
  }

  function press(kind, key, ctrl) {
    if (kind === "grid") return pressGrid(key, ctrl);
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (kind === "toggle") {
      const way = step || { ArrowUp: -1, ArrowDown: 1 }[key];
      if (way) toggle((state.v + way + data.names.length) % data.names.length);
      return way;
    }
    const bytes = kind === "bytes", wide = data.width, last = data.slots.length - 1;
    let slot = Math.max(0, state.slot), byte = -1;
    if (bytes) {
      byte = Math.max(0, state.byte);
      if (key === "Home") byte = 0;
      else if (key === "End") byte = wide - 1;
      else if (step) byte += state.byte < 0 && step > 0 ? 0 : step;
      else return false;
      if (byte < 0 || byte >= wide) {
        const next = slot + (byte < 0 ? -1 : 1);
        if (next < 0 || next > last || data.slots[next][2]) return true;
        [slot, byte] = [next, byte < 0 ? wide - 1 : 0];
      }
    } else if (key === "Home") slot = 0;
    else if (key === "End") slot = last;
    else if (step) slot = Math.min(last, Math.max(0, slot + (state.slot < 0 ? 0 : step)));
    else return false;
    pin({ slot, cell: landing(slot), byte });
    return true;
  }

  function pressGrid(key, ctrl) {
    const view = data.views[state.v], wide = list(view.columns).length, high = list(view.rows).length;
    const cell = Math.max(0, state.cell), row = div(cell, wide) % high, column = cell % wide, plane = div(cell, wide * high);
    const to = (p, r, c) => {
      const inside = p >= 0 && p < view.lead.length && r >= 0 && r < high && c >= 0 && c < wide;
      const next = state.cell < 0 ? 0 : (p * high + r) * wide + c;
      if (inside) pin({ slot: view.cells[next], cell: next, byte: -1 });
      return true;
    };
    switch (key) {
      case "ArrowLeft": return to(plane, row, column - 1);
      case "ArrowRight": return to(plane, row, column + 1);
      case "ArrowUp": return to(plane, row - 1, column);
      case "ArrowDown": return to(plane, row + 1, column);
      case "PageUp": case "[": return to(plane - 1, row, column);
      case "PageDown": case "]": return to(plane + 1, row, column);
      case "Home": return ctrl ? to(0, 0, 0) : to(plane, row, 0);
      case "End": return ctrl ? to(view.lead.length - 1, high - 1, wide - 1) : to(plane, row, wide - 1);
    }
    return false;
  }

  // ---- the toggle: the slot stays, the cell moves ---------------------------------------------------------------

  function paintToggle() {
    parts.buttons = data.names.map((name, v) => {
      const button = html("button", { role: "radio", type: "button", style: `width:${Math.ceil(name.length * 7.6) + 26}px` }, name);
      button.addEventListener("click", () => { toggle(v); });
      return button;
    });
    dressToggle();
    return html("div", { class: "keys", role: "radiogroup", "aria-label": "layout", "data-keys": "toggle", style: `padding-left:${where.left}px` },
      html("span", { class: "lab", style: "top:4px" }, where.wide ? "layout" : ""), ...parts.buttons);
  }

  function dressToggle() {
    parts.buttons.forEach((button, v) => {
      button.setAttribute("aria-checked", v === state.v);
      button.tabIndex = v === state.v ? 0 : -1;
    });
  }

  function toggle(v) {
    if (v === state.v) return;
    state = pinned;
    const from = parts.cells[state.cell], slot = state.slot, before = state.cell < 0 ? "" : bracket(indexOf(data.views[state.v], state.cell));
    const cell = data.views[v].cells.indexOf(slot), focused = parts.buttons.some((el) => el.matches(":focus"));
    let moved = "";
    if (slot >= 0) {
      const entry = data.slots[slot], name = `slot ${minus(entry[0])}`;
      const after = cell < 0 ? "" : bracket(indexOf(data.views[v], cell));
      const kept = `The buffer did not change: ${name}${data.values && !entry[2] ? ` still holds ${facts(data, entry).split(", ")[0].slice(8)}` : " stayed"}.`;
      moved = `${kept} ${!after ? "Now no index reaches it." : !before ? `Now it is ${after}.`
        : before === after ? `Its cell is ${after} in both.` : `Its cell moved from ${before} to ${after}.`}`;
    }
    pinned = state = { ...state, v, cell, moved };
    paintView();
    dressToggle();
    if (focused) parts.buttons[v].focus();
    const to = parts.cells[cell];
    if (from && to && !calm() && (from.x !== to.x || from.y !== to.y)) {
      const ghost = box(to.x + 1, to.y + 1, where.cell - 2, G.cellHeight - 2, "ghost");
      parts.grid.firstChild.append(ghost);
      ghost.animate([{ transform: `translate(${from.x - to.x}px,${from.y - to.y}px)` }, { transform: "none" }],
        { duration: 450, easing: "ease-in-out" }).onfinish = () => ghost.remove();
    }
  }

  shell.measure();
  return {
    update(next) {
      data = next;
      pinned = state = home();
      if (width) paint();
    },
    destroy() {
      removeEventListener("keydown", keyed, true);
      shell.destroy();
    },
  };
}
