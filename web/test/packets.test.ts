import assert from "node:assert/strict";
import { test } from "node:test";
import { counts, moments, place, QUEUE_AT } from "../src/explorer/path/packets.ts";
import type { PacketsAnswer } from "../src/protocol.ts";

/** Two packets that share a queue, of which the second is dropped and sent again, and an ACK. */
const all: PacketsAnswer = {
  rtt_s: 1,
  kind: ["data", "data", "ack", "again"],
  forward: [true, true, false, true],
  seq: [0, 1000, 1000, 1000],
  sent_s: [0, 0, 1, 2],
  queued_s: [0.2, 0.2, null, 2.2],
  left_s: [0.4, null, null, 2.2],
  dropped_s: [null, 0.2, null, null],
  received_s: [1, null, 1.5, 2.8],
  cut: false,
};

test("a packet goes to the queue, waits in it, goes on to the receiver and is gone", () => {
  assert.equal(place(all, 0, -1), null);
  assert.deepEqual(place(all, 0, 0.1), { on: "path", forward: true, at: QUEUE_AT / 2, kind: "data" });
  assert.deepEqual(place(all, 0, 0.3), { on: "queue", leaves_s: 0.4, kind: "data" });
  const behind = place(all, 0, 0.7);
  assert.ok(behind?.on === "path" && behind.at > QUEUE_AT && behind.at < 1);
  assert.equal(place(all, 0, 1), null);
});

test("a dropped packet falls out at the queue and is seen for a part of a round trip", () => {
  const falls = place(all, 1, 0.25);
  assert.ok(falls?.on === "fall" && falls.at === QUEUE_AT && falls.depth > 0 && falls.depth < 1);
  assert.equal(place(all, 1, 0.9), null);
});

test("an ACK comes back from the receiver", () => {
  assert.deepEqual(place(all, 2, 1), { on: "path", forward: false, at: 1, kind: "ack" });
  assert.deepEqual(place(all, 2, 1.25), { on: "path", forward: false, at: 0.5, kind: "ack" });
  assert.equal(place(all, 2, 1.5), null);
});

test("the counts say what a picture of the same time shows", () => {
  assert.deepEqual(counts(all, 0.3), {
    before: 0, queue: 1, behind: 0, acks: 0, sent: 2, dropped: 1, retransmitted: 0,
  });
  assert.deepEqual(counts(all, 2.5), {
    before: 0, queue: 0, behind: 1, acks: 0, sent: 3, dropped: 1, retransmitted: 1,
  });
});

test("steps go from one event to the next, each time once", () => {
  assert.deepEqual(moments(all), [0, 0.2, 0.4, 1, 1.5, 2, 2.2, 2.8]);
});
