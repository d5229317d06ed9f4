// The live broadcasting figure. `paint` turns the facts into the same marks as `paint` in broadcast.py, function by
// function; no rule of broadcasting is known here. With `edit`, which only the explorer sets, it leaves room for buttons.
const PAD = 16, LEAST = 280, MOST = 760;
const mono = (words, size = 13.5) => words.length * size * 0.602;
const short = (value) => String(Math.round(value * 10) / 10);
const comma = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
const longest = (words, least = 0) => words.reduce((most, word) => Math.max(most, word.length), least);
const axisClass = (axis) => (axis < 3 ? `a${axis}` : "lab");
const term = (stride) => (stride[0] === "−" ? `(${stride})` : stride);
const bracket = (index) => (index.length ? `[${index.join(", ")}]` : "The one cell");
const joined = (words) => (words.length === 1 ? words[0] : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`);
const factor = (words, place) => (place && words[0] === "−" ? `(${words})` : words);
const listed = (axis) => axis || [0];
const count = (grid) => grid.lead.length * listed(grid.rows).length * listed(grid.columns).length;

function wrap(words, width, size) {
  const room = Math.max(1, Math.floor(width / (size * 0.58))), lines = [];
  for (const word of words.split(/\s+/).filter(Boolean))
    if (lines.length && lines.at(-1).length + 1 + word.length <= room) lines[lines.length - 1] += ` ${word}`;
    else lines.push(word);
  return lines;
}

function indexOf(grid, cell) {
  const wide = listed(grid.columns).length, high = listed(grid.rows).length, rest = cell % (wide * high);
  const index = [...grid.lead[Math.floor(cell / (wide * high))]];
  if (grid.rows) index.push(grid.rows[Math.floor(rest / wide)]);
  if (grid.columns) index.push(grid.columns[rest % wide]);
  return index;
}

function start(data) {
  if (!data.start) return [-1, -1, -1];
  const { grid } = data.result, wanted = data.start.join();
  for (let cell = 0; cell < count(grid); cell++) if (indexOf(grid, cell).join() === wanted) return [cell, -1, -1];
  return [0, -1, -1];
}

// ---- words ------------------------------------------------------------------------------------------------------

function sentence(data, [cell, own, slot]) {
  if (own >= 0) return ofSlot(data, own, slot);
  if (cell < 0) return data.why || "The result has no cell: nothing is read.";
  const index = indexOf(data.result.grid, cell);
  const held = data.operands.map((operand, k) => operand.slots[data.result.reads[k][cell]]);
  const where = data.operands.map((operand, k) => `${ownIndex(operand, index)} = ${held[k].at(-1)} in slot ${held[k][0]}`);
  const sum = held.map((slot, k) => factor(slot.at(-1), k)).join(` ${data.sign} `);
  return `${bracket(index)} reads ${joined(where)}: ${sum} = ${data.result.values[cell].at(-1)}.`;
}

function ofSlot({ operands, result }, own, slot) {
  const operand = operands[own], held = operand.slots[slot];
  const words = `Slot ${held[0]} of ${operand.name} holds ${held.at(-1)}.`;
  if (!result) return `${words} There is no result to read it.`;
  const used = operand.used[slot];
  if (!used) return `${words} No result reads it.`;
  const readers = result.reads[own].flatMap((read, cell) => (read === slot ? [bracket(indexOf(result.grid, cell))] : []));
  const named = readers.length <= 6 ? readers : readers.slice(0, 5);
  const rest = used > named.length ? [`${comma(used - named.length)} more`] : [];
  return `${words} ${comma(used)} of ${result.size} results read${used === 1 ? "s" : ""} it: ${joined([...named, ...rest])}.`;
}

function ownIndex(operand, index) {
  const own = index.flatMap((i, k) => (operand.pairs[k][1] ? [] : [operand.pairs[k][2] ? 0 : i]));
  return operand.name + (own.length ? bracket(own) : "");
}

// ---- where everything stands ------------------------------------------------------------------------------------

function steps(shown, whole, each, gap) {
  const starts = [];
  let at = 0, before = -1;
  for (const i of shown) {
    if (i !== before + 1) at += gap;
    starts.push(at);
    at += each;
    before = i;
  }
  return [starts, at + (shown.length && before !== whole - 1 ? gap : 0)];
}

function breaks(shown, whole, starts, each, gap) {
  const spots = starts.flatMap((at, k) => (shown[k] !== (k ? shown[k - 1] + 1 : 0) ? [at - gap / 2] : []));
  return shown.at(-1) !== whole - 1 ? [...spots, starts.at(-1) + each + gap / 2] : spots;
}

function paint(data, width, [cell, own, slot], edit) {
  const { operands, result } = data, ndim = data.axes.length, wide = width >= 600;
  const shapes = [...operands.map((operand) => operand.shape), result ? result.shape : ""];
  const left = wide ? Math.max(92, PAD + longest(shapes) * 7.4 + 16) : PAD, right = width - PAD, room = right - left;
  const index = cell >= 0 && own < 0 ? indexOf(result.grid, cell) : null;
  const marks = [], slid = new Map(), spots = { boxes: [], grids: [], strips: [], adds: [] };
  const inset = edit && wide ? 34 : 0;
  let y = 0, pitch, box, digits, tops = [], each, dense, extent = width;
  const text = (x, y, words, style = "body", anchor = "start") => marks.push(["text", x, y, words, style, anchor]);
  const rect = (x, y, width, height, style = "cell", radius = 5) => marks.push(["rect", x, y, width, height, style, radius]);
  const hatch = (x, y, width, height) => marks.push(["hatch", x, y, width, height]);
  const path = (d, style) => marks.push(["path", d, style]);
  const cross = (x, y) => marks.push(["cross", x, y]);
  const tick = (x, y) => path(`M${short(x - 4)} ${short(y - 4)}L${short(x)} ${short(y)}L${short(x + 7)} ${short(y - 9)}`, "cross");
  const column = (k) => left + inset + k * pitch;

  function head() {
    const [shown, gives] = data.head, full = `${shown} ${gives}`;
    y = 10;
    const beside = data.title && data.title.length * 8.6 + mono(full) + 24 <= right - PAD;
    for (const line of wrap(data.title, beside ? 1e6 : right - PAD, 15)) text(PAD, (y += 20), line, "title");
    if (beside) return text(right, y, full, "mono", "end");
    for (const line of mono(full) <= right - PAD ? [full] : [shown, gives]) text(PAD, (y += 20), line, "mono");
  }

  function label(name, shape) {
    if (!wide) return text(left, y - 8, [[`${name} `, "now"], [shape, "idx"]], "body");
    text(PAD, y + 13, name, "now");
    text(PAD, y + 29, shape, "idx");
  }

  function table() {
    const words = operands.flatMap((operand) => operand.pairs.map(([n, , repeated]) => (repeated ? `${n} → ${repeated}` : n)));
    words.push(...data.columns.map(([length]) => length));
    pitch = Math.max(92, longest(words) * 8.43 + 34);
    if (pitch * ndim - 8 > room - 2 * inset) pitch = Math.max((room - 2 * inset + 8) / ndim, 66);
    extent = Math.max(extent, column(ndim) - 8 + inset + PAD);
    box = pitch - 8;
    digits = longest(words) * 8.43 + 8 > box ? "num small" : "num";
    y += 36;
    data.axes.forEach((axis, k) => text(column(k) + box / 2, y, axis, `mono step ${axisClass(k)}`, "middle"));
    y += 10;
    operands.forEach((operand, at) => {
      y += wide ? 0 : edit ? 30 : 22;
      tops.push(y);
      label(operand.name, operand.shape);
      if (!ndim) text(left + inset, y + 19, "no axis", "note");
      const missing = operand.pairs.filter((pair) => pair[1]).length;
      if (edit) spots.adds.push([
        missing ? [column(missing - 1), y + 32, box, 24] : wide ? [left, y, 26, 30] : [right - 146, y - 27, 70, 24],
        wide ? [ndim ? column(ndim) : column(0) + 60, y, 26, 30] : [right - 72, y - 27, 70, 24],
      ]);
      operand.pairs.forEach((pair, k) => length(at, k, pair));
      y += edit ? 86 : 58;
    });
    y += wide ? 0 : 22;
    tops.push(y);
    label("result", result ? result.shape : "");
    if (ndim) path(`M${short(column(0))} ${short(y - (wide ? 7 : 26))}h${short(column(ndim) - 8 - column(0))}`, "arc");
    else text(left + inset, y + 19, "no axis", "note");
    data.columns.forEach((verdictOf, k) => verdict(k, ...verdictOf));
    y += result ? 34 : 52;
  }

  function length(at, k, [n, missing, repeated, stride]) {
    const x = column(k), fail = data.columns[k][1], first = marks.length;
    const look = missing ? "off" : fail && fail.includes(n) ? "pick" : repeated ? "rep" : "";
    rect(x, y, box, 30, `cell ${look}`.trim());
    if (repeated) hatch(x, y, box, 30);
    const words = [[n, missing ? "lab" : ""], ...(repeated ? [[` → ${repeated}`, ""]] : [])];
    text(x + box / 2, y + 20, words, digits + (missing ? " halo" : repeated ? " rep" : ""), "middle");
    const low = edit ? 73 : 45;
    text(x + box / 2, y + low, `stride ${stride}`, repeated ? "idx now" : "idx", "middle");
    spots.boxes.push([at, k, x, y, box, 30]);
    if (missing) for (const mark of marks.slice(first)) slid.set(mark, at);
  }

  function verdict(k, length, fail, pair) {
    const x = column(k), middle = x + box / 2;
    if (!fail) {
      rect(x, y, box, 30, "cell");
      text(middle, y + 20, length, digits, "middle");
      return tick(x + box - 15, y + 19);
    }
    rect(x, y, box, 30, "cell off");
    cross(middle, y + 15);
    const full = fail.join(" against ");
    text(middle, y + 45, mono(full, 12) <= pitch - 4 ? full : fail.join(" ≠ "), "idx now", "middle");
    const [top, low] = pair.map((at) => tops[at] + 15);
    path(`M${short(x + box + 1)} ${short(top)}h4V${short(low)}h-4`, "fence");
  }

  function formulas() {
    if (!result || !result.values.length) return;
    const rows = operands.map((operand, at) => runs(operand, at));
    let x = column(Math.max(ndim, 1)) + 20 + inset;
    const below = !wide || x + Math.max(...rows.map((row) => row.reduce((all, [width]) => all + width, 0))) > right;
    if (below) {
      y += 30;
      x = left + mono("x".repeat(longest(operands.map((operand) => operand.name), 6))) + 10;
    }
    const [call, style] = own < 0 ? [`position(${(index || []).join(", ")})`, "mono"]
      : [`slot ${operands[own].slots[slot][0]} of ${operands[own].name}`, "mono hot"];
    text(x, below ? y : tops[0] - 10, call, style);
    rows.forEach((row, at) => {
      const line = below ? y + 26 : tops[at] + 20;
      if (below) text(left, line, operands[at].name, "mono now");
      const end = formula(at, row, x, line);
      if (below) y = end;
    });
    const line = below ? y + 26 : tops.at(-1) + 20;
    if (below) {
      text(left, line, "result", "mono now");
      y = line;
    }
    if (!index) return;
    const sum = operands.map((operand, k) => factor(operand.slots[result.reads[k][cell]][1], k)).join(` ${data.sign} `);
    const gives = `= ${result.values[cell][0]}`, full = `${sum} ${gives}`;
    text(x, line, mono(full) > right - x ? gives : full, "mono");
  }

  function runs(operand, at) {
    const { lead, rows, columns } = result.grid, axes = lead[0].map((_, k) => lead.map((plane) => plane[k]));
    axes.push(...[rows, columns].filter((axis) => axis !== null));
    const list = [[mono(`= ${operand.offset}`), `= ${operand.offset}`, -1]];
    operand.strides.forEach((stride, axis) => {
      const most = "x".repeat(String(Math.max(...axes[axis])).length);
      list.push([mono(" + "), "+", -1], [mono(`${most}×${term(stride)}`), index ? `${index[axis]}×${term(stride)}` : "", axis]);
    });
    const last = longest(operand.slots.map((slot) => slot[0]));
    const position = index ? operand.slots[result.reads[at][cell]][0] : "";
    return [...list, [mono(" = "), "=", -1], [mono("x".repeat(last)), position, -2]];
  }

  function formula(at, list, x, y) {
    if (own === at) text(x, y, `read by ${comma(operands[at].used[slot])} of ${result.size} results`, "body");
    const begin = x;
    list.forEach(([width, words, axis], k) => {
      const joint = axis === -1 && k > 0;
      if (joint && x + width + list[k + 1][0] > right + 0.5) [x, y] = [begin, y + 26];
      if (index) {
        let style = axis === -2 ? "mono hot" : axis === -1 ? "mono" : `mono ${axisClass(axis)}`;
        if (axis >= 0 && operands[at].pairs[axis][2]) {
          rect(x - 3, y - 15, width + 6, 21, "cell rep", 4);
          hatch(x - 3, y - 15, width + 6, 21);
          style += " num rep";
        }
        text(x + (joint ? width / 2 : 0), y, words, style, joint ? "middle" : "start");
      }
      x += width;
    });
    return y;
  }

  function numbers() {
    const texts = [...operands.flatMap(({ slots }) => slots.map((slot) => slot[1])), ...(result ? result.values.map(([words]) => words) : [])];
    const places = operands.flatMap(({ slots }) => slots.map((slot) => slot[0]));
    const most = texts.length ? longest(texts) : 1, place = places.length ? longest(places) : 1;
    each = Math.max(36, most * 8.43 + 12, place * 7.3 + 6);
    dense = [...operands, ...(result ? [result] : [])].some(({ grid }) => gridPlan(grid).unit > room - 36);
    if (dense) each = Math.max(28, most * 7.3 + 6, place * 7.3 + 4);
    y += wide ? 26 : 22;
    line([...operands.map((operand, at) => panel(at, operand)), panel(-1, result)]);
  }

  function line(panels) {
    const lines = [[]];
    let x = 0;
    for (const one of panels) {
      const sign = one.own ? 36 : 0;
      if (x && x + sign + one.width > room + 0.5) {
        lines.push([]);
        x = 0;
      }
      lines.at(-1).push([left + x + sign, one]);
      x += sign + one.width;
      extent = Math.max(extent, left + x + PAD);
    }
    for (const placed of lines) {
      const names = y + 12, top = names + 10 + Math.max(...placed.map(([, one]) => one.grid.above));
      const down = Math.max(...placed.map(([, one]) => one.grid.height));
      const strips = placed.flatMap(([, one]) => (one.strip ? [one.strip.height] : []));
      const low = top + down + (wide ? 14 : 32);
      if (wide) {
        text(PAD, top + 19, placed === lines[0] ? "numbers" : "", "lab");
        text(PAD, low + 19, strips.length ? "buffers" : "", "lab");
      }
      for (const [x, one] of placed) drawPanel(one, x, names, top, low);
      y = strips.length ? low + Math.max(...strips) + 12 : top + down + 14;
    }
  }

  function gridPlan(grid) {
    const { rows, columns, lead } = grid, shape = grid.shape.map(Number);
    const rowLabel = rows ? Math.max(22, longest(rows.map(String)) * 7.3 + 12) : 0;
    let [xs, across] = steps(listed(columns), shape.length ? shape.at(-1) : 1, each, 24);
    let [ys, down] = steps(listed(rows), shape.length > 1 ? shape.at(-2) : 1, 30, 22);
    const empty = !count(grid);
    if (empty) [across, down] = [Math.max(across, 84), Math.max(down, 30)];
    const above = (columns ? 18 : 0) + (shape.length > 2 ? 20 : 0), planes = Math.max(1, lead.length), unit = rowLabel + across;
    const title = shape.length > 2 ? longest(lead.map((plane) => `[${plane.join(", ")}, :, :]`)) * 7.3 : 0;
    const next = Math.max(unit + 20, title + 10), high = down + above + 12;
    const perRow = Math.max(1, Math.min(planes, Math.floor((room - 36 - unit) / next) + 1));
    const all = [...Array(planes).keys()];
    return {
      xs, ys, across, down, empty, above, unit,
      px: all.map((k) => rowLabel + (k % perRow) * next), py: all.map((k) => Math.floor(k / perRow) * high),
      width: Math.max(rowLabel + title, unit) + (perRow - 1) * next, height: Math.ceil(planes / perRow) * high - above - 12,
    };
  }

  function panel(at, part) {
    if (!part) return { own: at, part, grid: { above: 0, height: 30 }, width: 84 };
    const grid = gridPlan(part.grid);
    if (at < 0) return { own: at, part, grid, width: Math.max(grid.width, 6 * 8.2) };
    const strip = stripPlan(part, Math.max(grid.width, Math.min(room - 36, 8 * each)));
    return { own: at, part, grid, strip, width: Math.max(grid.width, part.name.length * 8.2, strip.width, part.caption.length * 7.3) };
  }

  function stripPlan(operand, room) {
    const xs = [], ys = [], gaps = [], last = operand.slots.length, high = operand.offset === "0" ? 54 : 68;
    let x = 0, line = 0, widest = 0;
    for (let k = 0; k <= last; k++) {
      const gap = operand.gaps[k], need = (gap ? gap.length * 7.3 + 16 : 0) + (k < last ? each : 0);
      if (x && need && x + need > room + 0.5) {
        x = 0;
        line++;
      }
      if (gap) {
        gaps.push([x + gap.length * 3.65 + 8, line * high, gap]);
        x += gap.length * 7.3 + 16;
      }
      if (k < last) {
        xs.push(x);
        ys.push(line * high);
        x += each;
      }
      widest = Math.max(widest, x);
    }
    const height = (line + 1) * high + (operand.caption ? 16 : 0);
    return { xs, ys, gaps, width: xs.length || gaps.length ? widest : 84, height, low: (line + 1) * high - 6 };
  }

  function drawPanel({ own: at, part, grid: plan, strip }, x, names, top, low) {
    if (at) text(x - 18, top + 20, at < 0 ? "=" : data.sign, "title", "middle");
    text(x, names, at < 0 ? "result" : part.name, "now");
    if (!part) {
      rect(x + 1, top + 1, 82, 28, "cell off");
      return cross(x + 42, top + 15);
    }
    drawGrid(at, part, plan, x, top, lit(at));
    if (at >= 0) drawStrip(part, strip, x, low, lit(at));
  }

  const lit = (at) => (index && at >= 0 ? result.reads[at][cell] : at >= 0 && at === own ? slot : -1);

  function drawGrid(at, part, plan, x, top, lights) {
    const { grid } = part, { shape, lead } = grid, rows = listed(grid.rows), columns = listed(grid.columns);
    const missing = ndim - shape.length, here = now(at, lights), cells = [];
    plan.px.forEach((px, plane) => {
      const x0 = x + px, y0 = top + plan.py[plane];
      let inside = here !== null;
      if (shape.length > 2 && lead.length) {
        inside = inside && lead[plane].join() === here.slice(0, -2).join();
        const words = lead[plane].flatMap((i, axis) => [[String(i), inside ? `now ${axisClass(missing + axis)}` : ""], [", ", ""]]);
        text(x0, y0 - 24, [["[", ""], ...words, [":, :]", ""]], "idx");
      }
      const look = (axis, lights) => (lights ? `idx now ${axisClass(missing + shape.length - axis)}` : "idx");
      if (grid.columns) columns.forEach((one, k) =>
        text(x0 + plan.xs[k] + each / 2, y0 - 6, String(one), look(1, inside && one === here.at(-1)), "middle"));
      if (grid.rows) rows.forEach((one, k) =>
        text(x0 - 8, y0 + plan.ys[k] + 19, String(one), look(2, inside && one === here.at(-2)), "end"));
      if (plan.empty) {
        rect(x0 + 1, y0 + 1, plan.across - 2, plan.down - 2, "cell off");
        return text(x0 + plan.across / 2, y0 + plan.down / 2 + 4, "no cell", "note", "middle");
      }
      for (const spot of breaks(columns, shape.length ? Number(shape.at(-1)) : 1, plan.xs, each, 24))
        text(x0 + spot, y0 + plan.down / 2 + 4, "⋯", "note", "middle");
      for (const spot of breaks(rows, shape.length > 1 ? Number(shape.at(-2)) : 1, plan.ys, 30, 22))
        text(x0 + plan.across / 2, y0 + spot + 5, "⋮", "note", "middle");
      for (const dy of plan.ys) for (const dx of plan.xs) cells.push([x0 + dx, y0 + dy, each, 30]);
    });
    cells.forEach(([x, y], k) => {
      if (at >= 0) return slotAt(part, part.cells[k], x, y, lights);
      const same = own >= 0 && part.reads[own][k] === slot;
      boxAt(x, y, own < 0 && k === cell ? "cur" : same ? "same" : "", part.values[k][0]);
    });
    spots.grids.push([[x + plan.px[0], top, plan.width - plan.px[0], plan.height], cells]);
  }

  function now(at, lights) {
    if (index && at < 0) return index;
    const k = at < 0 || lights < 0 ? -1 : operands[at].cells.indexOf(lights);
    return k < 0 ? null : indexOf(operands[at].grid, k);
  }

  function slotAt(operand, k, x, y, lights) {
    const used = operand.used[k], base = !result || used === 1 ? "" : used ? "rep" : "off";
    boxAt(x, y, k === lights ? "cur" : base, operand.slots[k][1]);
  }

  function boxAt(x, y, look, words) {
    rect(x + 1, y + 1, each - 2, 28, `cell ${look}`.trim());
    if (look === "rep") hatch(x + 1, y + 1, each - 2, 28);
    text(x + each / 2, y + 20, words, `num ${look}`.trim() + (dense ? " small" : ""), "middle");
  }

  function drawStrip(operand, plan, x, low, lights) {
    if (!wide) text(x, low - 7, `buffer of ${operand.name}`, "lab");
    plan.xs.forEach((dx, k) => {
      slotAt(operand, k, x + dx, low + plan.ys[k], lights);
      text(x + dx + each / 2, low + plan.ys[k] + 44, operand.slots[k][0], k === lights ? "idx hot" : "idx", "middle");
      if (operand.offset !== "0" && operand.slots[k][0] === operand.offset)
        text(x + dx + each / 2, low + plan.ys[k] + 58, "offset", "idx", "middle");
    });
    for (const [dx, dy, words] of plan.gaps) {
      text(x + dx, low + dy + 19, "⋯", "note", "middle");
      text(x + dx, low + dy + 44, words, "idx", "middle");
    }
    if (!plan.xs.length && !plan.gaps.length) text(x, low + 19, "no slot", "note");
    if (operand.caption) text(x, low + plan.height - 4, operand.caption, "idx");
    const places = plan.xs.map((dx, k) => [x + dx, low + plan.ys[k], each, 48]);
    spots.strips.push([[x, low, plan.width, plan.low], places]);
  }

  head();
  table();
  formulas();
  numbers();
  return { marks: marks.sort((a, b) => layer(a) - layer(b)), slid, spots, height: y, extent };
}

const layer = ([kind]) => ({ rect: 1, hatch: 2, text: 4 })[kind] || 3;

function hatchPath(width, height) {
  let d = "";
  for (let all = 10; all < Math.floor(width + height - 4); all += 8) {
    const x0 = Math.max(2, all - height + 2), x1 = Math.min(width - 2, all - 2);
    if (x1 - x0 > 1) d += `M${x0} ${all - x0}L${x1} ${all - x1}`;
  }
  return d;
}

const run = ([words, style]) => svg("tspan", { class: style || null }, words);
const draw = {
  text: (x, y, words, style, anchor) =>
    svg("text", { x, y, class: style, "text-anchor": anchor, "xml:space": "preserve" }, Array.isArray(words) ? words.map(run) : words),
  rect: (x, y, width, height, style, rx) => svg("rect", { x, y, width, height, class: style, rx }),
  hatch: (x, y, width, height) => svg("path", { d: hatchPath(width, height), class: "hatch", transform: `translate(${x} ${y})` }),
  path: (d, style) => svg("path", { d, class: style }),
  cross: (x, y) => svg("path", { d: `M${x - 4.5} ${y - 4.5}l9 9m-9 0l9 -9`, class: "cross" }),
};

// ---- the live figure --------------------------------------------------------------------------------------------

const OWN = `.fig{max-width:760px}.stage{position:relative;overflow-x:auto;overflow-y:hidden}.stage>*{position:absolute;box-sizing:border-box}.stage>svg{position:static;display:block}
.said{margin:0 16px;padding-bottom:14px;line-height:19px}.wide .said{margin-left:var(--left)}.said p{margin:0 0 4px;overflow-wrap:anywhere}.said p:empty{display:none}
.spots{border-radius:6px}.spots [data-at]{position:absolute;cursor:pointer}
.stage>:focus{outline:none}.stage>:focus-visible{outline:2px solid var(--onl);outline-offset:3px}`.replace(/\n/g, "");

const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// The figure inside `box`. `act`, which the explorer gives, is told of the selected cell; its `controls(spots, place)`
// puts its own elements on the stage, and `hint` says how to use them.
function scene(box, data, act = {}) {
  let width = 0, pinned = start(data), state = pinned, known = "", sheet, pool = new Map(), pointer = "";
  const picture = svg("svg", { "aria-hidden": "true" });
  const stage = html("div", { class: "stage" }, picture);
  const live = html("p", { class: "say", "aria-live": "polite" }), legend = html("p", { class: "note" }), note = html("p", { class: "note" });
  const hint = html("p", { class: "note" }), said = html("div", { class: "said" }, live, legend, note, hint);
  box.append(stage, ...(act.below || []), said);

  // The picture follows the state; what takes input follows the data and the width alone.
  function show(next = state) {
    state = next;
    if (!width) return;
    sheet = paint(data, width, state, Boolean(act.controls));
    const size = Math.max(width, sheet.extent);
    for (const [name, value] of [["width", size], ["height", sheet.height], ["viewBox", `0 0 ${size} ${sheet.height}`]])
      picture.setAttribute(name, value);
    sheet.elements = sheet.marks.map(([kind, ...mark]) => draw[kind](...mark));
    picture.replaceChildren(...sheet.elements);
    live.textContent = sentence(data, state);
    for (const el of pool.values()) if (el.mark) el.mark();
  }

  function spread() {
    if (!width) return;
    const fresh = new Map(), before = pool;
    const place = (key, create, [left, top, across, down]) => {
      const el = before.get(key) || create();
      fresh.set(key, el);
      Object.assign(el.style, { left: `${left}px`, top: `${top}px`, width: `${across}px`, height: `${down}px` });
      return el;
    };
    if (act.controls) act.controls(sheet.spots, place, data);
    data.operands.forEach((operand, own) => {
      const [frame, cells] = sheet.spots.grids[own];
      fill(place(`grid-${own}`, () => spotted("presentation", own), frame), frame, cells, operand.cells, own, "");
      const [strip, slots] = sheet.spots.strips[own];
      const el = place(`strip-${own}`, () => spotted("listbox", own), strip);
      fill(el, strip, slots, operand.slots.map((_, k) => k), own, "option");
      el.setAttribute("aria-label", `Buffer of ${operand.name}. Left and right arrow keys move along its slots.`);
    });
    if (data.result && data.result.values.length) {
      const [frame, cells] = sheet.spots.grids.at(-1);
      const el = place("result", () => spotted("grid", -1), frame);
      fill(el, frame, cells, cells.map((_, k) => k), -1, "gridcell");
      el.setAttribute("aria-label", `Result, shape ${data.result.shape}. Arrow keys move along its axes.`);
    }
    pool = fresh;
    for (const [key, el] of before) if (!fresh.has(key)) el.remove();
    let after = picture.nextSibling;
    for (const el of fresh.values())
      if (el === after) after = el.nextSibling;
      else stage.insertBefore(el, after);
    legend.textContent = data.legend;
    note.textContent = data.note;
    hint.textContent = `${data.result && data.result.values.length ? "Click a cell or a slot, then use the arrow keys." : "Point at a slot of a buffer."} ${act.hint || ""}`.trim();
    box.style.setProperty("--left", `${Math.max(92, PAD + longest([...data.operands.map(({ shape }) => shape), data.result ? data.result.shape : ""]) * 7.4 + 16)}px`);
    box.classList.toggle("wide", width >= 600);
    for (const el of fresh.values()) if (el.mark) el.mark();
  }

  // An element that covers a grid or a strip: it takes the pointer and, except for an operand's grid, the keys.
  function spotted(role, own) {
    const el = html("div", { class: "spots", role, tabindex: role === "presentation" ? null : 0 });
    const chosen = (event) => {
      const at = event.target.closest("[data-at]");
      return at && (own < 0 ? [Number(at.dataset.at), -1, -1] : [-1, own, Number(at.dataset.at)]);
    };
    const rests = (event) => pointer === (pointer = `${Math.floor(event.clientX)} ${Math.floor(event.clientY)}`);
    el.addEventListener("pointerover", (event) => {
      const next = event.pointerType !== "touch" && !rests(event) && chosen(event);
      if (next && next.join() !== state.join()) show(next);
    });
    el.addEventListener("pointermove", rests);
    el.addEventListener("pointerleave", () => { if (state !== pinned) show(pinned); });
    el.addEventListener("click", (event) => {
      const next = chosen(event);
      if (!next) return;
      pin(next);
      (role === "presentation" ? pool.get(`strip-${own}`) : el).focus({ preventScroll: true });
    });
    el.tensorlabKeys = (key, event) => press(own, key, event.ctrlKey);
    el.mark = () => {
      const at = own < 0 ? state[0] : state[1] === own ? state[2] : state[0] >= 0 ? data.result.reads[own][state[0]] : -1;
      for (const spot of el.querySelectorAll("[data-at]")) spot.setAttribute("aria-selected", Number(spot.dataset.at) === at);
      if (at >= 0) el.setAttribute("aria-activedescendant", `${own}-${at}`);
      else el.removeAttribute("aria-activedescendant");
    };
    return el;
  }

  function fill(el, [left, top], cells, numbers, own, role) {
    const signature = JSON.stringify([cells, numbers, own < 0 ? data.result.values : data.operands[own].slots, data.result && data.result.shape]);
    if (el.signature === signature) return;
    el.signature = signature;
    const wide = role === "gridcell" ? listed(data.result.grid.columns).length : cells.length, rows = [];
    cells.forEach(([x, y, across, down], k) => {
      if (k % wide === 0) rows.push(html("div", role === "gridcell" ? { role: "row" } : {}));
      const words = own < 0 ? `${bracket(indexOf(data.result.grid, k))}, ${data.result.values[k].at(-1)}`
        : `slot ${data.operands[own].slots[numbers[k]][0]}, ${data.operands[own].slots[numbers[k]].at(-1)}`;
      const spot = html("div", { "data-at": numbers[k], role: role || null, id: role ? `${own}-${k}` : null, "aria-label": role ? words : null });
      Object.assign(spot.style, { left: `${x - left}px`, top: `${y - top}px`, width: `${across}px`, height: `${down}px` });
      rows.at(-1).append(spot);
    });
    el.replaceChildren(...(role === "gridcell" ? rows : rows.flatMap((row) => [...row.children])));
    if (role === "") el.setAttribute("aria-hidden", "true");
  }

  function pin(next) {
    pinned = next;
    show(next);
    if (act.selected && next[0] >= 0) act.selected(indexOf(data.result.grid, next[0]));
  }

  function press(own, key, ctrl) {
    if (own >= 0) {
      const last = data.operands[own].slots.length - 1, lights = state[1] === own ? state[2] : state[0] >= 0 ? data.result.reads[own][state[0]] : -1;
      const next = { ArrowLeft: lights - 1, ArrowRight: lights + 1, Home: 0, End: last }[key];
      if (next === undefined || last < 0) return false;
      pin([-1, own, Math.min(Math.max(next, 0), last)]);
      return true;
    }
    const { grid } = data.result, wide = listed(grid.columns).length, high = listed(grid.rows).length, planes = grid.lead.length;
    const at = state[0] < 0 ? start(data)[0] : state[0];
    const column = at % wide, row = Math.floor(at / wide) % high, plane = Math.floor(at / (wide * high));
    const to = {
      ArrowLeft: [plane, row, column - 1], ArrowRight: [plane, row, column + 1], ArrowUp: [plane, row - 1, column],
      ArrowDown: [plane, row + 1, column], PageUp: [plane - 1, row, column], PageDown: [plane + 1, row, column],
      Home: ctrl ? [0, 0, 0] : [plane, row, 0], End: ctrl ? [planes - 1, high - 1, wide - 1] : [plane, row, wide - 1],
    }[key];
    if (!to) return false;
    const [p, r, c] = to, inside = p >= 0 && p < planes && r >= 0 && r < high && c >= 0 && c < wide;
    pin([inside ? (p * high + r) * wide + c : at, -1, -1]);
    return true;
  }

  // Missing axes slide in from the left when the shapes change.
  function slide(before) {
    if (calm()) return;
    const missing = (given, own) => given.operands[own] && given.operands[own].pairs.filter((pair) => pair[1]).length;
    sheet.marks.forEach((mark, k) => {
      const own = sheet.slid.get(mark);
      if (own === undefined || missing(before, own) === missing(data, own)) return;
      sheet.elements[k].animate([{ translate: "-28px", opacity: 0 }, { translate: "0", opacity: 1 }], { duration: 280, easing: "ease-out" });
    });
  }

  return {
    resized(space) {
      const next = Math.min(Math.max(space, LEAST), MOST);
      if (next === width) return;
      width = next;
      show();
      spread();
    },
    // New facts. The selection stays where the reader put it, unless the facts name another cell and `keep` is not set.
    update(next, keep) {
      const before = data, same = next.head.join() === before.head.join(), [cell, own, slot] = pinned;
      data = next;
      if (!same || !(keep || String(next.start) === String(before.start))) pinned = start(data);
      else if (own >= 0) {
        const at = data.operands[own].slots.findIndex(([position]) => position === before.operands[own].slots[slot][0]);
        pinned = at < 0 ? start(data) : [-1, own, at];
      } else if (cell >= 0) pinned = start({ ...data, start: indexOf(before.result.grid, cell) });
      show(pinned);
      spread();
      if (width && !same) slide(before);
    },
  };
}

function mount(host, data) {
  let made;
  // On a projector everything grows.
  const shell = frame(host, CSS + OWN, (space) => {
    const zoom = space < 1400 ? 1 : space < 1800 ? 1.25 : 1.5;
    shell.box.style.zoom = zoom;
    made.resized(Math.floor(space / zoom));
  });
  made = scene(shell.box, data);
  // Keys are taken before the page's own shortcuts see them, and only while the focus is in this figure.
  const keyed = (event) => {
    const el = event.composedPath().find((node) => node.tensorlabKeys);
    if (!el || event.altKey || event.metaKey || !el.tensorlabKeys(event.key, event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const on = () => addEventListener("keydown", keyed, true), off = () => removeEventListener("keydown", keyed, true);
  host.addEventListener("focusin", on);
  host.addEventListener("focusout", off);
  shell.measure();
  return {
    update: (next) => made.update(next),
    destroy() {
      off();
      host.removeEventListener("focusin", on);
      host.removeEventListener("focusout", off);
      shell.destroy();
    },
  };
}
