// Rows in few numbers along a column: for each name and each place on the axis one number.

import type { Rows, Where } from "../tables/columns.ts";

export type Statistic = "mean" | "median" | "p95";
export const STATISTICS: Statistic[] = ["mean", "median", "p95"];

/** More values than these are not a place each, but classes of equal ratio. */
const MOST_PLACES = 40;
const CLASSES = 24;

export interface Grouped {
  /** Where the places stand on the axis, rising. */
  x: number[];
  /** The values of the column that are at each place. */
  members: number[][];
  /** By name: a number for each place, null where there is no row. */
  lines: Map<string, (number | null)[]>;
  /** By name: how many rows there are at each place. */
  counts: Map<string, number[]>;
}

export function grouped(rows: Rows, where: Where, by: string, x: string, y: string, statistic: Statistic): Grouped {
  const found = rows.where(where).filter((row) => typeof rows.value(x, row) === "number");
  const places = placed(found.map((row) => rows.value(x, row) as number));
  const at = new Map(places.flatMap((members, place) => members.map((value) => [value, place])));
  const values = new Map<string, number[][]>();
  for (const row of found) {
    const name = String(rows.value(by, row));
    const value = rows.value(y, row);
    let line = values.get(name);
    if (!line) values.set(name, (line = places.map(() => [])));
    if (typeof value === "number") line[at.get(rows.value(x, row) as number) ?? 0]?.push(value);
  }
  const lines = [...values].map(([name, line]): [string, (number | null)[]] => [name, line.map((all) => summary(all, statistic))]);
  const counts = [...values].map(([name, line]): [string, number[]] => [name, line.map((all) => all.length)]);
  return { x: places.map(middle), members: places, lines: new Map(lines), counts: new Map(counts) };
}

/** Different values, or classes of them of equal ratio (of equal width where not all are above 0). */
export function placed(values: readonly number[]): number[][] {
  const own = [...new Set(values)].sort((a, b) => a - b);
  if (own.length <= MOST_PLACES) return own.map((value) => [value]);
  const isLog = (own[0] ?? 0) > 0;
  const scale = isLog ? Math.log : (value: number) => value;
  const [low, high] = [scale(own[0] ?? 0), scale(own.at(-1) ?? 0)];
  const classes: number[][] = Array.from({ length: CLASSES }, () => []);
  for (const value of own) {
    const at = Math.floor(((scale(value) - low) / (high - low)) * CLASSES);
    classes[Math.min(CLASSES - 1, at)]?.push(value);
  }
  return classes.filter((one) => one.length);
}

function middle(members: readonly number[]): number {
  return summary(members, "median") ?? 0;
}

/** A number for all values, interpolated where it is between two; null without any. */
export function summary(values: readonly number[], statistic: Statistic): number | null {
  if (!values.length) return null;
  if (statistic === "mean") return values.reduce((sum, value) => sum + value, 0) / values.length;
  const sorted = [...values].sort((a, b) => a - b);
  const at = (statistic === "median" ? 0.5 : 0.95) * (sorted.length - 1);
  const below = sorted[Math.floor(at)] ?? 0;
  const above = sorted[Math.ceil(at)] ?? 0;
  return below + (at - Math.floor(at)) * (above - below);
}
