import assert from "node:assert/strict";
import { test } from "node:test";
import { DARK, LIGHT, looks, luminance, PAGE } from "../src/charts/colours.ts";

const USUAL = ["slow-start", "limited-slow-start", "hystart", "hystart-plus-plus", "jump-start"];

/** Contrast of two colours (`#rrggbb`) as WCAG defines it, 1 to 21. */
function contrast(one: string, other: string): number {
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

test("every colour has a contrast of at least three to one with the page", () => {
  for (const colour of LIGHT) assert.ok(contrast(colour, PAGE.light) >= 3, `${colour} on light`);
  for (const colour of DARK) assert.ok(contrast(colour, PAGE.dark) >= 3, `${colour} on dark`);
});

/** CIE lightness, 0 to 100. */
function lightness(colour: string): number {
  return 116 * Math.cbrt(luminance(colour)) - 16;
}

test("the usual startups differ in lightness, dash and marker, not in hue alone", () => {
  for (const dark of [false, true]) {
    const found = USUAL.map((name) => looks(USUAL, dark).get(name) ?? assert.fail(name));
    for (const [at, one] of found.entries()) {
      for (const other of found.slice(at + 1)) {
        const apart = Math.abs(lightness(one.colour) - lightness(other.colour));
        assert.ok(apart >= 3, `${one.colour} and ${other.colour}: ${apart}`);
        assert.notDeepEqual(one.dash, other.dash);
        assert.notEqual(one.marker, other.marker);
      }
    }
  }
});

test("a usual startup looks the same whatever it is compared with", () => {
  const alone = looks(["jump-start"], false).get("jump-start");
  assert.deepEqual(looks(["bbr-startup", "jump-start"], false).get("jump-start"), alone);
  assert.notDeepEqual(looks(["bbr-startup", "jump-start"], false).get("bbr-startup"), alone);
});
