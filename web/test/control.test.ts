import assert from "node:assert/strict";
import { test } from "node:test";
import { withLabels } from "../src/ui/control.ts";

const CONTROLS = [
  { flag: "rate", label: "Rate" },
  { flag: "flows", label: "Competing flows" },
];

test("a refusal names the controls of the page instead of options", () => {
  assert.equal(withLabels("--rate: `x` is not a rate; with --flows too", CONTROLS), "Rate: `x` is not a rate; with Competing flows too");
});

test("an option without a control stays as it is", () => {
  assert.equal(withLabels("raise it with --max-time 1h", CONTROLS), "raise it with --max-time 1h");
});
