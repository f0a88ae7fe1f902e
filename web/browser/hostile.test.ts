// Names that others chose: of startups, captures, sweeps, networks and dropped files. They are shown
// as text, and nothing in them becomes a part of the page.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, ElementHandle, Page } from "puppeteer-core";
import { explorer, FLOWSTART, installed, launch, opened, ROOT, type Explorer } from "./harness.ts";

const skip = installed("chrome") ? false : "Chromium is not installed";
const TAG = '<img src=x onerror="document.title=1">';
const NAMES = [TAG, `"'><b id=injected>`, "\u202efdp.exe", "${1}&amp;&#60;i&#62;", "n".repeat(200), "two\nlines"];
const CAPTURE = join(ROOT, "tests/data/captures/small.pcap");
const SWEEP = `
startups = ["slow-start", "hystart"]
[path]
rate = ["3Mbps", "30Mbps"]
rtt = "20ms"
[flow]
size = "10kB"
`;
let folder: string;
let startup: string;
let server: Explorer;
let browser: Browser;

before(async () => {
  if (skip) return;
  folder = mkdtempSync(join(tmpdir(), "flowstart-hostile-"));
  const captures = NAMES.map((name) => join(folder, `${name}.pcap`));
  for (const file of captures) copyFileSync(CAPTURE, file);
  const sweep = join(folder, TAG);
  writeFileSync(join(folder, "sweep.toml"), SWEEP);
  const swept = spawnSync(FLOWSTART, ["sweep", join(folder, "sweep.toml"), "-o", sweep]);
  assert.equal(swept.status, 0, String(swept.stderr));
  const file = join(folder, `${TAG}.py`);
  writeFileSync(file, "import flowstart as fs\n\n\nclass Mine(fs.Startup):\n    def on_ack(self, ack, window):\n        pass\n");
  startup = `${file}:Mine`;
  const named = captures.flatMap((each) => ["--capture", each]);
  server = await explorer("--map", sweep, "--startup", startup, ...named);
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await server?.stop();
  if (folder) rmSync(folder, { recursive: true });
});

async function at(page: Page, hash: string, selector: string): Promise<void> {
  await page.goto(`${server.url}#${hash}`);
  await page.waitForSelector(selector);
}

/** Asserts that the page shows these words, and has no element that they would make. */
async function shows(page: Page, words: string): Promise<void> {
  const text = await page.evaluate(() => document.documentElement.textContent ?? "");
  assert.ok(text.includes(words), `${words} is not shown`);
  const made = await page.$$eval("img[src=x], #injected, main i", (elements) => elements.length);
  assert.equal(made, 0);
  assert.notEqual(await page.title(), "1");
}

const STATE = "rate=20Mbps&rtt=60ms&size=100kB&startup=slow-start";

test("the name of a startup's file is text in tables, panels and what is copied", { skip }, async () => {
  const { page, complaints } = await opened(browser);
  await at(page, `explore?${STATE}&startup=${encodeURIComponent(startup)}`, "table.results tbody tr");
  await shows(page, TAG);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("names of captures are text, one by one", { skip }, async () => {
  const { page, complaints } = await opened(browser);
  await at(page, `captures?${STATE}`, ".options:not([hidden]) select option");
  for (const name of NAMES) await shows(page, name);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("the name of a sweep's folder is text", { skip }, async () => {
  const { page, complaints } = await opened(browser);
  await at(page, "map", "select option");
  await shows(page, TAG);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("the name of a dropped file is text in its refusal", { skip }, async () => {
  const { page } = await opened(browser);
  const song = join(folder, `${TAG}.mp3`);
  writeFileSync(song, "ID3");
  await at(page, "captures", "input[type=file]");
  const input = (await page.$("input[type=file]")) as ElementHandle<HTMLInputElement>;
  await input.uploadFile(song);
  await page.waitForFunction(
    (name) => (document.body.textContent ?? "").includes(`${name} is not a capture`),
    {},
    `${TAG}.mp3`,
  );
  await shows(page, `${TAG}.mp3`);
  await page.close();
});

test("fields of an address are text", { skip }, async () => {
  const { page } = await opened(browser);
  await page.goto(`${server.url}#explore?${STATE}&rate=${encodeURIComponent(TAG)}&startup=${encodeURIComponent(TAG)}`);
  await page.waitForFunction((words) => (document.body.textContent ?? "").includes(words), {}, TAG);
  await shows(page, TAG);
  await page.close();
});

test("a copied link has no token, and opens the same state with one", { skip }, async () => {
  const { page, complaints } = await opened(browser);
  const { origin, search } = new URL(server.url);
  const context = browser.defaultBrowserContext();
  await context.overridePermissions(origin, ["clipboard-read", "clipboard-write", "clipboard-sanitized-write"]);
  await at(page, `explore?${STATE}`, "table.results tbody tr");
  await page.locator("::-p-aria([name='Copy link'])").click();
  await page.waitForFunction(
    () => document.querySelector("[role=status]")?.textContent === "link copied, without the token",
  );
  const link = new URL(await page.evaluate(() => navigator.clipboard.readText()));
  assert.equal(link.search, "");
  assert.equal(link.hash, new URL(page.url()).hash);
  await page.goto(`${origin}/${search}${link.hash}`);
  await page.waitForSelector("table.results tbody tr");
  assert.deepEqual(complaints, []);
  await page.close();
});
