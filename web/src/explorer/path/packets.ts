// Where single packets are at a time: on the way to the queue, in it, on the way to the receiver,
// on the reverse path, or falling out.

import type { PacketsAnswer } from "../../protocol.ts";

export type Kind = "data" | "again" | "ack" | "syn";

/** How far along the path the bottleneck's queue is, from 0 (sender) to 1 (receiver). */
export const QUEUE_AT = 0.3;
/** The share of a round trip for which a dropped packet is seen falling. */
const FALL = 0.12;

export type Place =
  | { on: "path"; forward: boolean; at: number; kind: Kind }
  | { on: "queue"; leaves_s: number; kind: Kind }
  | { on: "fall"; forward: boolean; at: number; depth: number; kind: Kind };

/** Where a packet is; null before it is sent and once it has arrived. */
export function place(all: PacketsAnswer, packet: number, now_s: number): Place | null {
  const sent = all.sent_s[packet] ?? Infinity;
  if (now_s < sent) return null;
  const kind = (all.kind[packet] ?? "data") as Kind;
  const forward = all.forward[packet] ?? true;
  const dropped = all.dropped_s[packet] ?? null;
  if (dropped !== null && now_s >= dropped) {
    const depth = (now_s - dropped) / (FALL * all.rtt_s);
    const at = forward ? QUEUE_AT : 1 - QUEUE_AT;
    return depth < 1 ? { on: "fall", forward, at, depth, kind } : null;
  }
  const received = all.received_s[packet] ?? dropped ?? Infinity;
  if (now_s >= received) return null;
  if (!forward) return { on: "path", forward, at: 1 - share(sent, received, now_s), kind };
  const queued = all.queued_s[packet] ?? dropped ?? received;
  if (now_s < queued) return { on: "path", forward, at: QUEUE_AT * share(sent, queued, now_s), kind };
  const left = all.left_s[packet] ?? dropped ?? queued;
  if (now_s < left) return { on: "queue", leaves_s: left, kind };
  const at = QUEUE_AT + (1 - QUEUE_AT) * share(left, received, now_s);
  return { on: "path", forward, at, kind };
}

/** How much of the time from `from_s` to `to_s` has passed, 0 to 1. */
function share(from_s: number, to_s: number, now_s: number): number {
  return to_s > from_s && Number.isFinite(to_s) ? Math.min(1, (now_s - from_s) / (to_s - from_s)) : 0;
}

/** All times at which something happens to a packet, in order, each once. */
export function moments(all: PacketsAnswer): number[] {
  const lists = [all.sent_s, all.queued_s, all.left_s, all.dropped_s, all.received_s];
  const times = new Set<number>();
  for (const list of lists) for (const at of list) if (at !== null) times.add(at);
  return [...times].sort((one, other) => one - other);
}

export interface Counts {
  /** Data on its way, before the queue, in it, and behind it. */
  before: number;
  queue: number;
  behind: number;
  /** On the reverse path. */
  acks: number;
  sent: number;
  dropped: number;
  retransmitted: number;
}

/** How many packets are where, and what has happened until now. */
export function counts(all: PacketsAnswer, now_s: number): Counts {
  const found = { before: 0, queue: 0, behind: 0, acks: 0, sent: 0, dropped: 0, retransmitted: 0 };
  for (let packet = 0; packet < all.kind.length; packet += 1) {
    if ((all.sent_s[packet] ?? Infinity) > now_s) continue;
    const kind = all.kind[packet];
    if (kind === "data" || kind === "again") found.sent += 1;
    if (kind === "again") found.retransmitted += 1;
    if ((all.dropped_s[packet] ?? Infinity) <= now_s) found.dropped += 1;
    const where = place(all, packet, now_s);
    if (where?.on === "queue") found.queue += 1;
    else if (where?.on === "path") found[lane(where)] += 1;
  }
  return found;
}

function lane(where: Place & { on: "path" }): "before" | "behind" | "acks" {
  if (!where.forward) return "acks";
  return where.at < QUEUE_AT ? "before" : "behind";
}
