// The rows of a result as columns, as `render/interactive.py` packs them.

import type { Value } from "./values.ts";

/** Which rows: what their columns hold, one of several values in a list; null for anything. */
export type Where = Record<string, Value | Value[]>;

interface Values {
  same?: Value;
  known?: Value[];
  places?: number[];
  steps?: number[];
  values?: Value[];
}

interface Packed extends Values {
  name: string;
  doc: string;
  unit: string | null;
}

/** The names and numbers that lead to a value in a file. */
type Place = (string | number)[];

/** Files of rows: JSON texts of what all share, of the places in each, and each row's file. */
export interface Files {
  shared: [Place, string][];
  columns: (Values & { at: Place[] })[];
  of: Values;
  count: number;
}

export interface Command {
  words: string;
  /** By column: by its value, what is added to the words. */
  options: Record<string, Record<string, string>>;
  note: string;
  /** The column with the text of a file that the command reads; empty without one. */
  file: string;
}

/** One side of a heat map, in tiles. */
export interface Side {
  title: string;
  count: number;
  /** Where words stand, in tiles from the beginning, and the words. */
  ticks: [number, string][];
}

export interface Panel {
  title: string;
  /** The tile's name in the rows, x, y, how many cells it has, and a value for each name. */
  tiles: [string, number, number, number, number[]][];
}

export interface HeatMaps {
  title: string;
  x: Side;
  y: Side;
  names: string[];
  panels: Panel[];
  /** The column with the tile of a row. */
  column: string;
  by: string;
  measure: string;
  /** How far above the minimum others are as good, as a share of it. */
  margin: number;
}

export interface ChartAsked {
  title: string;
  x: string[];
  y: string[];
  by: string;
  where: Where;
  baseline: string;
}

/** Bins, each as a step from the one before, and values; null: there is nothing from then on. */
export type PackedLine = [number[], (number | null)[]];

/** Flows of one size over time. */
export interface OverTime {
  label: string;
  bin_s: number;
  rtt_s: number | null;
  flows: {
    startup: string;
    flow: number;
    bdp_pkts: number;
    /** When the receiver had all of it; null where it never had. */
    done_s: number | null;
    end_s: number;
    /** When, with how many packets of cwnd, and why. */
    exit: [number, number, string] | null;
    lines: Record<"cwnd" | "queue" | "sent" | "acked" | "delivered" | "pacing" | "limit", PackedLine>;
    /** With how many there were. */
    events: Record<"drop" | "retransmit", [...PackedLine, number]>;
  }[];
}

export interface Document {
  count: number;
  total: number;
  left_out: string;
  columns: Packed[];
  command: Command | null;
  charts: ChartAsked[];
  file: Files | null;
  heat: HeatMaps | null;
  over_time: OverTime[];
}

export interface Column {
  name: string;
  doc: string;
  unit: string | null;
  values: readonly Value[];
  /** Whether all values that there are are numbers. */
  isNumber: boolean;
  /** Its different values where these are few, in their order; else null. */
  known: readonly Value[] | null;
}

const FEW = 64;

export class Rows {
  readonly columns: Column[];
  readonly count: number;
  private readonly byName: Map<string, Column>;

  constructor(readonly document: Document) {
    this.count = document.count;
    this.columns = document.columns.map((packed) => unpacked(packed, document.count));
    this.byName = new Map(this.columns.map((column) => [column.name, column]));
  }

  column(name: string): Column | undefined {
    return this.byName.get(name);
  }

  /** What a row has in a column; null too where there is no such column. */
  value(name: string, row: number): Value {
    return this.byName.get(name)?.values[row] ?? null;
  }

  /** The rows that are meant, by their number. */
  where(where: Where): number[] {
    const asked = Object.entries(where)
      .filter(([, wanted]) => wanted !== null)
      .map(([name, wanted]) => ({
        values: this.byName.get(name)?.values,
        wanted: new Set(Array.isArray(wanted) ? wanted : [wanted]),
      }));
    const found: number[] = [];
    for (let row = 0; row < this.count; row++) {
      if (asked.every(({ values, wanted }) => wanted.has(values?.[row] ?? null))) found.push(row);
    }
    return found;
  }

  /** The command that runs a row again; null where there is none. */
  command(row: number): string | null {
    const { command } = this.document;
    if (!command) return null;
    const options = Object.entries(command.options).map(
      ([name, words]) => words[String(this.value(name, row))],
    );
    return [command.words, ...options.filter((word) => word !== undefined)].join(" ");
  }
}

/** The file of a row, as a document. */
export function fileOf(files: Files, row: number, rows: number): unknown {
  const file = Number(values(files.of, rows)[row] ?? 0);
  const root: Record<string, unknown> = {};
  const set = (place: Place, text: string) => put(root, place, JSON.parse(text));
  for (const [place, text] of files.shared) set(place, text);
  for (const column of files.columns) {
    const text = values(column, files.count)[file];
    if (typeof text === "string") for (const place of column.at) set(place, text);
  }
  return root;
}

/** Puts a value into a document, with all that is to stand around it. */
function put(root: Record<string, unknown>, place: Place, value: unknown): void {
  let around: Record<string | number, unknown> = root;
  place.forEach((name, at) => {
    if (at === place.length - 1) around[name] = value;
    else around = (around[name] ??= typeof place[at + 1] === "number" ? [] : {}) as typeof around;
  });
}

/** The values of a packed column. */
export function values(packed: Values, count: number): Value[] {
  if (packed.values) return packed.values;
  if (packed.known && packed.places) {
    const { known, places } = packed;
    return places.map((place) => known[place] ?? null);
  }
  if (packed.steps) {
    let sum = 0;
    return packed.steps.map((step) => (sum += step));
  }
  return new Array<Value>(count).fill(packed.same ?? null);
}

function unpacked(packed: Packed, count: number): Column {
  const all = values(packed, count);
  const isNumber = all.every((value) => value === null || typeof value === "number");
  const { name, doc, unit } = packed;
  const different = packed.known ?? (packed.values || packed.steps ? [...new Set(all)] : [packed.same ?? null]);
  return { name, doc, unit, values: all, isNumber, known: different.length <= FEW ? different : null };
}
