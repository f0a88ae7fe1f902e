// Map, captures and papers as people use them: by pointer and by keys, down to the view that a cell,
// a transfer or a set-up opens.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, ElementHandle, Page } from "puppeteer-core";
import { offences } from "./accessible.ts";
import { explorer, FLOWSTART, installed, launch, opened, ROOT, type Explorer } from "./harness.ts";

const skip = installed("chrome") ? false : "Chromium is not installed";
const STATE = "rate=50Mbps&rtt=80ms&size=100kB&startup=slow-start&startup=hystart&startup=jump-start";
const CAPTURE = join(ROOT, "tests/data/captures/small.pcap");
const SWEEP = `
startups = ["slow-start", "hystart"]
[path]
rate = ["3Mbps", "30Mbps"]
rtt = ["20ms", "80ms"]
[flow]
size = "100kB"
`;
let folder: string;
let server: Explorer;
let browser: Browser;

before(async () => {
  if (skip) return;
  folder = mkdtempSync(join(tmpdir(), "flowstart-views-"));
  writeFileSync(join(folder, "sweep.toml"), SWEEP);
  const sweep = join(folder, "sweep");
  const swept = spawnSync(FLOWSTART, ["sweep", join(folder, "sweep.toml"), "-o", sweep]);
  assert.equal(swept.status, 0, String(swept.stderr));
  server = await explorer("--map", sweep, "--capture", CAPTURE);
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await server?.stop();
  if (folder) rmSync(folder, { recursive: true });
});

/** Opens a view and waits for what it shows. */
async function at(page: Page, hash: string, selector: string): Promise<void> {
  await page.goto(`${server.url}#${hash}`);
  await page.waitForSelector(selector);
}

/** Presses a button by its words. */
async function press(page: Page, words: string): Promise<void> {
  const button = await page.waitForSelector(`xpath///button[normalize-space()="${words}"]`, { visible: true });
  await (button as ElementHandle<HTMLButtonElement>).click();
}

function hash(page: Page): string {
  return decodeURIComponent(new URL(page.url()).hash);
}

/** Waits until the URL names a view. */
function goes(page: Page, view: string): Promise<unknown> {
  return page.waitForFunction((name) => location.hash.startsWith(`#${name}`), {}, view);
}

test("the map is there at once and refined, and Enter opens the cell that arrow keys reach", { skip }, async () => {
  const { page, complaints } = await opened(browser);
  await at(page, `map?${STATE}`, ".map-key span");
  await page.waitForFunction(() => document.querySelector(".map-plane .hint")?.textContent === "");
  await page.focus(".heatmap-plane");
  for (const key of ["ArrowRight", "ArrowUp"] as const) await page.keyboard.press(key);
  const said = await page.$eval(".heatmap-said", (found) => found.textContent ?? "");
  const [, rate, rtt] = /^(\S+bps) × (\S+ms); \S+: /.exec(said) ?? [];
  assert.ok(rate && rtt, said);
  await page.keyboard.press("Enter");
  await goes(page, "explore");
  assert.match(hash(page), new RegExp(`rate=${rate}&rtt=${rtt}&size=100kB`));
  await page.waitForSelector("table.results tbody tr");
  await page.goBack();
  await page.waitForSelector(".map-key span");
  assert.deepEqual(complaints, []);
});

test("a click opens a cell of a sweep with its own values", { skip }, async () => {
  const { page, complaints } = await opened(browser);
  await at(page, `map?${STATE}&view.map=0`, ".map-key span");
  const plane = await page.waitForSelector(".heatmap-plane");
  const box = await plane?.boundingBox();
  assert.ok(box);
  await page.mouse.click(box.x + 0.75 * box.width, box.y + 0.25 * box.height);
  await goes(page, "explore");
  assert.match(hash(page), /rate=30Mbps/);
  assert.match(hash(page), /rtt=80ms/);
  assert.deepEqual(complaints, []);
});

