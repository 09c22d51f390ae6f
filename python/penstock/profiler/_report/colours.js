// Colours of tags and groups, in both themes.
//
// Tags have fixed colours, which were chosen so that any two of them stay apart (a distance of 17 and
// more in CIELAB) for readers with protanopia, deuteranopia and tritanopia too. Other groups, which
// can be many, take the same colours in order of their size; what comes after them is grey.

const LIGHT = {
  activation: "#df8513",
  variable: "#345ed2",
  constant: "#1b9083",
  gradient: "#a458a6",
  workspace: "#a0afcd",
  output: "#fbc723",
  cache: "#60b2f5",
  trace: "#537a27",
  dataset: "#cb2e61",
  host: "#5d4128",
  foreign: "#decbc1",
};
const DARK = {
  activation: "#e59a5f",
  variable: "#7892fe",
  constant: "#24d3b2",
  gradient: "#9056ab",
  workspace: "#8f97b7",
  output: "#ffca57",
  cache: "#c3d6fa",
  trace: "#538218",
  dataset: "#fa6980",
  host: "#7d4e3e",
  foreign: "#4f4e69",
};
const GROUP_ORDER = ["variable", "activation", "constant", "gradient", "output", "cache", "dataset", "trace", "host"];
const CANVAS = {
  light: { ink: "#1a2230", muted: "#66707f", grid: "#e7eaef", surface: "#ffffff", accent: "#2450c8", rest: "#b9c1cc" },
  dark: { ink: "#e8edf4", muted: "#93a0b0", grid: "#27303b", surface: "#151b23", accent: "#8fabff", rest: "#56616e" },
};

export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

export function canvasColours() {
  return isDark() ? CANVAS.dark : CANVAS.light;
}

export function tagColour(tag) {
  return (isDark() ? DARK : LIGHT)[tag] ?? canvasColours().rest;
}

export function groupColour(rank) {
  return rank < GROUP_ORDER.length ? tagColour(GROUP_ORDER[rank]) : canvasColours().rest;
}

export function parseColour(text) {
  return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
}

// Black or white, whichever reads better on a colour.
export function inkOn(colour) {
  const [red, green, blue] = parseColour(colour).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.2 ? "#10151c" : "#ffffff";
}

// The switch: what the system says, light, dark.
export function startTheme(button, changed) {
  const remembered = () => {
    try {
      return localStorage.getItem("penstock-theme") ?? "";
    } catch {
      return ""; // a page from a file may have no storage
    }
  };
  const apply = (theme) => {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    button.setAttribute("aria-pressed", isDark());
    button.title = isDark() ? "Switch to the light theme" : "Switch to the dark theme";
  };
  apply(remembered());
  button.addEventListener("click", () => {
    const theme = isDark() ? "light" : "dark";
    apply(theme);
    try {
      localStorage.setItem("penstock-theme", theme);
    } catch {
      // then it holds for this visit
    }
    changed();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    apply(document.documentElement.dataset.theme ?? "");
    changed();
  });
}
