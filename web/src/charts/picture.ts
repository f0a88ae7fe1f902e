// An answer of `/api/compare` as lines in memory.

import { points, type CompareAnswer, type Exit, type Line, type Trajectory } from "../protocol.ts";
import { deliveryRate } from "./delivery.ts";
import type { Steps } from "./steps.ts";

export type LineName = Exclude<keyof Trajectory["lines"], "delivered"> | "delivery";
export type EventName = keyof Trajectory["events"];

export interface Trace {
  startup: string;
  flow: number;
  bdp_pkts: number;
  /** When the receiver had all of it; null where it never had. */
  done_s: number | null;
  /** When all was acknowledged, or nothing happened any more. */
  end_s: number;
  exit: Exit | null;
  lines: Record<LineName, Steps>;
  events: Record<EventName, Steps & { total: number }>;
}

export interface Picture {
  /** The first second and the last that are shown. */
  from_s: number;
  to_s: number;
  /** Where all of the time ends. */
  whole_s: number;
  /** Bin 0 of all lines begins at `origin_s`. */
  origin_s: number;
  bin_s: number;
  traces: Trace[];
}

/** The lines of an answer, of which `span` is looked at, or all of the time. */
export function picture(
  head: CompareAnswer,
  tail: DataView,
  span: { from_s: number; to_s: number } | null,
): Picture {
  const rtt_s = shortest(head.rows);
  const rate = (delivered: Steps): Steps =>
    deliveryRate(delivered, rtt_s / head.bin_s, head.bin_s, head.from_s > 0);
  const traces = head.trajectories.map((one) => trace(one, tail, rate));
  const whole_s = Math.max(wholeOf(traces, rtt_s), head.from_s + head.bin_s);
  return {
    ...(span ?? { from_s: head.from_s, to_s: whole_s }),
    whole_s,
    origin_s: head.from_s,
    bin_s: head.bin_s,
    traces,
  };
}

/**
 * When all flows were complete and a round trip had passed. A receiver may keep the last
 * acknowledgement back for longer, and of that nothing would be seen but an empty stretch.
 */
export function wholeOf(traces: readonly Trace[], rtt_s: number): number {
  const after = Number.isNaN(rtt_s) ? Infinity : rtt_s;
  return Math.max(0, ...traces.map((one) => Math.min(one.end_s, (one.done_s ?? Infinity) + after)));
}

/** The path's round trip without queues; not a number where no row has it. */
function shortest(rows: readonly Record<string, unknown>[]): number {
  const found = rows.map((row) => row["min_rtt_s"]).filter((one) => typeof one === "number");
  return found.length ? Math.min(...found) : NaN;
}

/** The number of the bin, with a fraction, at a time. */
export function binAt(shown: Picture, at_s: number): number {
  return (at_s - shown.origin_s) / shown.bin_s;
}

function trace(one: Trajectory, tail: DataView, rate: (delivered: Steps) => Steps): Trace {
  const { startup, flow, bdp_pkts, done_s, end_s, exit } = one;
  const steps = (line: Line): Steps => points(line, tail);
  const { delivered, ...read } = mapped(one.lines, steps);
  const lines = { ...read, delivery: rate(delivered) };
  const events = mapped(one.events, (line) => ({ ...points(line, tail), total: line.total }));
  return { startup, flow, bdp_pkts, done_s, end_s, exit, lines, events };
}

function mapped<K extends string, V, R>(all: Record<K, V>, one: (value: V) => R): Record<K, R> {
  const pairs = (Object.entries(all) as [K, V][]).map(([key, value]) => [key, one(value)]);
  return Object.fromEntries(pairs) as Record<K, R>;
}