test("a capture is replayed, and a transfer opens as its size over the path of its network", { skip }, async () => {
  const { page, complaints } = await opened(browser);
  await at(page, `captures?${STATE}`, ".options:not([hidden]) select option");
  await page.click("input[type=checkbox]");
  await press(page, "Replay");
  const link = await page.waitForSelector("[aria-label^='Open transfer']", { timeout: 60_000 });
  await link?.click();
  await press(page, "Open in Explore");
  await goes(page, "explore");
  assert.match(hash(page), /size=\d+B/);
  assert.match(hash(page), /reverse-rate=\d+bps/);
  await page.waitForSelector("table.results tbody tr");
  await page.goBack();
  await page.waitForSelector("[aria-label^='Open transfer']");
  assert.deepEqual(complaints, []);
});

test("a replay's changes are drawn with their intervals, and another statistic is in the link", { skip }, async () => {
  const { page, complaints } = await opened(browser);
  await at(page, `captures?${STATE}`, ".options:not([hidden])");
  await press(page, "Replay");
  await page.waitForSelector(".whiskers circle", { timeout: 60_000 });
  const first = await page.$eval(".whiskers", (table) => table.textContent);
  await page.select("select[id^=statistic]", "p95");
  await page.waitForFunction((before) => document.querySelector(".whiskers")?.textContent !== before, {}, first);
  assert.match(hash(page), /view\.statistic=p95/);
  assert.deepEqual(await offences(page), []);
  assert.deepEqual(complaints, []);
});

test("a file that is no capture is refused with its name", { skip }, async () => {
  const { page } = await opened(browser);
  const file = join(folder, "song.mp3");
  writeFileSync(file, "ID3 la la");
  await at(page, "captures", "input[type=file]");
  const input = (await page.$("input[type=file]")) as ElementHandle<HTMLInputElement>;
  await input.uploadFile(file);
  await page.waitForFunction(() => document.querySelector(".job .refusal")?.textContent !== "");
  const words = await page.$eval(".job .refusal", (found) => found.textContent);
  assert.match(words ?? "", /^song\.mp3 is not a capture/);
});

test("papers say what is in them, and a quick figure shows what is measured when it is opened, and opens its set-up", { skip }, async () => {
  const { page, complaints } = await opened(browser);
  await at(page, `papers?${STATE}`, "section.paper a");
  assert.equal(await page.$$eval("section.paper", (found) => found.length), 5);
  await page.$$eval("section.paper a", (all) => (all.find((one) => one.textContent?.includes("JS-IN")) as HTMLElement | undefined)?.click());
  await page.waitForSelector("article table");
  await at(page, `papers?${STATE}&view.figure=JS-F1`, "article table");
  await page.waitForSelector("figure img", { timeout: 60_000 });
  const headings = await page.$$eval("article h2", (found) => found.map((one) => one.textContent));
  assert.deepEqual(headings.slice(1), ["Its set-ups", "Published and simulated"]);
  await press(page, "Open in Explore");
  await goes(page, "explore");
  assert.match(hash(page), /rate=5Mbps/);
  assert.match(hash(page), /stack=ns2:iw=3/);
  await page.waitForSelector("table.results tbody tr");
  assert.deepEqual(complaints, []);
});

for (const [width, scheme] of [[1400, "light"], [390, "dark"]] as const) {
  test(`nothing serious is found in the views at ${width} pixels, ${scheme}`, { skip }, async () => {
    const { page, complaints } = await opened(browser, { width, height: 844 });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    const views: [string, string][] = [
      [`map?${STATE}`, ".map-key span"],
      [`map?${STATE}&view.map=0`, ".map-key span"],
      ["captures", ".options:not([hidden])"],
      ["papers?view.figure=HY-F1", "article table"],
    ];
    for (const [view, selector] of views) {
      await at(page, view, selector);
      assert.deepEqual(await offences(page), [], view);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${view} is ${wide} pixels too wide`);
    }
    assert.deepEqual(complaints, []);
  });
}

test("Firefox draws the map, and Enter opens a cell", { skip: skip || (installed("firefox") ? false : "Firefox is not installed") }, async () => {
  const firefox = await launch("firefox");
  try {
    const { page, complaints } = await opened(firefox);
    await at(page, `map?${STATE}`, ".map-key span");
    await page.focus(".heatmap-plane");
    for (const key of ["ArrowRight", "Enter"] as const) await page.keyboard.press(key);
    await goes(page, "explore");
    await page.waitForSelector("table.results tbody tr");
    assert.deepEqual(complaints, []);
  } finally {
    await firefox.close();
  }
});
