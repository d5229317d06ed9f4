// The live file figure. `paint` turns the facts into the same marks as `paint` in file.py, function by function;
// the only sum worked out here is the formula itself, with the terms that are left in.
const PAD = 16, FIELD_GAP = 20, LEAST = 240, MOST = 760;
const CELL = { 1: 48, 2: 70, 4: 84, 8: 140 };
const RAISED = { "−": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
const mono = (words, size = 13.5) => words.length * size * 0.602;
const comma = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
const short = (value) => String(Math.round(value * 10) / 10);
const sum = (values) => values.reduce((a, b) => a + b, 0);
const pairs = (word) => word.match(/../g).reverse();

function wrap(words, width, size) {
  const room = Math.max(1, Math.floor(width / (size * 0.58))), lines = [];
  for (const word of words.split(/\s+/)) {
    if (lines.length && lines.at(-1).length + 1 + word.length <= room) lines.push(`${lines.pop()} ${word}`);
    else lines.push(word);
  }
  return lines;
}

function total({ terms }, struck, column) {
  const kept = terms.map((term, at) => (term && !struck.includes(at) ? (at === 4 ? column : term[3]) : 0));
  return kept[0] + kept[1] + kept[2] + (kept[3] + kept[4]) * (kept[5] || 1);
}

function spread(runs, itemsize) {
  return runs.flatMap((run) => {
    if (typeof run === "string") return [{ words: run }];
    const [byte, digits, first, part, step] = run;
    return digits.match(new RegExp(`.{${2 * itemsize}}`, "g")).map((words, at) => ({
      byte: byte + at * itemsize,
      words,
      below: first === null ? characters(words) : `${first + at * step}${part}`,
    }));
  });
}

const characters = (word) =>
  pairs(word).map((pair) => parseInt(pair, 16)).map((code) => (code > 32 && code < 127 ? String.fromCharCode(code) : "·")).join("");

const binary = (word) => [...word].map((digit) => parseInt(digit, 16).toString(2).padStart(4, "0")).join("");

function captions(data, word) {
  const bits = binary(word), [share, value] = data.words[word];
  const plain = value.replace(/^= /, "");
  if (data.fields.length === 1) return [[""], [plain]];
  const split = 1 + data.fields[1][1], exponent = parseInt(bits.slice(1, split), 2), minus = bits[0] === "1" ? "−" : "";
  const top = exponent === 2 ** data.fields[1][1] - 1, power = data.exponents[exponent];
  const caption = top ? "all ones" : exponent ? `${exponent} − ${data.bias} = ${power}` : `0 means ${power}`;
  const lead = top ? "" : exponent ? "1 + " : "0 + ";
  const below = [minus || "+", caption, `${lead}${comma(parseInt(bits.slice(split), 2))}/${data.whole}`];
  if (!share) return [below, [plain]];
  const about = share[0] === "≈", raised = [...power].map((digit) => RAISED[digit]).join("");
  return [below, [`${about ? "≈ " : ""}${minus}${about ? share.slice(2) : share} × 2${raised}`, value]];
}

function lookUp(data, column, struck) {
  const asked = data.columns[column], home = total(data, [], asked), byte = total(data, struck, asked);
  const [panel, cell] = data.landings[byte], [kind, row, ...runs] = data.panels[panel];
  const { words: word, below } = spread(runs, data.itemsize).filter((item) => item.below !== undefined)[cell];
  const [name, place, there, elsewhere] = data.kinds[kind].map((words) => words.replaceAll("{r}", row));
  const [under, value] = captions(data, word);
  return {
    home, byte, moved: byte !== home, panel, cell, runs, word, row: name, place: place.replace("{}", below),
    remark: below === String(asked) ? there : elsewhere, captions: under, value,
  };
}

function sentence(data, column, struck) {
  const state = lookUp(data, column, struck), size = data.itemsize;
  const names = [...struck].sort().map((term) => data.terms[term][2]);
  const missing = names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0];
  if (state.moved) {
    const early = state.home - state.byte;
    return `Without ${missing} the sum is ${comma(state.byte)}, ${comma(early)} byte${early === 1 ? "" : "s"} too early: ` +
      `${state.place}. ${state.remark}`;
  }
  const last = comma(state.byte + size - 1), value = data.words[state.word][1];
  const where = size === 1 ? `byte ${last} holds` : `bytes ${comma(state.byte)} ${size === 2 ? "and" : "to"} ${last} hold`;
  const place = state.place[0].toUpperCase() + state.place.slice(1);
  const here = `${place}: ${where} ${state.word}${"=≈".includes(value[0]) ? " " : ", "}${value}.`;
  return names.length ? `Without ${missing} the sum is the same here. ${here}` : here;
}

