import assert from "node:assert/strict";
import { test } from "node:test";
import type { MapCell, MapLevel } from "../src/answers.ts";
import { alike, leading } from "../src/charts/ties.ts";
import { drawing, refined, type Showing } from "../src/explorer/maps/plane.ts";

const SHOWING: Showing = { measure: "winner", of: 1, colours: ["#111111", "#c27800", "#005a9c"] };

function cell(x: number, y: number, times: (number | null)[]): MapCell {
  const best = Math.min(...times.map((time) => time ?? Infinity));
  const regret = times.map((time) => (time === null ? null : time / best));
  const base = times[0] ?? null;
  return {
    x,
    y,
    rate: "1Mbps",
    rtt: "5ms",
    fct_s: times,
    regret,
    change: times.map((time) => (time === null || base === null ? null : time / base - 1)),
    winner: times.indexOf(best),
    within: regret.flatMap((one, at) => (one !== null && one <= 1.05 ? [at] : [])),
  };
}

function level(number: number, columns: number, rows: number, cells: MapCell[]): MapLevel {
  const axis = { title: "rate", ticks: [{ at: 0, label: "1 Mbps" }, { at: 1, label: "1 Gbps" }] };
  return {
    level: number,
    levels: 3,
    columns,
    rows,
    startups: ["slow-start", "hystart", "jump-start"],
    baseline: "slow-start",
    margin: 0.05,
    size: "1MB",
    x: axis,
    y: axis,
    cells,
  };
}

test("a finer level keeps the cells that are there and puts its own between them", () => {
  const first = refined(null, level(0, 2, 2, [cell(0, 0, [1, 2, 3]), cell(1, 1, [2, 1, 3])]));
  const second = refined(first, level(1, 3, 3, [cell(1, 1, [3, 2, 1])]));
  const places = second.cells.map(({ x, y, winner }) => [x, y, winner]);
  assert.deepEqual(places, [[0, 0, 0], [2, 2, 1], [1, 1, 2]]);
});

test("a first level takes the place of a map that was there", () => {
  const first = refined(null, level(0, 2, 2, [cell(0, 0, [1, 2, 3])]));
  assert.equal(refined(first, level(0, 2, 2, [cell(1, 0, [1, 2, 3])])).cells.length, 1);
});

test("the first and last value of an axis stand in the middle of their cells", () => {
  const shown = drawing(refined(null, level(0, 7, 5, [])), SHOWING);
  assert.deepEqual(shown.x.ticks.map((tick) => tick.at), [0.5, 6.5]);
});

test("where several tie the cell has the colour of the one that is so in most cells, and says so", () => {
  const cells = [cell(0, 0, [1.04, 1, 2]), cell(1, 0, [1, 2, 3]), cell(0, 1, [1, 3, 3])];
  assert.deepEqual(leading(cells), [0, 1]);
  const shown = drawing(refined(null, level(0, 2, 2, cells)), SHOWING);
  assert.deepEqual(shown.cells.map((one) => one.fill), ["#111111", "#111111", "#111111"]);
  assert.deepEqual(shown.cells.map((one) => one.mark), ["≈ss", "ss", "ss"]);
  assert.match(shown.cells[0]?.words.join() ?? "", /hystart: 1\.000 s, the first/);
});

test("a startup that did not complete is said to, and has a mark of its own", () => {
  const cells = [cell(0, 0, [1, null, 2])];
  const shown = drawing(refined(null, level(0, 2, 2, cells)), { ...SHOWING, measure: "regret" });
  assert.equal(shown.cells[0]?.mark, "×");
  assert.match(shown.cells[0]?.words.at(-1) ?? "", /hystart: not completed/);
});

test("changes show faster and slower without colour", () => {
  const cells = [cell(0, 0, [2, 1, 3]), cell(1, 0, [1, 1.5, 3])];
  const shown = drawing(refined(null, level(0, 2, 2, cells)), { ...SHOWING, measure: "change" });
  assert.deepEqual(shown.cells.map((one) => one.mark), ["−50", "+50"]);
  assert.deepEqual(shown.cells.map((one) => one.hatch), [0, 1]);
});

test("values within the margin of the minimum are alike", () => {
  assert.deepEqual(alike([1.2, 1, 1.04, 1.06], 0.05), [1, 2]);
  assert.deepEqual(alike([2, 2], 0), [0, 1]);
});
