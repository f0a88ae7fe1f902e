// Changes with their intervals, a row for each: a dot, and a whisker from end to end. Whole dots are
// sure; hollow ones may be no change, so that nothing hangs on a colour.

import { el } from "../ui/dom.ts";
import { swatch } from "../ui/swatch.ts";
import { ABSENT } from "../ui/text.ts";
import type { Look } from "./colours.ts";
import "./whiskers.css";

/** A change as a share: −0.1 is a tenth less. */
export interface Whisker {
  group: string;
  name: string;
  estimate: number | null;
  /** The ends of its interval; null where there is none, or no such end. */
  low: number | null;
  high: number | null;
  /** Why there is no interval; empty where there is one. */
  reason: string;
}

const SVG = "http://www.w3.org/2000/svg";
/** How many times as long the axis may reach to the right, and as short to the left; its ticks. */
const REACHES: readonly (readonly [number, readonly number[]])[] = [
  [1.25, [-0.2, -0.1, 0, 0.1, 0.25]],
  [1.5, [-0.33, -0.2, 0, 0.2, 0.5]],
  [2, [-0.5, -0.3, 0, 0.4, 1]],
  [4, [-0.75, -0.5, 0, 1, 3]],
  [8, [-0.87, -0.6, 0, 2, 7]],
];
const HIGH = 18;
/** The reason for no interval that is none of too few transfers. */
const SAME = "no transfer differs";

/** The table of these changes, the rows of a group together. */
export function whiskers(title: string, all: readonly Whisker[], looks: ReadonlyMap<string, Look>): HTMLElement {
  const reach = reachOf(all);
  const head = el("tr", {}, el("th", { scope: "col" }, "variant"), el("th", { scope: "col" }, axis(reach)), el("th", { scope: "col", class: "number" }, "change"));
  const body = el("tbody");
  let above = "";
  for (const one of all) {
    if (one.group !== above) body.append(el("tr", { class: "group" }, el("th", { colspan: 3, scope: "colgroup" }, (above = one.group))));
    const look = looks.get(one.name);
    const name = el("th", { scope: "row" }, look ? swatch(look) : null, one.name);
    body.append(el("tr", {}, name, el("td", {}, drawn(one, look, reach)), el("td", { class: "number", title: one.reason || undefined }, words(one))));
  }
  const table = el("table", { class: "whiskers" }, el("caption", { class: "unseen" }, title), el("thead", {}, head), body);
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, table);
}

/** How far the axis reaches: over all estimates, and over whiskers as far as there is room. */
export function reachOf(all: readonly Whisker[]): number {
  const far = all.map(({ estimate }) => ratio(estimate ?? 0));
  const wide = all.flatMap(({ low, high }) => [low, high]).map((end) => Math.min(2, ratio(end ?? 0)));
  const most = Math.max(1, ...far, ...wide);
  return REACHES.map(([reach]) => reach).find((reach) => reach >= most) ?? 8;
}

/** How many times as long or as short. */
function ratio(change: number): number {
  const times = 1 + change;
  return times > 0 ? Math.max(times, 1 / times) : Infinity;
}

/** The position of a change on the axis, 0 to 1, in equal ratios: no change in the middle. */
export function placeOf(change: number, reach: number): number {
  const times = Math.max(1 + change, 1e-9);
  return Math.min(1, Math.max(0, 0.5 + Math.log(times) / Math.log(reach) / 2));
}

/** Whether the interval leaves no change out. */
export function isSure({ low, high }: Whisker): boolean {
  return (low !== null && low > 0) || (high !== null && high < 0);
}

/** `−19.9 %, from −45.5 % to +9.4 %`; without the reason where there is no interval. */
export function words(one: Whisker): string {
  if (one.estimate === null) return ABSENT;
  if (one.low === null && one.high === null) return `${percent(one.estimate)} (${one.reason === SAME ? "the same" : "sample too small"})`;
  const ends = [one.low, one.high].map((end) => (end === null ? "∞" : percent(end)));
  return `${percent(one.estimate)}, from ${ends[0]} to ${ends[1]}`;
}

function percent(change: number): string {
  const rounded = (100 * change).toFixed(1);
  if (Number(rounded) === 0) return "0 %";
  return `${change > 0 ? "+" : ""}${rounded} %`.replace("-", "−");
}

function axis(reach: number): SVGSVGElement {
  const picture = svg();
  const ticks = REACHES.find(([one]) => one === reach)?.[1] ?? [0];
  for (const [at, change] of ticks.entries()) {
    const anchor = at === 0 ? "start" : at === ticks.length - 1 ? "end" : "middle";
    const text = made("text", { x: share(placeOf(change, reach)), y: 13, "text-anchor": anchor, class: at % 2 ? "between" : "" });
    text.textContent = change === 0 ? "same" : percent(change).replace(".0", "");
    picture.append(text);
  }
  return picture;
}

function drawn(one: Whisker, look: Look | undefined, reach: number): SVGSVGElement {
  const picture = svg();
  const stroke = look?.colour ?? "currentColor";
  const middle = HIGH / 2;
  picture.append(made("line", { x1: "50%", x2: "50%", y1: 0, y2: HIGH, class: "none" }));
  if (one.low !== null || one.high !== null) {
    const places = [one.low ?? -1, one.high ?? Infinity].map((end) => placeOf(end, reach));
    const [from = 0, to = 1] = places;
    picture.append(made("line", { x1: share(from), x2: share(to), y1: middle, y2: middle, stroke, "stroke-width": 2 }));
    picture.append(...places.map((place) => ending(place, middle, stroke)));
  }
  if (one.estimate !== null) {
    const fill = isSure(one) ? stroke : "var(--page)";
    picture.append(made("circle", { cx: share(placeOf(one.estimate, reach)), cy: middle, r: 4.5, fill, stroke, "stroke-width": 2 }));
  }
  return picture;
}

/** The end of a whisker; an arrow's head where it continues beyond the axis. */
function ending(place: number, middle: number, stroke: string): SVGElement {
  const x = share(place);
  if (place > 0 && place < 1) return made("line", { x1: x, x2: x, y1: middle - 4, y2: middle + 4, stroke, "stroke-width": 2 });
  const text = made("text", { x, y: middle + 5, class: "beyond" });
  text.textContent = place > 0 ? "›" : "‹";
  return text;
}

function share(place: number): string {
  return `${(100 * place).toFixed(2)}%`;
}

function svg(): SVGSVGElement {
  return made("svg", { width: "100%", height: HIGH, "aria-hidden": "true" });
}

function made<K extends keyof SVGElementTagNameMap>(name: K, values: Record<string, string | number>): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(values)) element.setAttribute(key, String(value));
  return element;
}
