// What the panels show: window, queue, sequence and rates, in plain values that a canvas, an SVG
// and a sentence can be made of.

import { bytes, listed, packets, percent, rate, seconds } from "../ui/text.ts";
import { reasonText, shares } from "./limits.ts";
import { binAt, type EventName, type LineName, type Picture, type Trace } from "./picture.ts";
import { greatest, ticks, valueAt, type Steps } from "./steps.ts";

export type PanelName = "cwnd" | "queue" | "sequence" | "rate" | "limits";

export interface PanelKind {
  name: PanelName;
  title: string;
  /** What the lines are, where there are several of each startup. */
  key: string;
  lines: { name: LineName; faint: boolean }[];
  /** Whether it has a bar of reasons for each flow instead. */
  band: boolean;
  /** What is spoken where keys move the cursor in it. */
  spoken: LineName;
  events: EventName[];
  /** The line on whose height it is marked when a flow was complete. */
  complete: LineName | null;
  /** Whether BDP and exits are shown. */
  exits: boolean;
  text(value: number): string;
}

export const PANELS: readonly PanelKind[] = [
  {
    name: "cwnd",
    title: "Congestion window, packets",
    key: "numbers: exit of startup",
    lines: [{ name: "cwnd", faint: false }],
    band: false,
    spoken: "cwnd",
    events: [],
    complete: null,
    exits: true,
    text: packets,
  },
  {
    name: "queue",
    title: "Bottleneck queue, packets",
    key: "",
    lines: [{ name: "queue", faint: false }],
    band: false,
    spoken: "queue",
    events: [],
    complete: null,
    exits: false,
    text: packets,
  },
  {
    name: "sequence",
    title: "Sequence, bytes",
    key: "thin: sent, thick: acked, × dropped, △ retransmitted, ● complete",
    lines: [
      { name: "sent", faint: true },
      { name: "acked", faint: false },
    ],
    band: false,
    spoken: "acked",
    events: ["drop", "retransmit"],
    complete: "sent",
    exits: false,
    text: bytes,
  },
  {
    name: "rate",
    title: "Pacing and delivery rate",
    key: "thin: pacing, thick: acknowledged over one RTT",
    lines: [
      { name: "pacing", faint: true },
      { name: "delivery", faint: false },
    ],
    band: false,
    spoken: "delivery",
    events: [],
    complete: null,
    exits: false,
    text: rate,
  },
  {
    name: "limits",
    title: "Limited by",
    key: "",
    lines: [],
    band: true,
    spoken: "limit",
    events: [],
    complete: null,
    exits: false,
    text: reasonText,
  },
];

/** A bandwidth-delay product is drawn where windows come near it; further up it is only named. */
const NEAR = 4;

/** The greatest value that a panel has room for. */
export function top(kind: PanelKind, shown: Picture): number {
  if (kind.band) return Math.max(1, shown.traces.length);
  let most = 0;
  for (const trace of shown.traces) {
    for (const line of kind.lines) most = Math.max(most, height(kind, line.name, trace.lines[line.name]));
  }
  if (kind.exits) {
    const bdp = bdpOf(shown);
    if (bdp <= NEAR * most) most = Math.max(most, bdp);
  }
  return most > 0 ? most * 1.06 : 1;
}

/** The names of a panel's heights, about as many as `wanted`; a band has one for each flow, in so many letters. */
export function heights(kind: PanelKind, shown: Picture, most: number, wanted: number, letters: number): { at: number; text: string }[] {
  if (!kind.band) return ticks(0, most, wanted).map((at) => ({ at, text: kind.text(at) }));
  return shown.traces.map((trace, place) => ({ at: middle(shown, place), text: short(trace.startup, letters) }));
}

/** The height of the middle of a flow's row in a band: the first is on top. */
export function middle(shown: Picture, place: number): number {
  return shown.traces.length - place - 0.5;
}

function short(name: string, letters: number): string {
  return name.length > letters ? `${name.slice(0, letters - 1)}…` : name;
}

