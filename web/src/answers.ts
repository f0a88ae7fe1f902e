// What map, captures and papers are answered. `python/flowstart/explorer` says the same from the
// other side, in `maps.py`, `swept.py`, `captures.py`, `papers.py` and `jobs.py`.

import type { Given, Grid } from "./protocol.ts";

/** An axis of the map: round values along it, as shares of its length. */
export interface Scale {
  title: string;
  ticks: { at: number; label: string }[];
}

/** What the startups came to at one rate and round trip, in the order of `startups`. */
export interface MapCell {
  /** Counted in the grid of its level, from the lowest rate and round trip. */
  x: number;
  y: number;
  rate: string;
  rtt: string;
  /** Mean completion times; null where a transfer was not completed. */
  fct_s: (number | null)[];
  /** Times over the minimum of the cell. */
  regret: (number | null)[];
  /** Against the baseline: -0.1 is 10 % faster. */
  change: (number | null)[];
  winner: number | null;
  /** Those within the margin of the winner, itself among them. */
  within: number[];
}

/** The cells that a level has and the ones before it have not. */
export interface MapLevel {
  level: number;
  levels: number;
  columns: number;
  rows: number;
  startups: string[];
  baseline: string;
  margin: number;
  size: string;
  x: Scale;
  y: Scale;
  cells: MapCell[];
}

export interface FolderAxis extends Scale {
  name: string;
  /** How many tiles it has; `at` of its ticks counts tiles. */
  count: number;
}

export interface FolderTile {
  x: number;
  y: number;
  cells: number;
  winner: number;
  within: number[];
  /** Geometric mean regrets. */
  means: number[];
}

export interface FolderPanel {
  column: number;
  row: number;
  title: string;
  tiles: FolderTile[];
}

/** The map of a sweep's folder. */
export interface FolderMap {
  headline: string;
  startups: string[];
  baseline: string;
  margin: number;
  /** What an axis may be. */
  axes: string[];
  x: FolderAxis;
  y: FolderAxis;
  panels: FolderPanel[];
  table: Grid;
  notes: string[];
}

export interface TileCells {
  startups: string[];
  total: number;
  cells: {
    cell: number;
    words: string;
    fct_s: (number | null)[];
    regret: (number | null)[];
    winner: number;
  }[];
}

/** What opens a cell of a sweep; `given` is null where no state can, and `why` is the reason. */
export interface OpenedCell {
  cell: number;
  given: Given | null;
  command: string | null;
  why: string | null;
}

/** Work next to the server; `found` is null for a page that has seen this version of it. */
export interface Job<Found> {
  id: string;
  phase: string;
  done: number;
  total: number | null;
  state: "running" | "done" | "failed" | "cancelled";
  error: string | null;
  version: number;
  found: Found | null;
}

export interface CaptureFile {
  id: string;
  name: string;
}

export interface CaptureContents {
  headline: string;
  tables: Grid[];
  warnings: string[];
  notes: string[];
}

export interface Network {
  name: string;
  path: Record<string, string>;
  rates_bps: [number, number];
  /** Fields of the path that are neither given nor estimated from its own packets. */
  assumed: string[];
  rate_method: string;
  buffer_method: string;
  transfers: number;
  /** What assumed buffers were also taken for. */
  bands: { name: string; buffer: string; reverse_buffer: string }[];
}

/** A change of completion times against the baseline, as a share, with the ends of its interval. */
export interface Interval {
  size_class: string;
  variant: string;
  statistic: string;
  estimate: number | null;
  low: number | null;
  high: number | null;
  /** Whether there is enough to state an interval; if not, the reason. */
  enough: boolean;
  reason: string | null;
}

export interface CaptureReplay {
  headline: string;
  variants: string[];
  baseline: string;
  changes: Grid | null;
  times: Grid;
  legend: string;
  verdict: string[];
  intervals: Interval[];
  classes: { size_class: string; transfers: number }[];
  networks: Network[];
  sources: string;
  further: Grid[];
  deployment: string[][];
  limits: string[];
  warnings: string[];
  failures: string[];
  command: string;
}

export interface CaptureFound {
  contents?: CaptureContents;
  replay?: CaptureReplay;
}

export interface TransferRow {
  transfer: number;
  connection: number;
  network: string;
  size_bytes: number;
  fct_s: (number | null)[];
}

export interface Transfers {
  total: number;
  first: number;
  variants: string[];
  transfers: TransferRow[];
}

export interface OpenedTransfer {
  transfer: number;
  connection: number;
  network: string;
  size_bytes: number;
  start_s: number;
  variants: string[];
  together_s: (number | null)[];
  alone_s: (number | null)[];
  given: Given;
  /** How the view that opens differs from the replay. */
  words: string;
}

export interface Published {
  id: string;
  figure: string;
  what: string;
  unit: string;
  expected: string;
  tolerance: string;
  class: string;
}

export interface Figure {
  id: string;
  figure: string;
  question: string;
  quick: boolean;
  published: Published[];
}

export interface Paper {
  name: string;
  title: string;
  source: string;
  figures: Figure[];
  assumptions: Grid;
}

export interface Setup {
  words: string;
  startups: string[];
  given: Given | null;
  /** Until when what opens is the same, in seconds; null where it is to its end. */
  until_s: number | null;
  /** What differs at the end where it opens. */
  note: string | null;
  /** Why it does not open. */
  why: string | null;
  /** A scenario's file with the same content. */
  scenario: string;
}

export interface Measured {
  id: string;
  answers: string[];
  readings: string | null;
  targets: Grid | null;
  misses: Grid;
  tables: (Grid & { total: number })[];
  pictures: { name: string; caption: string; svg: string }[];
  seconds: number;
  command: string;
  setups: Setup[];
  total_setups: number;
}
