// Shared by every figure: nodes, theme, width, and how a still picture becomes a live figure.
const build = (space) => (tag, attrs, ...kids) => {
  const el = space ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const k in attrs || {}) if (attrs[k] !== null && attrs[k] !== undefined) el.setAttribute(k, attrs[k]);
  el.append(...kids.flat().filter((kid) => kid !== null && kid !== undefined));
  return el;
};
const html = build(false), svg = build(true);

function isDark() {
  const body = document.body.dataset, page = document.documentElement.dataset;
  if (body.jpThemeLight) return body.jpThemeLight === "false";
  if (body.vscodeThemeKind) return !body.vscodeThemeKind.includes("light");
  if (page.theme === "dark" || page.theme === "light") return page.theme === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

// Put an empty live figure into `host`; `resized(width)` runs at once and whenever the width changes.
function frame(host, css, resized) {
  const root = host.shadowRoot || host.attachShadow({ mode: "open" });
  const box = html("div", { class: "fig" });
  root.replaceChildren(html("style", {}, css), box);
  const dress = () => { box.dataset.theme = isDark() ? "dark" : "light"; };
  const media = matchMedia("(prefers-color-scheme: dark)");
  const themes = new MutationObserver(dress);
  for (const el of [document.body, document.documentElement])
    themes.observe(el, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-vscode-theme-kind", "data-theme"] });
  media.addEventListener("change", dress);
  dress();
  let last = 0;
  const measure = () => {
    const width = Math.floor(host.getBoundingClientRect().width);
    if (width && width !== last) resized((last = width));
  };
  const sizes = new ResizeObserver(measure);
  sizes.observe(host);
  return {
    box, measure,
    destroy() {
      themes.disconnect();
      sizes.disconnect();
      media.removeEventListener("change", dress);
      root.replaceChildren();
    },
  };
}

// Mount every still figure of this kind that is on the page and not yet live.
function upgrade(kind, mount) {
  for (const host of document.querySelectorAll(`.tl-figure[data-tl="${kind}"]`))
    if (!host.shadowRoot) mount(host, JSON.parse(host.dataset.model));
}