/** A pacing rate may be far above what any path carries for a moment; it need not fit. */
function height(kind: PanelKind, name: LineName, steps: Steps): number {
  if (kind.name !== "rate" || name !== "pacing") return greatest(steps);
  const sorted = steps.values.filter((value) => !Number.isNaN(value)).sort();
  return sorted[Math.floor(0.9 * (sorted.length - 1))] ?? 0;
}

/** The flows whose lines a panel shows: those of a startup share its queue. */
export function drawn(kind: PanelKind, shown: Picture): Trace[] {
  if (kind.name !== "queue") return shown.traces;
  return shown.traces.filter((one, at) => shown.traces[at - 1]?.startup !== one.startup);
}

/** The bandwidth-delay product, packets: all startups have the same path. */
export function bdpOf(shown: Picture): number {
  return shown.traces[0]?.bdp_pkts ?? 0;
}

export interface ExitMark {
  /** Counted from 1 in the order of the startups. */
  number: number;
  trace: Trace;
  at_s: number;
  cwnd_segments: number;
  reason: string;
}

/** The exits of all startups, numbered; those without one leave no gap. */
export function exits(shown: Picture): ExitMark[] {
  const found: ExitMark[] = [];
  for (const trace of shown.traces) {
    if (trace.exit) found.push({ number: found.length + 1, trace, ...trace.exit });
  }
  return found;
}

export interface Completion {
  trace: Trace;
  at_s: number;
  value: number;
}

/** When flows were complete, at the height of a panel's line then. */
export function completions(kind: PanelKind, shown: Picture): Completion[] {
  const { complete } = kind;
  if (!complete) return [];
  return shown.traces.flatMap((trace) => {
    const at_s = trace.done_s;
    const value = at_s === null ? null : valueAt(trace.lines[complete], binAt(shown, at_s));
    return at_s === null || value === null ? [] : [{ trace, at_s, value }];
  });
}

/** What a panel shows of one startup, as a sentence for readers that do not see it. */
export function sentence(kind: PanelKind, shown: Picture, trace: Trace): string {
  const parts = kind.lines
    .map((line) => extent(line.name, kind, shown, trace))
    .filter((part) => part !== null);
  if (kind.band) {
    parts.push(...shares(shown, trace).map(({ reason, share }) => `${reasonText(reason)} ${percent(share)}`));
  }
  if (kind.exits) {
    const { exit } = trace;
    parts.push(
      exit
        ? `left startup at ${seconds(exit.at_s)} with ${packets(exit.cwnd_segments)} packets: ${exit.reason}`
        : "did not leave startup",
    );
  }
  if (kind.complete) parts.push(trace.done_s === null ? "not complete" : `complete at ${seconds(trace.done_s)}`);
  for (const event of kind.events) {
    const { total } = trace.events[event];
    parts.push(`${total} ${event === "drop" ? "dropped" : "retransmitted"}`);
  }
  return `${trace.startup}: ${listed(parts)}.`;
}

function extent(name: LineName, kind: PanelKind, shown: Picture, trace: Trace): string | null {
  const steps = trace.lines[name];
  if (!steps.values.length) return null;
  let most = 0;
  let at = 0;
  for (const [place, value] of steps.values.entries()) {
    if (value > most) [most, at] = [value, place];
  }
  const when = shown.origin_s + (steps.bins[at] as number) * shown.bin_s;
  const last = valueAt(steps, binAt(shown, Math.min(trace.done_s ?? trace.end_s, shown.to_s))) ?? 0;
  const label = NAMES[name];
  return `${label} at most ${kind.text(most)} at ${seconds(when)}, at the end ${kind.text(last)}`;
}

export const NAMES: Record<LineName, string> = {
  cwnd: "cwnd",
  flight: "in flight",
  queue: "queue",
  sent: "sent",
  acked: "acknowledged",
  pacing: "pacing rate",
  delivery: "delivery rate",
  limit: "limited by",
};
