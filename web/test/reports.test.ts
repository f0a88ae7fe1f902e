import assert from "node:assert/strict";
import { test } from "node:test";
import { grouped, placed, summary } from "../src/charts/grouped.ts";
import { decades, isLog, range } from "../src/charts/lines.ts";
import { abbreviated } from "../src/charts/abbreviated.ts";
import { pictured } from "../src/report/overtime.ts";
import { Rows } from "../src/tables/columns.ts";

test("few values are a place each, many are classes of equal ratio that lose none", () => {
  assert.deepEqual(placed([20, 5, 5, 100]), [[5], [20], [100]]);
  const many = Array.from({ length: 500 }, (_, at) => 1.02 ** at);
  const found = placed(many);
  assert.ok(found.length <= 24);
  assert.deepEqual(found.flat(), many);
  const ratios = found.map((members) => (members.at(-1) ?? 0) / (members[0] ?? 1));
  assert.ok(Math.max(...ratios) < 1.55, "a class spans a 24th of the range's ratio");
});

test("means, medians and percentiles of no rows are nothing", () => {
  assert.equal(summary([], "mean"), null);
  assert.equal(summary([1, 2, 6], "mean"), 3);
  assert.equal(summary([6, 1, 2, 4], "median"), 3);
  assert.equal(summary([0, 100], "p95"), 95);
});

test("a line has a number for each place, and nothing where its name has no row", () => {
  const column = (name: string, values: (string | number | null)[]) => ({ name, doc: "", unit: null, values });
  const rows = new Rows({
    count: 4,
    total: 4,
    left_out: "",
    columns: [column("by", ["a", "a", "b", "a"]), column("x", [1, 1, 2, 2]), column("y", [3, 5, 7, null])],
    command: null,
    charts: [],
    file: null,
    heat: null,
    over_time: [],
  });
  const found = grouped(rows, {}, "by", "x", "y", "mean");
  assert.deepEqual(found.x, [1, 2]);
  assert.deepEqual(found.lines.get("a"), [4, null]);
  assert.deepEqual(found.lines.get("b"), [null, 7]);
  assert.deepEqual(found.counts.get("a"), [2, 0]);
});

test("an axis of ratios has words at round numbers", () => {
  assert.deepEqual(decades(1e6, 2e8), [1e6, 1e7, 1e8]);
  assert.deepEqual(decades(8, 60), [10, 20, 50]);
  assert.ok(isLog([1, 20]) && !isLog([1, 19]) && !isLog([0, 100]) && !isLog([]));
});

test("a range is never empty and never NaN", () => {
  for (const values of [[], [0], [5, 5], [1, 1000], [-3, 4]]) {
    const [low, high] = range(values, 0.05);
    assert.ok(low < high, `${values}`);
  }
});

test("names are abbreviated to a few letters that differ", () => {
  const found = abbreviated(["slow-start", "smooth-start", "hystart", "hystart-plus-plus", "swift-start"]);
  assert.deepEqual(found, ["ss", "sm", "h", "hpp", "sw"]);
});

test("lines over time come from steps between bins, and null ends a line", () => {
  const line: [number[], (number | null)[]] = [[0, 2, 0, 3], [10, 20, 15, null]];
  const flow = {
    startup: "a",
    flow: 0,
    bdp_pkts: 5,
    done_s: 0.4,
    end_s: 0.5,
    exit: [0.2, 20, "loss"] as [number, number, string],
    lines: { cwnd: line, queue: line, sent: line, acked: line, delivered: line, pacing: [[], []] as typeof line, limit: [[0], [6]] as [number[], number[]] },
    events: { drop: [[4], [1000], 7] as [number[], number[], number], retransmit: [[], [], 0] as [number[], number[], number] },
  };
  const found = pictured({ label: "1 MB", bin_s: 0.1, rtt_s: 0.2, flows: [flow] });
  const trace = found.traces[0];
  assert.ok(trace);
  assert.equal(found.to_s, 0.5);
  assert.deepEqual([...trace.lines.cwnd.bins], [0, 2, 2, 5]);
  assert.deepEqual([...trace.lines.cwnd.values], [10, 20, 15, NaN]);
  assert.deepEqual(trace.exit, { at_s: 0.2, cwnd_segments: 20, reason: "loss" });
  assert.equal(trace.events.drop.total, 7);
});
