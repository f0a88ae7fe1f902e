import assert from "node:assert/strict";
import { test } from "node:test";
import { isSure, placeOf, reachOf, words, type Whisker } from "../src/charts/whiskers.ts";

function whisker(estimate: number | null, low: number | null, high: number | null, reason = ""): Whisker {
  return { group: "all sizes", name: "a", estimate, low, high, reason };
}

test("no change stands in the middle, half as long and twice as long are as far from it", () => {
  assert.equal(placeOf(0, 2), 0.5);
  assert.equal(placeOf(1, 2), 1);
  assert.equal(placeOf(-0.5, 2), 0);
  assert.equal(placeOf(-1, 2), 0);
  assert.equal(placeOf(Infinity, 2), 1);
});

test("the axis reaches over all estimates, but not over every whisker", () => {
  assert.equal(reachOf([]), 1.25);
  assert.equal(reachOf([whisker(0.1, null, null)]), 1.25);
  assert.equal(reachOf([whisker(0.1, -0.86, 5.4)]), 2);
  assert.equal(reachOf([whisker(2.3, null, null)]), 4);
  assert.equal(reachOf([whisker(99, null, null)]), 8);
});

test("a change is sure where its interval leaves out that nothing changes", () => {
  assert.ok(isSure(whisker(0.3, 0.2, 0.4)));
  assert.ok(isSure(whisker(-0.3, -0.4, -0.2)));
  assert.ok(isSure(whisker(0.3, 0.2, null)));
  assert.ok(!isSure(whisker(0.3, -0.1, 0.4)));
  assert.ok(!isSure(whisker(0.3, null, null)));
});

test("a change is shown with its interval, or that the sample is too small for one", () => {
  assert.equal(words(whisker(-0.199, -0.455, 0.094)), "−19.9 %, from −45.5 % to +9.4 %");
  assert.equal(words(whisker(0, null, null, "7 clusters")), "0 % (sample too small)");
  assert.equal(words(whisker(0, null, null, "no transfer differs")), "0 % (the same)");
  assert.equal(words(whisker(0.5, 0.1, null)), "+50.0 %, from +10.0 % to ∞");
  assert.equal(words(whisker(null, null, null)), "–");
});