function chunks(data, column, result, longest) {
  const { terms, columns } = data;
  const sign = (words) => [mono(words) + 10, words, null];
  const term = (at) => {
    const words = at === 4 ? String(columns[column]) : terms[at][0];
    const most = at === 4 ? Math.max(...columns.map((place) => String(place).length)) : words.length;
    return [Math.max(mono("x".repeat(most)), mono(terms[at][1], 12), 12) + 12, words, at];
  };
  const list = [[[mono("= "), "=", null], term(0)], [sign("+"), term(1)], [sign("+"), term(2)]];
  if (terms[3]) list.push([sign("+ ("), term(3)], [sign("+"), term(4), [mono(")") + 10, ")", null]], [term(5)]);
  else if (terms[4]) list.push([sign("+"), term(4)], [[4, "", null], term(5)]);
  return [...list, [sign("="), [mono(longest) + 24, result, -1]]];
}

function clear(x, width, need, pin) {
  const middle = x + width / 2;
  if (pin === null || Math.abs(pin - middle) >= need / 2 + 6) return middle;
  const before = pin - x, after = x + width - pin;
  if (Math.max(before, after) < need + 16) return middle;
  return before > after ? x + before / 2 : pin + after / 2;
}

function paint(data, width, column, struck) {
  const wide = width >= 600, left = wide ? 92 : PAD, right = width - PAD, room = right - left;
  const state = lookUp(data, column, struck), { itemsize } = data;
  const wedges = [], marks = [], spots = { terms: [], cells: [] };
  let y = 0, out, top, gap;
  const text = (x, y, words, style = "body", anchor = "start") => marks.push(["text", x, y, words, style, anchor]);
  const rect = (x, y, width, height, style = "cell", radius = 5) => marks.push(["rect", x, y, width, height, style, radius]);
  const path = (d, style) => marks.push(["path", d, style]);
  const cross = (x, y) => marks.push(["cross", x, y]);
  const wedge = (x0, x1, top, waist, left, right, low) => {
    const corners = [[x0, top], [x1, top], [x1, waist], [right, low], [left, low], [x0, waist]];
    wedges.push(["path", `M${corners.map(([x, y]) => `${short(x)} ${short(y)}`).join("L")}Z`, "wedge"]);
  };
  const label = (words, more = "", lift = 8) => {
    if (wide && words.length > 9 && !more) [words, more] = words.split(" ");
    if (!wide) return text(left, y - lift, `${words} ${more}`.trim(), "lab");
    text(PAD, y + (more ? 11 : 19), words, "lab");
    if (more) text(PAD, y + 27, more, "lab");
  };
  const down = (gap) => { y += gap + (wide ? 0 : 16); };
  const pin = (x, y) => rect(x - 1.5, y - 4, 3, 36, "cell cur", 1.5);

  function head() {
    const { title, about } = data, full = about.join(" "), space = right - PAD, most = Math.floor(space / mono("x"));
    y = 10;
    for (const line of wrap(title, space, 16)) text(PAD, (y += 20), line, "title");
    if (y === 30 && title.length * 8.6 + mono(full) + 24 <= space) return text(right, 30, full, "mono", "end");
    for (const line of full.length <= most ? [full] : about)
      text(PAD, (y += 20), line.length <= most ? line : "…" + line.slice(1 - most), "mono");
  }

  function fileAndParts() {
    const { size } = data, [, begin, end] = data.row;
    y += 28;
    text(right, y, `${comma(size)} bytes`, "idx", "end");
    if (wide) text(left, y, "0", "idx");
    y += 8;
    label("file,", "to scale");
    rect(left, y, room, 28);
    const scale = room / size, x1 = Math.min(Math.max(left + end * scale, left + begin * scale + 2), right);
    const x0 = Math.min(left + begin * scale, x1 - 2);
    rect(x0, y, x1 - x0, 28, state.moved ? "cell off" : "cell cur", Math.min(5, (x1 - x0) / 2));
    if (state.moved) pin(left + state.byte * scale, y);
    way(x0, x1, left + state.byte * scale);
    const low = y + 28;
    down(wide ? 62 : 70);
    label("parts, not", "to scale", 26);
    wedge(left, x1, low, low, left, right, y);
    const list = pieces(), ends = [-99, -99];
    let spot = null;
    if (state.moved) {
      const [x, width, , , begin, end] = list.find(([, , , , begin, end]) => begin <= state.byte && state.byte < end);
      spot = x + ((state.byte - begin) / (end - begin)) * width;
    }
    list.forEach(([x, width, words, kind, begin, end], at) => {
      const style = kind === "cur" && state.moved ? "off" : kind;
      rect(x, y, width, 28, `cell ${style}`.trim());
      text(clear(x, width, words.length * 7.4, spot), y + 18.5, words, { cur: "num cur", off: "lab" }[style] || "body", "middle");
      const count = comma(end - begin), half = mono(count, 12) / 2;
      const middle = Math.min(Math.max(x + width / 2, left + half), right - half);
      const line = middle - half > ends[0] + 8 ? 0 : 1;
      ends[line] = middle + half;
      text(middle, y + 45 + 15 * line, count, "idx", "middle");
      if (at) path(`M${short(x - gap / 2 - 2)} ${short(y + 32)}L${short(x - gap / 2 + 2)} ${short(y - 4)}`, "arc");
    });
    out = [list.at(-1)[0], list.at(-1)[0] + list.at(-1)[1]];
    if (state.moved) {
      const after = spot < left + room / 2;
      pin(spot, y);
      cross(after ? spot + 11 : spot - 11, y - 12);
      text(after ? spot + 20 : spot - 20, y - 8, "lands here", "body", after ? "start" : "end");
      out = [spot - 1.5, spot + 1.5];
    }
    top = y + 28;
    y += ends[1] < 0 ? 52 : 67;
  }

  function way(x0, x1, pin) {
    const words = wide ? `${data.row[0]} begins ${data.way}` : data.way, need = words.length * 6.9 + 16;
    if (need <= right - x1) text(x1 + 10, y + 18.5, words);
    else if (need <= x0 - left) {
      if (pin <= x0 - need || pin >= x0) text(x0 - 10, y + 18.5, words, "body", "end");
    } else if (need <= x1 - x0 && !state.moved) text((x0 + x1) / 2, y + 18.5, words, "num cur", "middle");
  }

  function pieces() {
    const { parts } = data;
    gap = wide ? 8 : 6;
    const free = room - gap * (parts.length - 1);
    let least, words;
    for (words of [0, 1, 2]) {
      least = parts.map((part) => Math.max(part[words].length * (part[3] === "cur" ? 8.5 : 7.4) + 8, 24));
      if (sum(least) <= free) break;
    }
    const share = parts.map((part) => (part[1] === "N" ? 0 : { "": 4, cur: 2 }[part[3]] || 1));
    const spare = Math.max(free - sum(least), 0) / sum(share), squeeze = Math.min(free / sum(least), 1);
    let x = left;
    return parts.map((part, at) => {
      const width = least[at] * squeeze + share[at] * spare, piece = [x, width, part[words], ...part.slice(3)];
      x += width + gap;
      return piece;
    });
  }

  function panel() {
    down(26);
    const lines = Math.max(...data.panels.map((panel) => flow(panel.slice(2)).length)), shown = flow(state.runs);
    label(state.row);
    const last = shown[0].at(-1);
    wedge(...out, top, wide ? y - 26 : y - 42, left, last.x + last.width, y);
    spots.strip = [left, y, room, 54 * shown.length - 8];
    shown.forEach((items, line) => {
      const at = y + 54 * line;
      for (const { x, width, words, below } of items) {
        if (below === undefined) {
          rect(x, at, width, 28, "cell off");
          text(x + width / 2, at + 18.5, words, "idx", "middle");
          continue;
        }
        const on = spots.cells.length === state.cell;
        rect(x, at, width, 28, on ? "cell cur" : "cell");
        text(x + width / 2, at + 19, words, on ? "num cur" : "num", "middle");
        text(x + width / 2, at + 45, below, "idx", "middle");
        spots.cells.push([x, at, width]);
        if (on) [out, top] = [[x, x + width], at + 28];
      }
    });
    y += 54 * lines - 2;
  }

  function flow(runs) {
    const items = spread(runs, itemsize);
    const labels = Math.max(0, ...items.map(({ below }) => (below || "").length));
    let width = Math.max(mono("x".repeat(2 * itemsize), 14) + 8, mono("x".repeat(labels), 12) + 4);
    if (wide) width = Math.max(width, CELL[itemsize]);
    const line = Math.max(Math.floor((room + 2) / (width + 2)), 1);
    if (!wide && line < items.filter(({ below }) => below !== undefined).length) width = (room + 2) / line - 2;
    const lines = [[]];
    let x = 0;
    for (const item of items) {
      item.width = item.below === undefined ? mono(item.words, 12) + 12 : width;
      if (x && x + item.width > room + 0.5) {
        lines.push([]);
        x = 0;
      }
      item.x = x;
      lines.at(-1).push(item);
      x += item.width + 2;
    }
    for (const placed of lines) {
      const gaps = placed.filter(({ below }) => below === undefined), last = placed.at(-1);
      const spare = (room - last.x - last.width) / gaps.length;
      let x = left;
      for (const item of placed) {
        item.x = x;
        if (gaps.includes(item)) item.width += spare;
        x += item.width + 2;
      }
    }
    return lines;
  }

  function bytesAndBits() {
    const { word } = state, width = Math.max(mono(comma(data.row[2]), 12) + 8, 36), waist = y;
    const line = Math.min(Math.max(Math.floor((room + 2) / (width + 2)), 1), itemsize);
    down(26);
    label(itemsize > 1 ? "bytes" : "byte");
    wedge(...out, top, waist, left, left + line * (width + 2) - 2, y);
    pairs(word).forEach((pair, at) => {
      const x = left + (at % line) * (width + 2), low = y + Math.floor(at / line) * 54;
      rect(x, low, width, 28, "cell cur");
      text(x + width / 2, low + 19, pair, "num cur", "middle");
      text(x + width / 2, low + 45, comma(state.byte + at), "idx", "middle");
    });
    const used = line * (width + 2) + 14, said = `lowest byte first, so it reads ${word}`, need = said.length * 7.4;
    const beside = used + need <= room;
    if (itemsize > 1 && beside) text(left + used, y + 18.5, said, "note");
    y += Math.floor((itemsize - 1) / line) * 54 + 50;
    if (itemsize > 1 && !beside) {
      text(left, y + 12, need <= room ? said : `lowest first: ${word}`, "note");
      y += 18;
    }
    bits(binary(word));
  }

  const share = (line) => Math.floor(((room - FIELD_GAP * (line.length - 1)) / sum(line.map((field) => field[2]))) * 4) / 4;

  function split() {
    const fields = data.fields.map(([, count], field) => [field, 0, count]);
    const pitch = Math.min(22, share(fields)), { bias = 0 } = data;
    const longest = mono(`${2 * bias} − ${bias} = ${bias}`, 12) + 4;
    if (pitch >= 9.5 && (fields.length === 1 || pitch * fields[1][2] + FIELD_GAP >= longest)) return [fields];
    const [field, , count] = fields.pop(), each = Math.ceil(count / Math.ceil(count / Math.floor(room / 9.5))), last = [];
    for (let start = 0; start < count; start += each) last.push([[field, start, Math.min(each, count - start)]]);
    return fields.length ? [fields, ...last] : last;
  }

  function bits(digits) {
    down(20);
    label("bits");
    const lines = split(), pitch = Math.min(22, ...lines.map(share)), apart = pitch >= 15, inset = apart ? 2 : 0;
    for (const line of lines) {
      let x = left, low = 34;
      for (const [field, start, count] of line) {
        const [name, whole] = data.fields[field], style = name === "exponent" ? "cell neu" : "cell byte";
        if (!apart) rect(x, y, pitch * count, 26, style);
        for (let at = 0; at < count; at++) {
          if (apart) rect(x + at * pitch, y, pitch - 2, 26, style, 4);
          text(x + at * pitch + (pitch - inset) / 2, y + 17.5, digits[at], apart ? "num" : "idx", "middle");
        }
        digits = digits.slice(count);
        if (start + count === whole) {
          text(x, y + 42, name, "lab");
          text(x, y + 58, state.captions[field], "idx");
          low = state.captions[field] ? 66 : 50;
        }
        x += pitch * count + FIELD_GAP - inset;
      }
      y += low;
    }
    down(8);
    label("value");
    y += wide ? 18.5 : 12;
    for (const line of room >= mono("x".repeat(38)) ? [state.value.join(" ")] : state.value) {
      text(left, y, line, "mono");
      y += 20;
    }
    y -= wide ? 10.5 : 10;
  }

  function formula() {
    down(18);
    label("formula");
    text(left, y + (wide ? 18.5 : 12), data.calls[column], "mono");
    y += wide ? 34 : 28;
    let x = left, low = 50;
    for (const chunk of chunks(data, column, comma(state.byte), comma(state.home))) {
      if (x > left && x + sum(chunk.map(([width]) => width)) > right + 0.5) {
        x = left + mono("= ");
        y += low;
        low = 30;
      }
      for (const [width, words, at] of chunk) {
        if (at === null) text(x + (words === "=" && x === left ? 0 : 5), y + 18, words, "mono");
        else if (at < 0) {
          text(x, y + 18, words, "mono hot");
          if (state.moved) cross(x + mono(words) + 12, y + 13.5);
        } else {
          term(x, width, words, at);
          low = 54;
        }
        x += width;
      }
    }
    y += low;
  }

  function term(x, width, words, at) {
    const gone = struck.includes(at), middle = x + width / 2, half = mono(words) / 2 + 3;
    rect(x, y, width, 26, gone ? "cell off" : "cell byte");
    text(middle, y + 18, words, `mono ${gone ? "lab" : { 3: "a0", 4: "a1" }[at] || ""}`.trim(), "middle");
    text(middle, y + 42, data.terms[at][1], "idx", "middle");
    if (gone) path(`M${short(middle - half)} ${short(y + 13)}H${short(middle + half)}`, "cross");
    spots.terms.push([at, x, y, width, 26]);
  }

  head();
  fileAndParts();
  panel();
  bytesAndBits();
  formula();
  return { marks: [...wedges, ...marks].sort((a, b) => layer(a) - layer(b)), spots, height: y + 4 };
}

