import assert from "node:assert/strict";
import { test } from "node:test";
import { deliveryRate } from "../src/charts/delivery.ts";
import { draw, greatest, ticks, valueAt, type Steps } from "../src/charts/steps.ts";
import { pinched } from "../src/charts/fingers.ts";
import { around, moved } from "../src/charts/timeline.ts";

function steps(...pairs: [number, number][]): Steps {
  return {
    bins: Uint16Array.from(pairs, ([bin]) => bin),
    values: Float32Array.from(pairs, ([, value]) => value),
  };
}

/** What is drawn, in words. */
function drawn(line: Steps, end: number): string {
  const words: string[] = [];
  const sink = {
    moveTo: (x: number, y: number) => words.push(`M${x} ${y}`),
    lineTo: (x: number, y: number) => words.push(`L${x} ${y}`),
  };
  draw(line, end, (bin) => bin, (value) => value, sink);
  return words.join(" ");
}

test("a value holds from its bin until the next, the last of a bin after it", () => {
  const line = steps([2, 10], [4, 1], [4, 30], [4, 20]);
  assert.deepEqual([1, 2, 3.9, 4, 99].map((bin) => valueAt(line, bin)), [null, 10, 10, 20, 20]);
});

test("a line is drawn as steps, with the extremes of a bin as a stroke and no corner where nothing changes", () => {
  assert.equal(drawn(steps([0, 1], [1, 1], [2, 5], [2, 3]), 4), "M0 1 L2 1 L2 5 L2 5 L2 3 L4 3");
});

test("where a value is not a number the line has a gap and the cursor shows nothing", () => {
  const line = steps([0, 1], [2, NaN], [5, 3]);
  assert.equal(drawn(line, 6), "M0 1 L2 1 M5 3 L6 3");
  assert.equal(valueAt(line, 3), null);
  assert.equal(greatest(line), 3);
  assert.equal(drawn(steps([0, NaN]), 6), "");
});

test("ticks are round numbers within the range, and a range without extent has one", () => {
  assert.deepEqual(ticks(0, 1, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(ticks(0.13, 0.34, 5), [0.15, 0.2, 0.25, 0.3]);
  assert.deepEqual(ticks(0, 0, 5), [0]);
  assert.deepEqual(ticks(0, NaN, 5), [0]);
});

test("the delivery rate is what was acknowledged in the last round trip", () => {
  const acked = steps([0, 0], [100, 1000], [200, 3000], [300, 3000]);
  const found = deliveryRate(acked, 100, 0.001, false);
  assert.equal(valueAt(found, 150), 80_000);
  assert.equal(valueAt(found, 210), 160_000);
  assert.equal(valueAt(found, 300), 0);
});

test("a line that begins in the middle has no delivery rate in its first round trip", () => {
  const acked = steps([0, 5000], [100, 6000], [200, 7000]);
  assert.equal(valueAt(deliveryRate(acked, 100, 0.001, true), 99), null);
  assert.equal(valueAt(deliveryRate(acked, 100, 0.001, true), 100), 80_000);
});

test("zooming keeps the time under the cursor in its place, and nothing begins before zero", () => {
  assert.deepEqual(around(3, { from_s: 2, to_s: 6 }, 0.5), { from_s: 2.5, to_s: 4.5 });
  assert.deepEqual(around(1, { from_s: 0, to_s: 4 }, 2), { from_s: 0, to_s: 8 });
  assert.deepEqual(moved({ from_s: 1, to_s: 3 }, -1), { from_s: 0, to_s: 2 });
});

test("two fingers keep the times under them: apart they zoom, together they move", () => {
  const span = { from_s: 2, to_s: 6 };
  assert.deepEqual(pinched(span, [0.25, 0.75], [0, 1]), { from_s: 3, to_s: 5 });
  assert.deepEqual(pinched(span, [0.75, 0.25], [1, 0]), { from_s: 3, to_s: 5 });
  assert.deepEqual(pinched(span, [0.25, 0.75], [0, 0.5]), { from_s: 3, to_s: 7 });
  assert.deepEqual(pinched({ from_s: 0, to_s: 4 }, [0, 0.5], [0.5, 1]), { from_s: 0, to_s: 4 });
});

test("fingers that are too close, or that have crossed, do not zoom", () => {
  const span = { from_s: 0, to_s: 4 };
  assert.equal(pinched(span, [0.5, 0.51], [0.2, 0.8]), null);
  assert.equal(pinched(span, [0.2, 0.8], [0.8, 0.2]), null);
});
