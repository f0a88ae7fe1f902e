// What limited flows over time: reasons, how they look, and for how long each held.

import { binAt, type Picture, type Trace } from "./picture.ts";

export interface Reason {
  name: string;
  colour: string;
  /** A path in a square of `TILE` that repeats: the second cue next to the colour. */
  hatch: string;
}

/** In the order of `Limit` in `crates/transport`, whose places are the values of the line. */
export const REASONS: readonly Reason[] = [
  { name: "handshake", colour: "#bbbbbb", hatch: "M2 4h1M6 0h1M6 8h1" },
  { name: "application", colour: "#f0e442", hatch: "M4 1v6M1 4h6" },
  { name: "send-buffer", colour: "#cc79a7", hatch: "M0 0L8 8M8 0L0 8" },
  { name: "stream-flow-control", colour: "#d55e00", hatch: "M0 8L8 0" },
  { name: "connection-flow-control", colour: "#d55e00", hatch: "M0 4h8" },
  { name: "receive-window", colour: "#d55e00", hatch: "M0 0L8 8" },
  { name: "cwnd", colour: "#0072b2", hatch: "" },
  { name: "pacing", colour: "#56b4e9", hatch: "M4 0v8" },
  { name: "link", colour: "#ffffff", hatch: "" },
];
export const TILE = 8;

/** A reason in words: `receive window`. */
export function reasonText(place: number): string {
  return (REASONS[place]?.name ?? "").replaceAll("-", " ");
}

export interface Stretch {
  /** Bins. */
  begin: number;
  end: number;
  /** The reason's place. */
  reason: number;
}

/** The stretches of a flow in which one reason held, until it was complete or the picture ends. */
export function stretches(shown: Picture, trace: Trace): Stretch[] {
  const { bins, values } = trace.lines.limit;
  const last = binAt(shown, Math.min(trace.end_s, shown.to_s));
  const found: Stretch[] = [];
  for (let at = 0; at < bins.length; at += 1) {
    const [begin, reason] = [bins[at] as number, values[at] as number];
    const end = Math.min(bins[at + 1] ?? last, last);
    if (end > begin && !Number.isNaN(reason)) found.push({ begin, end, reason });
  }
  return found;
}

/** Reasons with their shares of the time that is shown, the largest first. */
export function shares(shown: Picture, trace: Trace): { reason: number; share: number }[] {
  const times = new Map<number, number>();
  let whole = 0;
  for (const { begin, end, reason } of stretches(shown, trace)) {
    times.set(reason, (times.get(reason) ?? 0) + end - begin);
    whole += end - begin;
  }
  const found = [...times].map(([reason, time]) => ({ reason, share: time / whole }));
  return found.sort((one, other) => other.share - one.share);
}

/** The reasons that occur in a picture, in their order. */
export function occurring(shown: Picture): number[] {
  const found = new Set(shown.traces.flatMap((trace) => stretches(shown, trace).map((one) => one.reason)));
  return [...found].sort((one, other) => one - other);
}