// Boxes below lines below words, the current box on top of the others.
const layer = ([kind, ...mark]) =>
  kind === "rect" ? 1 + (mark[4] === "cell cur") : kind === "text" ? 4 : mark[1] === "wedge" ? 0 : 3;

const draw = {
  text: (x, y, words, style, anchor) => svg("text", { x, y, class: style, "text-anchor": anchor }, words),
  rect: (x, y, width, height, style, rx) => svg("rect", { x, y, width, height, class: style, rx }),
  path: (d, style) => svg("path", { d, class: style }),
  cross: (x, y) => svg("path", { d: `M${x - 4.5} ${y - 4.5}l9 9m-9 0l9 -9`, class: "cross" }),
};

const OWN = `.stage{position:relative}.stage>*{position:absolute}.stage>svg{position:static;display:block}
.said{margin:0 16px;padding-bottom:14px;line-height:18px;min-height:54px}.wide .said{margin-left:92px}.said p{margin:0 0 4px;overflow-wrap:anywhere}
.stage>button,.strip{background:none;border:0;border-radius:6px;cursor:pointer;padding:0;margin:0;box-sizing:border-box}
.stage>button:hover{box-shadow:0 0 0 1.5px var(--mut)}
.stage>:focus{outline:none}.stage>:focus-visible{outline:2.5px solid var(--fg);outline-offset:1.5px}.strip:focus-visible{outline-offset:3px}`;

