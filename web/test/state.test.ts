import assert from "node:assert/strict";
import { test } from "node:test";
import { but, read, same, written, type State } from "../src/state.ts";

const usual: State = { view: "explore", given: { rate: "50Mbps" }, own: {} };

test("what a state writes into the URL is read back as the same state", () => {
  const state: State = {
    view: "explore",
    given: {
      rate: "50Mbps",
      loss: "0.1%",
      queue: "red:th_min=5,th_max=15",
      startup: ["limited-slow-start:max_ssthresh=100", "./my start.py:A&B+C"],
    },
    own: { from: "0.1" },
  };
  assert.deepEqual(read(`#${written(state)}`, usual), state);
});

test("a URL reads like the flags that it stands for", () => {
  const given = { path: "dsl", startup: ["hystart", "search:speed=2"] };
  const text = written({ view: "map", given, own: { measure: "regret" } });
  assert.equal(text, "map?path=dsl&startup=hystart&startup=search:speed=2&view.measure=regret");
});

test("a URL without values has the usual ones, a URL with values has no others", () => {
  assert.deepEqual(read("", usual), usual);
  assert.deepEqual(read("#map", usual).given, usual.given);
  assert.deepEqual(read("#explore?rtt=1ms", usual).given, { rtt: "1ms" });
});

test("values that are taken away leave no trace in the URL", () => {
  const given = but({ rate: "1Mbps", loss: "1%" }, { loss: undefined, rate: "" });
  assert.ok(same({ ...usual, given }, { ...usual, given: {} }));
});
