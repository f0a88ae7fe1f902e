// The simulator as a module of WebAssembly, as the page has it: the same bytes as everywhere else.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { CaptureContents } from "../src/answers.ts";
import { Refused } from "../src/api.ts";
import { Engine } from "../src/engine/engine.ts";
import { STEPS } from "../src/explorer/tour.ts";
import { unpack, type About, type CompareAnswer, type PacketsAnswer } from "../src/protocol.ts";

const ROOT = join(process.cwd(), "..");
const MODULE = join(ROOT, "target/wasm32-unknown-unknown/wasm/flowstart_wasm.wasm");
const PAGE = join(ROOT, "out/page/index.html");
const LISTS = join(ROOT, "tests/data/same-bytes");
const skip = existsSync(MODULE) && existsSync(PAGE) ? false : "the page's simulator is not built";
/** So many scenarios of the list, evenly; all of them where EVERY is set. */
const SCENARIOS = process.env["EVERY"] ? Infinity : 50;

interface Choices {
  about: About;
  settings: unknown;
}

function choices(): Choices {
  const page = readFileSync(PAGE, "utf8");
  const found = /<script type="application\/json" id="choices">(.*?)<\/script>/s.exec(page);
  return JSON.parse(found?.[1] ?? "") as Choices;
}

async function engine(): Promise<Engine> {
  return Engine.of(await WebAssembly.compile(readFileSync(MODULE)), choices().settings);
}

function text(answer: ArrayBuffer): string {
  return new TextDecoder().decode(answer);
}

function lines(name: string): string[] {
  return readFileSync(join(LISTS, name), "utf8").trimEnd().split("\n");
}

test("scenarios come to the recorded bytes", { skip }, async (context) => {
  const recorded = lines("hashes.txt");
  const listed = lines("scenarios.jsonl");
  const step = Math.max(1, Math.floor(listed.length / SCENARIOS));
  // A module reads no files.
  const places = [...listed.keys()].filter((at) => at % step === 0 && !listed[at]?.includes("_trace\":"));
  const found = await engine();
  for (const at of places) {
    assert.equal(text(found.ask("same_bytes", listed[at] ?? "")), recorded[at]);
  }
  context.diagnostic(`${places.length} scenarios of ${listed.length}`);
});

test("what the page shows first has a row and a line of each startup", { skip }, async () => {
  const { first } = choices().about;
  const answer = (await engine()).ask("compare", JSON.stringify({ given: first, columns: 600 }));
  const { head } = unpack<CompareAnswer>(answer);
  assert.deepEqual(head.startups, first.startup);
  assert.equal(head.table.rows.length, first.startup?.length);
  assert.equal(head.trajectories.length, first.startup?.length);
});

test("parts of two modules come to the bytes of one", { skip }, async () => {
  const request = JSON.stringify({ given: choices().about.first, columns: 600 });
  const [one, other, third] = await Promise.all([engine(), engine(), engine()]);
  const parts = [0, 1, 2, 3, 4, 5].map((number) => (number % 2 ? one : other).ask("part", `${number}\0${request}`));
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  assert.deepEqual(third.ask("compare", request, bytes), other.ask("compare", request));
});

test("the answers of the tour have the numbers of its runs", { skip }, async () => {
  const found = await engine();
  for (const { title, given, answer, cells } of STEPS) {
    const { head } = unpack<CompareAnswer>(found.ask("compare", JSON.stringify({ given })));
    for (const cell of cells) {
      assert.ok(head.table.rows.flat().includes(cell), `${title}: ${cell} is not in the table`);
      assert.ok(answer.includes(cell), `${title}: ${cell} is not in the answer`);
    }
  }
});

test("packets are answered one by one", { skip }, async () => {
  const { first } = choices().about;
  const request = { given: first, startup: "jump-start", most: 20 };
  const answer = (await engine()).ask("packets", JSON.stringify(request));
  assert.equal((JSON.parse(text(answer)) as PacketsAnswer).kind.length, 20);
});

test("a capture is read from memory", { skip }, async () => {
  const name = "web-mix.pcap.gz";
  const file = new Uint8Array(readFileSync(join(ROOT, "tests/data/captures", name)));
  const found = JSON.parse(text((await engine()).ask("capture", name, file))) as CaptureContents;
  assert.match(found.headline, /^web-mix\.pcap\.gz: [\d,]+ packets, /);
  assert.equal(found.tables.length, 3);
  assert.ok(found.tables.every((table) => table.rows.length > 0));
});

test("a refusal is the simulator's sentence, and the engine goes on", { skip }, async () => {
  const found = await engine();
  const wrong = JSON.stringify({ given: { rate: "5", rtt: "80ms" } });
  assert.throws(() => found.ask("compare", wrong), (error) =>
    error instanceof Refused && error.status === 400 && error.message.startsWith("--rate: `5`"));
  const right = JSON.stringify({ given: { rate: "5Mbps", rtt: "80ms", size: "10kB" } });
  assert.ok(found.ask("compare", right).byteLength > 1000);
});
