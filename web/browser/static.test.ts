// The page that needs no server: from a file server, from a file, and with the network off.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import type { Browser, ElementHandle, Page } from "puppeteer-core";
import { offences } from "./accessible.ts";
import { installed, launch, opened, ROOT } from "./harness.ts";
import { moved, quantile, STARTUPS, STEPS } from "./slider.ts";

const PAGE = join(ROOT, "out/page/index.html");
const LISTS = join(ROOT, "tests/data/same-bytes");
/** So many scenarios of the list, evenly; all of them where EVERY is set. */
const SCENARIOS = process.env["EVERY"] ? Infinity : 50;
const skip = !installed("chrome")
  ? "Chromium is not installed"
  : !existsSync(PAGE) && "the page that needs no server is not built";

/** Milliseconds, p95 of the steps of a slider, with six startups. */
const BUDGETS = [
  { name: "1 MB", given: "rate=50Mbps&rtt=80ms&size=1MB", p95: 40 },
  { name: "10 MB", given: "rate=50Mbps&rtt=80ms&size=10MB", p95: 60 },
  { name: "100 MB", given: "rate=1Gbps&rtt=80ms&size=100MB", p95: 400 },
];
const MOST_COMPRESSED = 1_500_000;

let server: Server;
let url = "";
let browser: Browser;

