// How startups look: the same startup has the same colour, dash and marker in every panel, table
// and report. The places are those of `render/charts.py`; the colours have its hues and differ in
// lightness, and each has at least 3:1 against the page in its theme.

export type Marker = "circle" | "square" | "diamond" | "plus" | "cross" | "left" | "right";

export interface Look {
  colour: string;
  /** Lengths of strokes and gaps in CSS pixels; empty for a whole line. */
  dash: number[];
  marker: Marker;
  /** CSS pixels; lines that coincide show below each other. */
  width: number;
}

export const LIGHT = ["#111111", "#c27800", "#005a9c", "#00916a", "#b03a00", "#a8508c", "#3d94d1"];
export const DARK = ["#ffffff", "#f0b33a", "#5aa9e6", "#2fc79a", "#f0733c", "#e79ac8", "#9bd4f5"];
export const PAGE = { light: "#ffffff", dark: "#15181d" };

const DASHES = [[], [7, 3], [2, 2.5], [8, 3, 2, 3], [12, 4], [4, 2, 1.5, 2, 1.5, 2]];
const MARKERS: Marker[] = ["circle", "square", "diamond", "plus", "cross", "left", "right"];
const FIXED = ["slow-start", "limited-slow-start", "hystart", "hystart-plus-plus", "jump-start"];

/** Looks by startup; the default ones always look the same, others take what is left. */
export function looks(names: readonly string[], dark: boolean): Map<string, Look> {
  const taken = new Set(names.map((name) => FIXED.indexOf(name)));
  const free = [...Array(FIXED.length + names.length).keys()].filter((at) => !taken.has(at));
  const found = new Map<string, Look>();
  for (const name of names) {
    const fixed = FIXED.indexOf(name);
    found.set(name, look(fixed >= 0 ? fixed : (free.shift() ?? 0), dark));
  }
  return found;
}

function look(place: number, dark: boolean): Look {
  const colours = dark ? DARK : LIGHT;
  return {
    colour: of(colours, place),
    dash: of(DASHES, place),
    marker: of(MARKERS, place),
    width: Math.max(1.2, 2.4 - 0.25 * place),
  };
}

function of<T>(values: readonly T[], place: number): T {
  return values[place % values.length] as T;
}

/** Relative luminance of a colour (`#rrggbb`), 0 to 1. */
export function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export interface Ink {
  page: string;
  text: string;
  grid: string;
}

/** What is no startup's: words, axes and grid. */
export function ink(dark: boolean): Ink {
  return dark
    ? { page: PAGE.dark, text: "#c3cad4", grid: "#2b313a" }
    : { page: PAGE.light, text: "#424a55", grid: "#e6e9ee" };
}
