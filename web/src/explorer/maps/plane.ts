// The map's cells, level after level, and how they look under a measure.

import type { MapCell, MapLevel, Scale } from "../../answers.ts";
import { abbreviated } from "../../charts/abbreviated.ts";
import type { Axis, Cell, Drawing } from "../../charts/heatmap.ts";
import { amount, change as changed } from "../../charts/scale.ts";
import { leading } from "../../charts/ties.ts";
import { seconds } from "../../ui/text.ts";

export const MEASURES = ["winner", "regret", "change"] as const;
export type Measure = (typeof MEASURES)[number];

/** A regret of so many is as dark as can be. */
const DARKEST = 4;
/** Twice as long, or half as long, has the last colour of changes. */
const FARTHEST = 2;

/** What is shown of which startup, and the colours of all. */
export interface Showing {
  measure: Measure;
  /** A place among the startups; of no meaning for winners. */
  of: number;
  colours: readonly string[];
}

/** The known part of a plane: the cells of the levels so far, in the grid of the last. */
export interface Plane {
  level: MapLevel;
  cells: MapCell[];
}

/** A plane with another level's cells: the first level, or the one after the plane's. */
export function refined(plane: Plane | null, level: MapLevel): Plane {
  if (!plane || level.level === 0) return { level, cells: level.cells };
  const kept = plane.cells.map((cell) => ({ ...cell, x: 2 * cell.x, y: 2 * cell.y }));
  return { level, cells: [...kept, ...level.cells] };
}

/** The plane as the heat map draws it. */
export function drawing(plane: Plane, showing: Showing): Drawing {
  const { level, cells } = plane;
  const marks = abbreviated(level.startups);
  const leaders = leading(cells);
  return {
    label: title(level, showing),
    x: axis(level.x, level.columns),
    y: axis(level.y, level.rows),
    cells: cells.map((cell) => ({
      x: cell.x,
      y: cell.y,
      ...look(cell, showing, marks, leaders),
      words: words(cell, level, showing.measure),
    })),
  };
}

/** What the map shows, in a line. */
export function title({ startups, baseline, size }: MapLevel, { measure, of }: Showing): string {
  const name = startups[of] ?? "";
  if (measure === "winner") return `Startup that completes ${size} first`;
  if (measure === "regret") return `Regret of ${name} with ${size}`;
  return `Completion time of ${name} against ${baseline} with ${size}`;
}

type Looks = Pick<Cell, "fill" | "mark" | "hatch">;
const NOTHING: Looks = { fill: "#9a9a9a", mark: "×", hatch: 5 };

/** Winners in their colour: where several tie, the one of them that is so in most cells. */
export function winner(
  within: readonly number[],
  showing: Showing,
  marks: readonly string[],
  leaders: readonly number[],
): Looks {
  const shown = leaders.find((at) => within.includes(at));
  if (shown === undefined) return NOTHING;
  const fill = showing.colours[shown] ?? NOTHING.fill;
  const tie = within.length > 1 ? "≈" : "";
  return { fill, mark: tie + (marks[shown] ?? ""), hatch: shown % 7 };
}

/** An amount that is 1 at best. */
export function regretLook(regret: number | null | undefined): Looks {
  if (regret == null) return NOTHING;
  return { fill: amount(Math.log(regret) / Math.log(DARKEST)), mark: factor(regret), hatch: 0 };
}

/** A change: -0.5 is half as long. */
export function changeLook(change: number | null | undefined): Looks {
  if (change == null) return NOTHING;
  const far = Math.log(1 + change) / Math.log(FARTHEST);
  return { fill: changed(Math.min(1, Math.max(-1, far))), mark: brief(change), hatch: change > 0.0005 ? 1 : 0 };
}

function look(cell: MapCell, showing: Showing, marks: readonly string[], leaders: readonly number[]): Looks {
  if (showing.measure === "winner") return winner(cell.within, showing, marks, leaders);
  if (showing.measure === "regret") return regretLook(cell.regret[showing.of]);
  return changeLook(cell.change[showing.of]);
}

function words(cell: MapCell, level: MapLevel, measure: Measure): string[] {
  const order = level.startups
    .map((_, at) => at)
    .sort((a, b) => (cell.fct_s[a] ?? Infinity) - (cell.fct_s[b] ?? Infinity));
  const lines = order.map((at) => {
    const [time, regret, change] = [cell.fct_s[at], cell.regret[at], cell.change[at]];
    if (time == null || regret == null) return `${level.startups[at]}: not completed`;
    const against = change == null ? "" : `, ${percent(change)}`;
    const beside = measure === "change" ? against : at === cell.winner ? ", the first" : `, regret ${factor(regret)}`;
    return `${level.startups[at]}: ${seconds(time)}${beside}`;
  });
  return [`${cell.rate} × ${cell.rtt}`, ...lines];
}

/** Cells stand around their values, so the first and the last value are half a cell inside. */
function axis(scale: Scale, count: number): Axis {
  const ticks = scale.ticks.map(({ at, label }) => ({ at: at * (count - 1) + 0.5, label }));
  return { title: scale.title, count, ticks };
}

/** A factor: `1.94`, `26.3`. */
export function factor(value: number): string {
  return value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : value.toFixed(0);
}

/** A change as a cell has room for it: in percent, or as a factor where it is large. */
function brief(change: number): string {
  return change < 10 ? percent(change).replace(" %", "") : `×${Math.round(1 + change)}`;
}

/** A change: `+12 %`, `−5 %`. */
export function percent(change: number): string {
  const rounded = Math.round(100 * change);
  return `${rounded > 0 ? "+" : rounded < 0 ? "−" : ""}${Math.abs(rounded)} %`;
}