before(async () => {
  if (skip) return;
  const page = readFileSync(PAGE);
  server = createServer((_, answer) => void answer.setHeader("Content-Type", "text/html").end(page));
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`;
  browser = await launch();
});

after(async () => {
  await browser?.close();
  server?.close();
});

async function shown(page: Page, at: string): Promise<number> {
  const begun = performance.now();
  await page.goto(at);
  await page.waitForSelector("table.results tbody tr");
  return performance.now() - begun;
}

test("the page simulates without a server and without a network", { skip }, async (context) => {
  const { page, complaints } = await opened(browser);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  const first = await shown(page, url);
  const elsewhere = asked.filter((one) => one !== url && !/^(data|blob):/.test(one));
  assert.deepEqual(elsewhere, []);
  await page.setOfflineMode(true);
  await page.focus("input[type=range][aria-label=Rate]");
  const before = await page.$eval("p.headline", (one) => one.textContent);
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction((old) => document.querySelector("p.headline")?.textContent !== old, {}, before);
  assert.deepEqual(complaints, []);
  context.diagnostic(`the first picture was there after ${first.toFixed(0)} ms (budget 1000 ms)`);
  await page.close();
});

test("the page works from a file", { skip }, async () => {
  const { page, complaints } = await opened(browser);
  await shown(page, pathToFileURL(PAGE).href);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("the page is small", { skip }, (context) => {
  const compressed = gzipSync(readFileSync(PAGE)).length;
  context.diagnostic(`${(compressed / 1e6).toFixed(2)} MB compressed (budget 1.5 MB)`);
  assert.ok(compressed <= MOST_COMPRESSED);
});

test("an answer that takes long shows its progress and fills in", { skip }, async () => {
  const { page, complaints } = await opened(browser);
  await shown(page, `${url}#explore?rate=1Gbps&rtt=80ms&size=1MB&${STARTUPS}`);
  await page.evaluate(() => (location.hash = location.hash.replace("size=1MB", "size=500MB")));
  const state = (done: boolean): boolean => {
    const bar = document.querySelector<HTMLProgressElement>("progress[aria-label=Simulating]");
    const rows = document.querySelectorAll("table.results tbody tr:not(.group)").length;
    if (done) return bar?.hidden === true && rows === 6;
    return bar?.hidden === false && bar.value > 0 && bar.value < 1 && rows > 0 && rows < 6;
  };
  await page.waitForFunction(state, { polling: "mutation" }, false);
  await page.waitForFunction(state, {}, true);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("packets play, and the browser's back button works", { skip }, async () => {
  const { page, complaints } = await opened(browser);
  await shown(page, `${url}#explore?rate=20Mbps&rtt=40ms&size=100kB&startup=slow-start&startup=jump-start`);
  await page.locator("::-p-text(Play packets)").click();
  await page.waitForSelector("section.play:not([hidden]) canvas.scene");
  await page.waitForFunction(() => document.querySelector("p.now")?.textContent);
  await page.goBack();
  await page.waitForSelector("section.play[hidden]");
  assert.deepEqual(complaints, []);
  await page.close();
});

test("the sample capture is read, and so is one that is chosen", { skip }, async () => {
  const { page, complaints } = await opened(browser);
  await page.goto(`${url}#captures`);
  await page.locator("::-p-text(Read the sample capture)").click();
  await page.waitForSelector("section table tbody tr");
  const chooser = await page.waitForSelector("input[type=file]");
  await (chooser as ElementHandle<HTMLInputElement>).uploadFile(join(ROOT, "tests/data/captures/web-mix.pcap.gz"));
  await page.waitForFunction(() => document.querySelector("p.headline")?.textContent?.startsWith("web-mix"));
  const command = await page.$eval("section code", (one) => one.textContent);
  assert.equal(command, "flowstart replay web-mix.pcap.gz");
  assert.deepEqual(await offences(page), []);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("a step of the tour opens by keyboard", { skip }, async () => {
  const { page, complaints } = await opened(browser);
  await page.goto(`${url}#tour`);
  await page.waitForSelector("ol.tour li");
  assert.deepEqual(await offences(page), []);
  await page.focus("ol.tour summary");
  await page.keyboard.press("Enter");
  await page.waitForSelector("ol.tour details[open]");
  await page.focus("ol.tour a");
  await page.keyboard.press("Enter");
  await page.waitForSelector("table.results tbody tr");
  assert.deepEqual(complaints, []);
  await page.close();
});

for (const name of ["chrome", "firefox"] as const) {
  const missing = skip || (!installed(name) && `${name} is not installed`);
  test(`scenarios come to the recorded bytes in ${name}`, { skip: missing }, async () => {
    const read = (file: string): string[] => readFileSync(join(LISTS, file), "utf8").trimEnd().split("\n");
    const [listed, recorded] = [read("scenarios.jsonl"), read("hashes.txt")];
    const step = Math.max(1, Math.floor(listed.length / SCENARIOS));
    const places = [...listed.keys()].filter((at) => at % step === 0 && !listed[at]?.includes('_trace":'));
    const other = await launch(name);
    try {
      const { page, complaints } = await opened(other);
      await shown(page, url);
      const found = await page.evaluate(hashed, places.map((at) => listed[at] ?? ""));
      assert.deepEqual(found, places.map((at) => recorded[at]));
      assert.deepEqual(complaints, []);
    } finally {
      await other.close();
    }
  });
}

/** Runs in the page, with the module that the page holds. */
async function hashed(scenarios: string[]): Promise<string[]> {
  const packed = document.getElementById("engine")?.textContent?.trim() ?? "";
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const { instance } = await WebAssembly.instantiate(await new Response(stream).arrayBuffer(), {});
  const called = instance.exports as Record<string, (length?: number) => number>;
  const memory = instance.exports["memory"] as WebAssembly.Memory;
  return scenarios.map((scenario) => {
    const request = new TextEncoder().encode(scenario);
    const at = called["input"]?.(request.length) ?? 0;
    new Uint8Array(memory.buffer, at, request.length).set(request);
    called["same_bytes"]?.();
    const [begin, length] = [called["output"]?.() ?? 0, called["output_length"]?.() ?? 0];
    return new TextDecoder().decode(new Uint8Array(memory.buffer, begin, length));
  });
}

for (const { name, given, p95 } of BUDGETS) {
  test(`from slider to frame without a server: ${name}`, { skip }, async (context) => {
    const { page } = await opened(browser);
    await shown(page, `${url}#explore?${given}&${STARTUPS}`);
    const times = await moved(page);
    const [half, most] = [quantile(times, 0.5), quantile(times, 0.95)];
    context.diagnostic(
      `${name}: median ${half.toFixed(1)} ms, p95 ${most.toFixed(1)} ms (budget ${p95} ms)`,
    );
    assert.equal(times.length, STEPS);
    await page.close();
  });
}
