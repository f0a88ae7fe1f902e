import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes, listed, moment, packets, quantity, rate, seconds } from "../src/ui/text.ts";
import { BUFFER, LOSS, RATE, RTT, SIZE } from "../src/ui/scale.ts";

test("numbers are written as the command line writes them", () => {
  assert.deepEqual([0, 1.2344, 0.0567, 0.00089].map(seconds), ["0 s", "1.234 s", "56.70 ms", "890.0 µs"]);
  assert.deepEqual([0, 0.2, 0.45, 10].map(moment), ["0 s", "200 ms", "450 ms", "10 s"]);
  assert.deepEqual([1e6, 1.5e5, 12].map(bytes), ["1 MB", "150 kB", "12 B"]);
  assert.deepEqual([5e7, 1.2345e9, 1e3, 5].map(rate), ["50 Mbps", "1.23 Gbps", "1 kbps", "5 bps"]);
  assert.deepEqual([1234.4, 99.96, 18].map(packets), ["1,234", "100.0", "18"]);
  assert.equal(listed(["a", "b", "c"]), "a, b and c");
});

test("written quantities are read in their units, and nonsense is not a quantity", () => {
  assert.deepEqual(quantity("50Mbps"), { value: 5e7, unit: "mbps" });
  assert.deepEqual(quantity(" 1.5 bdp "), { value: 1.5, unit: "bdp" });
  assert.ok(Math.abs((quantity("0.1%")?.value ?? 0) - 0.001) < 1e-12);
  for (const nonsense of ["", "fast", "5 parsecs", "1e3Mbps", "-5ms", "NaN"]) {
    assert.equal(quantity(nonsense), null, nonsense);
  }
});

test("a slider's positions ascend in their texts, and each is found again from its text", () => {
  for (const scale of [RATE, RTT, SIZE, LOSS, BUFFER]) {
    const values = scale.texts.map((text) => quantity(text)?.value ?? assert.fail(text));
    assert.deepEqual(values, values.toSorted((a, b) => a - b));
    assert.equal(new Set(scale.texts).size, scale.texts.length);
    for (const [at, text] of scale.texts.entries()) assert.equal(scale.position(text), at, text);
  }
});

test("a slider shows the nearest position of a value between them, in any unit of its kind", () => {
  assert.equal(RATE.texts[RATE.position("49Mbps") ?? -1], "50Mbps");
  assert.equal(RATE.texts[RATE.position("0.05Gbps") ?? -1], "50Mbps");
  assert.equal(RTT.texts[RTT.position("0.08s") ?? -1], "80ms");
  assert.equal(LOSS.texts[LOSS.position("0%") ?? -1], "0%");
});

test("a buffer in packets or bytes has no position among bandwidth-delay products", () => {
  assert.equal(BUFFER.position("60pkt"), null);
  assert.equal(BUFFER.position("90kB"), null);
  assert.notEqual(BUFFER.position("2bdp"), null);
});
