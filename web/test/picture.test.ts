import assert from "node:assert/strict";
import { test } from "node:test";
import { looks } from "../src/charts/colours.ts";
import { svg } from "../src/charts/export.ts";
import { shares, stretches } from "../src/charts/limits.ts";
import { apart, thinned } from "../src/charts/marks.ts";
import { completions, exits, heights, PANELS, sentence, top, type PanelName } from "../src/charts/panels.ts";
import { picture, wholeOf, type Picture, type Trace } from "../src/charts/picture.ts";
import type { Steps } from "../src/charts/steps.ts";
import type { CompareAnswer, Line } from "../src/protocol.ts";

function steps(...pairs: [number, number][]): Steps {
  return {
    bins: Uint16Array.from(pairs, ([bin]) => bin),
    values: Float32Array.from(pairs, ([, value]) => value),
  };
}

const none = { ...steps(), total: 0 };

function trace(startup: string, change: Partial<Trace> = {}): Trace {
  return {
    startup,
    flow: 0,
    bdp_pkts: 100,
    done_s: 0.9,
    end_s: 1,
    exit: null,
    lines: {
      cwnd: steps([0, 10], [500, 200]),
      flight: steps(),
      queue: steps([0, 0]),
      sent: steps([0, 0], [400, 1e6]),
      acked: steps([0, 0], [900, 1e6]),
      pacing: steps([0, 1e7], [10, 9e9], [11, 1e7], [12, 1e7], [13, 1e7], [14, NaN]),
      delivery: steps([0, 5e6]),
      limit: steps([0, 0], [200, 6], [600, 7], [900, 6]),
    },
    events: { retransmit: none, drop: { ...steps([400, 5e5]), total: 7 }, mark: none, timeout: none },
    ...change,
  };
}

function shown(...traces: Trace[]): Picture {
  return { from_s: 0, to_s: 1, whole_s: 1, origin_s: 0, bin_s: 0.001, traces };
}

function kind(name: PanelName) {
  return PANELS.find((one) => one.name === name) ?? assert.fail(name);
}

const left = { at_s: 0.5, cwnd_segments: 200, reason: "loss" };

test("exits are numbered in the order of the startups; those that never left have none", () => {
  const found = exits(shown(trace("a"), trace("b", { exit: left }), trace("c", { exit: left })));
  assert.deepEqual(found.map((one) => [one.number, one.trace.startup]), [[1, "b"], [2, "c"]]);
});

test("the window's panel has room for a BDP that is near, not for one that would flatten it", () => {
  assert.ok(top(kind("cwnd"), shown(trace("a"))) >= 200);
  const far = top(kind("cwnd"), shown(trace("a", { bdp_pkts: 5000 })));
  assert.ok(far < 300, String(far));
});

test("one spike of a pacing rate does not flatten the rates, and an empty panel has a range", () => {
  assert.ok(top(kind("rate"), shown(trace("a"))) < 2e7);
  assert.equal(top(kind("rate"), shown()), 1);
});

test("a panel says in a sentence what it shows", () => {
  assert.equal(
    sentence(kind("cwnd"), shown(trace("a", { exit: left })), trace("a", { exit: left })),
    "a: cwnd at most 200 at 500.0 ms, at the end 200 and left startup at 500.0 ms with 200 packets: loss.",
  );
  assert.match(sentence(kind("sequence"), shown(trace("a")), trace("a")), /7 dropped and 0 retransmitted/);
});

test("the band has a stretch for each reason, in which what held until the flow's end is cut", () => {
  const open = shown(trace("a", { lines: { ...trace("a").lines, limit: steps([0, 0], [10, NaN], [40, 8]) } }));
  assert.deepEqual(stretches(open, open.traces[0]!), [
    { begin: 0, end: 10, reason: 0 },
    { begin: 40, end: 1000, reason: 8 },
  ]);
});

test("the shares of reasons are those of the time that is shown, in words with the largest first", () => {
  const one = shown(trace("a"));
  assert.deepEqual(shares(one, one.traces[0]!), [
    { reason: 6, share: 0.5 },
    { reason: 7, share: 0.3 },
    { reason: 0, share: 0.2 },
  ]);
  assert.equal(sentence(kind("limits"), one, one.traces[0]!), "a: cwnd 50 %, pacing 30 % and handshake 20 %.");
});