function mount(host, data) {
  let column = data.column, struck = [...data.without], width = MOST, spots;
  const picture = svg("svg", { "aria-hidden": "true" });
  const strip = html("div", { class: "strip", role: "slider", tabindex: 0, "aria-valuemin": 0, "aria-valuemax": data.columns.length - 1 });
  const buttons = data.terms.map((term, at) => {
    if (!term) return null;
    const button = html("button", { type: "button", "aria-label": `leave out ${term[2]}`, "data-term": term[1] });
    button.addEventListener("click", () => show(column, struck.includes(at) ? struck.filter((one) => one !== at) : [...struck, at]));
    return button;
  });
  const stage = html("div", { class: "stage" }, picture, strip, buttons);
  const live = html("p", { "aria-live": "polite" });
  const hint = "Click a number, then use the arrow keys. Press a term of the formula to leave it out.";
  const said = html("div", { class: "said" }, live, data.note ? html("p", { class: "note" }, data.note) : null, html("p", { class: "note" }, hint));
  const place = (el, [x, y, width, height]) =>
    Object.assign(el.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });

  function show(nextColumn, nextStruck) {
    [column, struck] = [nextColumn, nextStruck];
    const sheet = paint(data, width, column, struck), state = lookUp(data, column, struck);
    spots = sheet.spots;
    for (const [name, value] of [["width", width], ["height", sheet.height], ["viewBox", `0 0 ${width} ${sheet.height}`]])
      picture.setAttribute(name, value);
    picture.replaceChildren(...sheet.marks.map(([kind, ...mark]) => draw[kind](...mark)));
    place(strip, spots.strip);
    for (const [at, ...box] of spots.terms) {
      place(buttons[at], box);
      buttons[at].setAttribute("aria-pressed", struck.includes(at));
    }
    strip.setAttribute("aria-label", `words of ${state.row}`);
    strip.setAttribute("aria-valuenow", column);
    strip.setAttribute("aria-valuetext", `${state.place}, ${state.word}`);
    live.textContent = sentence(data, column, struck);
  }

  strip.addEventListener("keydown", (event) => {
    const last = data.columns.length - 1;
    const next = {
      ArrowLeft: column - 1, ArrowDown: column - 1, ArrowRight: column + 1, ArrowUp: column + 1, Home: 0, End: last,
    }[event.key];
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    show(Math.min(Math.max(next, 0), last), struck);
  });
  strip.addEventListener("click", (event) => {
    const box = picture.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const cell = spots.cells.findIndex(([left, top, width]) => left <= x && x <= left + width && top <= y && y <= top + 48);
    const { panel } = lookUp(data, column, struck);
    const next = data.columns.findIndex((asked) => String(data.landings[total(data, struck, asked)]) === `${panel},${cell}`);
    if (next >= 0) show(next, struck);
  });

  const shell = frame(host, CSS + OWN, (space) => {
    width = Math.min(Math.max(space, LEAST), MOST);
    shell.box.classList.toggle("wide", width >= 600);
    show(column, struck);
  });
  shell.box.append(stage, said);
  shell.measure();
  return {
    update(next) {
      data = next;
      show(Math.min(column, data.columns.length - 1), struck);
    },
    destroy: shell.destroy,
  };
}
