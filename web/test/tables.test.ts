import assert from "node:assert/strict";
import { test } from "node:test";
import { parsed, written } from "../src/report/hash.ts";
import { together } from "../src/report/trace.ts";
import { fileOf, Rows, values, type Document } from "../src/tables/columns.ts";
import { withUnit } from "../src/tables/names.ts";
import { ordered } from "../src/tables/summary.ts";
import { byValue, holds, shown, worth } from "../src/tables/values.ts";

test("texts of tables are worth what their unit says", () => {
  assert.equal(worth("616.1 ms"), 0.6161);
  assert.equal(worth("2.096 s (3 of 4 done)"), 2.096);
  assert.ok(Math.abs((worth("−28.7 %") ?? 0) + 0.287) < 1e-12);
  assert.equal(worth("1,335"), 1335);
  assert.equal(worth("≈ 5 Mbps"), 5e6);
  assert.equal(worth("9.3e-01"), 0.93);
  assert.equal(worth("–"), null);
  assert.equal(worth("hystart"), null);
});

test("rows are sorted by size, not by letters, and what is absent stays last both ways", () => {
  const rows = ["616.1 ms", "–", "2.096 s", "890 µs"].map((text) => ({ texts: [text] }));
  const texts = (down: boolean) => ordered(rows, 0, down).map((row) => row.texts[0]);
  assert.deepEqual(texts(false), ["890 µs", "616.1 ms", "2.096 s", "–"]);
  assert.deepEqual(texts(true), ["2.096 s", "616.1 ms", "890 µs", "–"]);
});

test("a filter wants all its words in any order and case", () => {
  assert.ok(holds("jump-start 439.4 ms all-sent", "ALL jump"));
  assert.ok(!holds("jump-start 439.4 ms all-sent", "loss"));
  assert.ok(holds("anything", ""));
});

test("numbers are written as the tables of the terminal write them", () => {
  assert.equal(shown(0.6161, "seconds"), "616.1 ms");
  assert.equal(shown(1_000_000, "bytes"), "1 MB");
  assert.equal(shown(1335, "packets"), "1,335");
  assert.equal(shown(2.127, "ratio"), "2.127");
  assert.equal(shown(5e6, "bits per second"), "5 Mbps");
  assert.equal(shown(null, "seconds"), "–");
  assert.equal(shown(true, null), "yes");
});

test("numbers stand before words, and both before nothing", () => {
  assert.deepEqual([null, "b", 3, "a", 1].sort(byValue), [1, 3, "a", "b", null]);
});

const SAMPLE: Document = {
  count: 4,
  total: 4,
  left_out: "",
  columns: [
    { name: "run", doc: "", unit: null, steps: [0, 1, 1, 1] },
    { name: "variant", doc: "", unit: null, known: ["a", "b"], places: [0, 0, 1, 1] },
    { name: "tested", doc: "", unit: null, same: true },
    { name: "fct_s", doc: "", unit: "seconds", values: [1, null, 2, 3] },
  ],
  command: { words: "flowstart compare", options: { variant: { a: "--startup a" } }, note: "", file: "" },
  charts: [],
  file: null,
  heat: null,
  over_time: [],
};

test("each form of a column gives its values back", () => {
  const found = SAMPLE.columns.map((packed) => values(packed, 4));
  assert.deepEqual(found, [[0, 1, 2, 3], ["a", "a", "b", "b"], [true, true, true, true], [1, null, 2, 3]]);
});

test("rows are found by what their columns hold; null means anything", () => {
  const rows = new Rows(SAMPLE);
  assert.deepEqual(rows.where({ variant: "b", tested: true }), [2, 3]);
  assert.deepEqual(rows.where({ variant: ["a", "b"], run: [1, 2] }), [1, 2]);
  assert.deepEqual(rows.where({ variant: null, fct_s: [null] }), [1]);
  assert.deepEqual(rows.where({ web: [null] }), [0, 1, 2, 3], "a column that is not there is empty");
});

test("a row's command has the options of its values", () => {
  const rows = new Rows(SAMPLE);
  assert.equal(rows.command(0), "flowstart compare --startup a");
  assert.equal(rows.command(2), "flowstart compare");
});

test("a number that is compared lists its own rows and those of the baseline", () => {
  const own = { variant: "b", size_bytes: 10, web: [null], size: null };
  assert.deepEqual(together(own, { ...own, variant: "a" }), { variant: ["b", "a"], size_bytes: 10, web: [null], size: null });
});

test("the hash says what is looked at, and an anchor is no state", () => {
  const state = new Map([["1.sort", "2,down"], ["rows.find", "a & b=c"]]);
  assert.deepEqual(parsed(`#${written(state)}`), state);
  assert.equal(parsed("#qs-t1").size, 0);
});

test("a row's file is what all share and what stands there in its own", () => {
  const files = {
    shared: [[["path", "queue"], '"drop-tail"'] as [string[], string]],
    columns: [
      { at: [["path", "rate"], ["path", "reverse_rate"]], values: ['"1Mbps"', '"2Mbps"'] },
      { at: [["flows", 0, "size"]], values: ['"10kB"', null] },
    ],
    of: { places: [0, 0, 1], known: [0, 1] },
    count: 2,
  };
  const path = (rate: string) => ({ queue: "drop-tail", rate, reverse_rate: rate });
  assert.deepEqual(fileOf(files, 1, 3), { path: path("1Mbps"), flows: [{ size: "10kB" }] });
  assert.deepEqual(fileOf(files, 2, 3), { path: path("2Mbps") });
});

test("columns are chosen from by words with their units", () => {
  assert.equal(withUnit("size_bytes", "bytes"), "size, bytes");
  assert.equal(withUnit("fct_s", "seconds"), "FCT, seconds");
  assert.equal(withUnit("slowdown", "ratio"), "slowdown, FCT ÷ ideal");
  assert.equal(withUnit("packets_dropped", "packets"), "packets dropped");
  assert.equal(withUnit("max_queue_pkts", "packets"), "max queue, packets");
  assert.equal(withUnit("seed", null), "seed");
});