test("a band names its flows beside their rows, the first on top", () => {
  const two = shown(trace("slow-start"), trace("hystart-plus-plus"));
  assert.deepEqual(heights(kind("limits"), two, top(kind("limits"), two), 5, 10), [
    { at: 1.5, text: "slow-start" },
    { at: 0.5, text: "hystart-p…" },
  ]);
});

test("the SVG has every startup, its exit's number and reason, and no mark-up from names", () => {
  const one = shown(trace("a"), trace("<b>", { exit: left }));
  const text = svg({
    headline: "50Mbps & more",
    picture: one,
    span: { from_s: 0, to_s: 1 },
    looks: looks(["a", "<b>"], false),
    dark: false,
  });
  assert.match(text, /&lt;b> – 1: loss at 500.0 ms, cwnd 200/);
  assert.match(text, /50Mbps &amp; more/);
  assert.doesNotMatch(text, /<b>|NaN|undefined|Infinity/);
  for (const panel of PANELS) assert.ok(text.includes(panel.title), panel.title);
});

test("marks that would hide each other's number stand above each other, each at its time", () => {
  const [one, other] = apart([{ x: 10, y: 90 }, { x: 12, y: 90 }], 1, 0);
  assert.deepEqual(one, { x: 10, y: 90 });
  assert.equal(other?.x, 12);
  assert.ok((other?.y ?? 90) <= 74 && (other?.y ?? 0) > 60);
  const [, aside] = apart([{ x: 10, y: 3 }, { x: 10, y: 3 }], 1, 0);
  assert.ok((aside?.y ?? -1) >= 0 && (aside?.x ?? 0) >= 25);
});

test("the time ends a round trip after the last completion, or with what was never complete", () => {
  const late = trace("a", { done_s: 0.5, end_s: 0.9 });
  assert.equal(wholeOf([late], 0.1), 0.6);
  assert.equal(wholeOf([late], 0.7), 0.9);
  assert.equal(wholeOf([late, trace("b", { done_s: null, end_s: 3 })], 0.1), 3);
});

test("a completion is marked on the line of what was sent; a flow that never was complete has none", () => {
  const found = completions(kind("sequence"), shown(trace("a"), trace("b", { done_s: null })));
  assert.deepEqual(found.map((one) => [one.trace.startup, one.at_s, one.value]), [["a", 0.9, 1e6]]);
  assert.deepEqual(completions(kind("cwnd"), shown(trace("a"))), []);
});

test("events on one spot are one mark", () => {
  const spots = Array.from({ length: 100 }, (_, at) => ({ x: at / 10, y: 5 }));
  const kept = thinned(spots, 1);
  assert.ok(kept.length < 5 && kept.length > 1, String(kept.length));
});

test("an answer's lines are read from its tail, and its delivery rate is made of what was delivered", () => {
  const tail = new DataView(new ArrayBuffer(24));
  tail.setFloat32(0, 0, true);
  tail.setFloat32(4, 1000, true);
  tail.setFloat32(8, 1000, true);
  for (const [at, bin] of [0, 100, 200].entries()) tail.setUint16(12 + 2 * at, bin, true);
  const empty: Line = { bins: 0, values: 0, count: 0 };
  const acked: Line = { bins: 12, values: 0, count: 3 };
  const names = ["cwnd", "flight", "sent", "pacing", "queue", "limit"];
  const lines = Object.fromEntries(names.map((name) => [name, empty]));
  const point = { ...empty, total: 0 };
  const events = { retransmit: point, drop: point, mark: point, timeout: point };
  const head = {
    from_s: 0,
    bin_s: 0.001,
    rows: [{ min_rtt_s: 0.1 }],
    trajectories: [{ startup: "a", flow: 0, bdp_pkts: 1, done_s: 0.2, end_s: 0.2, exit: null, lines: { ...lines, acked, delivered: acked }, events }],
  } as unknown as CompareAnswer;
  const found = picture(head, tail, null);
  assert.deepEqual([...(found.traces[0]?.lines.acked.values ?? [])], [0, 1000, 1000]);
  assert.ok(Math.max(...(found.traces[0]?.lines.delivery.values ?? [])) === 80_000);
  assert.equal(found.to_s, 0.2);
});
