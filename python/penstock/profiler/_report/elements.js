// Elements of the page, made in one call. Texts only ever become text, never markup: names and
// paths of a profile may hold anything.

export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "style") Object.assign(element.style, value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export function byId(id) {
  return document.getElementById(id);
}

// A group of buttons of which one is chosen; the arrow keys go from one to the next.
export function choice(label, options, chosen, change) {
  const buttons = options.map(([value, text]) =>
    make("button", { type: "button", role: "radio", "data-value": value, onclick: () => choose(value, true) }, text),
  );
  function choose(value, tell) {
    for (const button of buttons) {
      const isChosen = button.dataset.value === value;
      button.setAttribute("aria-checked", isChosen);
      button.tabIndex = isChosen ? 0 : -1;
    }
    if (tell) change(value);
  }
  function move(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = buttons.indexOf(document.activeElement);
    const next = buttons[(at + step + buttons.length) % buttons.length];
    next.focus();
    choose(next.dataset.value, true);
  }
  choose(chosen, false);
  return make("div", { class: "choice", role: "radiogroup", "aria-label": label, onkeydown: move }, buttons);
}

// Paths are shown from the program's folder on, and those of installed packages from the package on.
let home = "";

export function setHome(program) {
  home = program.slice(0, program.lastIndexOf("/") + 1);
}

export function shortPath(file) {
  if (home.length > 1 && file.startsWith(home)) return file.slice(home.length);
  return file.replace(/^.*\/(site|dist)-packages\//, "");
}

// A path that is too long for its place keeps its end, which says the most.
export function sitePlace(site) {
  if (!site) return make("span", { class: "unknown" }, "unknown line");
  const [file, line] = site;
  const short = shortPath(file);
  const cut = short.lastIndexOf("/") + 1;
  return make(
    "span",
    { class: "place", title: `${file}:${line}` },
    cut > 0 ? make("span", { class: "folder" }, make("bdi", {}, short.slice(0, cut))) : null,
    make("span", { class: "file" }, `${short.slice(cut)}:${line}`),
  );
}

export function emptyState(title, text) {
  return make("div", { class: "empty" }, make("strong", {}, title), make("p", {}, text));
}
