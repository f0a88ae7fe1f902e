import assert from "node:assert/strict";
import { test } from "node:test";

import { luminance } from "../src/charts/colours.ts";
import { fitting, moved, placeAt } from "../src/charts/heatmap.ts";
import { amount, change, ink } from "../src/charts/scale.ts";

test("arrow keys move the cursor and stop at the edges", () => {
  assert.deepEqual(moved("ArrowRight", { x: 0, y: 0 }, 3, 2), { x: 1, y: 0 });
  assert.deepEqual(moved("ArrowUp", { x: 0, y: 1 }, 3, 2), { x: 0, y: 1 });
  assert.deepEqual(moved("End", { x: 0, y: 1 }, 3, 2), { x: 2, y: 1 });
  assert.equal(moved("a", { x: 0, y: 0 }, 3, 2), null);
});

test("rows are counted from the bottom", () => {
  assert.deepEqual(placeAt(0.01, 0.01, 4, 3), { x: 0, y: 2 });
  assert.deepEqual(placeAt(0.99, 0.99, 4, 3), { x: 3, y: 0 });
  assert.equal(placeAt(1, 0.5, 4, 3), null);
});

test("labels of an axis that have no room are left out, the first stays", () => {
  const ticks = [0.5, 1.5, 2.5, 3.5].map((at) => ({ at, label: String(at) }));
  const found = fitting({ title: "", count: 4, ticks }, 100, 40);
  assert.deepEqual(found.map((tick) => tick.at), [0.5, 2.5]);
});

test("the ramp darkens with every step and letters on it have a contrast of 4.5", () => {
  let before = 2;
  for (let share = 0; share <= 1; share += 0.05) {
    const light = luminance(amount(share));
    assert.ok(light < before);
    before = light;
  }
  for (let share = -1; share <= 1; share += 0.05) {
    for (const colour of [amount(Math.abs(share)), change(share)]) {
      const [low, high] = [luminance(colour), luminance(ink(colour))].sort((a, b) => a - b);
      assert.ok(((high ?? 0) + 0.05) / ((low ?? 0) + 0.05) >= 4.5, colour);
    }
  }
});
