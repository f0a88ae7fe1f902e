// Reports, opened as files in a browser that has no network.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "puppeteer-core";
import { FLOWSTART, installed, launch, opened, ROOT } from "./harness.ts";

const folder = mkdtempSync(join(tmpdir(), "flowstart-report-"));
const missing = installed("chrome") ? false : "chromium is not installed";
let browser: Browser;
const SWEEP = `
startups = ["slow-start", "jump-start", "hystart"]
[path]
rate = ["5Mbps", "20Mbps", "100Mbps"]
rtt = ["20ms", "80ms"]
[flow]
size = ["10kB", "300kB"]
`;

before(async () => {
  if (missing) return;
  const options = ["--rate", "20Mbps", "--rtt", "40ms", "--size", "100kB,1MB", "--repeat", "2"];
  execFileSync(FLOWSTART, ["compare", ...options, "--loss", "1%", "-o", join(folder, "compare")]);
  const sweep = join(folder, "sweep.toml");
  writeFileSync(sweep, SWEEP);
  execFileSync(FLOWSTART, ["sweep", sweep, "-o", join(folder, "sweep")]);
  execFileSync(FLOWSTART, ["map", join(folder, "sweep"), "-o", join(folder, "map")]);
  const capture = join(ROOT, "tests/data/captures/small.pcap");
  execFileSync(FLOWSTART, ["replay", capture, "--startup", "slow-start,hystart", "-o", join(folder, "replay")]);
  execFileSync(FLOWSTART, ["papers", "run", "QS-T1", "-o", join(folder, "papers")]);
  browser = await launch();
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The report of a command, once its script has run. */
async function report(name: string, hash = "", size?: { width: number; height: number }) {
  const file = name === "papers" ? "quick-start-low-latency.html" : "report.html";
  const { page, complaints } = await opened(browser, size);
  await page.setOfflineMode(true);
  await page.goto(`${pathToFileURL(join(folder, name, file))}${hash}`);
  await page.waitForSelector("html[data-ready]");
  return { page, complaints };
}

/** Refuses a page that is wider than a telephone, or that axe-core finds serious things in. */
async function telephone(page: Page): Promise<void> {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `the page is ${wide} pixels wide`);
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  const found = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> } };
    const { violations } = await axe.run();
    return violations
      .filter(({ impact }) => ["serious", "critical"].includes(impact))
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  });
  assert.deepEqual(found, []);
}

/** What the visible rows of the first table have in a column. */
function column(page: Page, at: number): Promise<string[]> {
  return page.$$eval(
    ".flowstart:not(.list *) tbody tr:not([hidden])",
    (rows, at) => rows.map((row) => row.querySelectorAll("td")[at]?.textContent ?? "").filter(Boolean),
    at,
  );
}

test("a report shows its figures and charts, and complains of nothing", { skip: missing }, async () => {
  const { page, complaints } = await report("compare");
  const widths = await page.$$eval("figure img", async (images) => {
    await Promise.all(images.map((image) => image.decode()));
    return images.map((image) => image.naturalWidth);
  });
  assert.ok(widths.every((width) => width > 100), String(widths));
  const drawn = await page.$$eval(".lines canvas, .over-time canvas", (all) => all.length);
  assert.equal(drawn, 6, "a chart over size, and five panels over time");
  assert.deepEqual(complaints, []);
  await page.close();
});

test("a table is sorted and filtered, and link and back give each state again", { skip: missing }, async () => {
  const { page } = await report("compare");
  const before = await column(page, 1);
  await page.click('.flowstart thead th:nth-child(2) button');
  const sorted = await column(page, 1);
  assert.notDeepEqual(sorted, before);
  assert.equal(await page.$eval("[aria-sort]", (head) => head.getAttribute("aria-sort")), "ascending");
  await page.type(".bar input", "jump");
  assert.deepEqual(new Set(await column(page, 0)), new Set(["jump-start"]));
  const { page: other } = await report("compare", await page.evaluate(() => location.hash));
  assert.deepEqual(await column(other, 1), await column(page, 1));
  await page.goBack();
  assert.deepEqual(await column(page, 1), before);
  await page.close();
  await other.close();
});

test("a number names its rows, and with keys alone lists them and their command", { skip: missing }, async () => {
  const { page, complaints } = await report("compare");
  await page.focus("button.number");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  const tip = await page.$eval("#tip", (tip) => tip.textContent ?? "");
  assert.match(tip, /mean of fct_s where complete|greatest fct_s/);
  assert.match(tip, /over 2 rows/);
  await page.keyboard.press("Enter");
  const rows = await page.$$eval(".list tbody tr", (rows) => rows.length);
  assert.equal(rows, 2);
  await page.click(".list tbody button");
  const command = await page.$eval(".detail pre", (code) => code.textContent ?? "");
  assert.match(command, /^flowstart compare .*--startup [\w-]+ --size 100kB --seed 1$/);
  const again = JSON.parse(execFileSync(FLOWSTART, [...command.split(" ").slice(1), "--json"]).toString()) as {
    rows: { fct_s: number }[];
  };
  const shown = await page.$eval(".detail dl", (list) => list.textContent ?? "");
  const time = /fct_s([\d.]+) ms/.exec(shown)?.[1];
  assert.ok(Math.abs(Number(time) / 1e3 / (again.rows[0]?.fct_s ?? 0) - 1) < 1e-3);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("a chart is zoomed and read with keys, and lists the rows of a point", { skip: missing }, async () => {
  const { page, complaints } = await report("compare");
  await page.focus(".lines-plot");
  await page.keyboard.press("ArrowRight");
  const said = await page.$eval(".lines-said", (said) => said.textContent ?? "");
  assert.match(said, /^slow-start, size 1 MB, slowdown [\d.]+, 2 rows$/);
  await page.keyboard.press("Enter");
  assert.equal((await page.$$(".list tbody tr")).length, 2);
  await page.focus(".lines-plot");
  await page.keyboard.press("+");
  assert.match(await page.evaluate(() => location.hash), /chart1\.zoom=/);
  await page.goBack();
  assert.doesNotMatch(await page.evaluate(() => location.hash), /chart1\.zoom=/);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("flows over time are read with keys and zoomed, and the link has the zoom", { skip: missing }, async () => {
  const { page, complaints } = await report("compare", "#time.of=1+MB");
  assert.equal(await page.$eval(".over-time select", (select) => select.value), "1 MB");
  await page.focus(".over-time .plot");
  await page.keyboard.press("End");
  const rows = await page.$$eval(".readout tbody tr", (rows) => rows.map((row) => row.textContent ?? ""));
  assert.ok(rows.some((row) => row.includes("1 MB")), "the last to end has all of it acknowledged");
  await page.keyboard.press("+");
  assert.match(await page.evaluate(() => location.hash), /time\.zoom=[\d.]+%2C[\d.]+/);
  await page.keyboard.press("Escape");
  assert.doesNotMatch(await page.evaluate(() => location.hash), /time\.zoom/);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("a name in the legend leaves its line out of all charts, and the link says so", { skip: missing }, async () => {
  const { page, complaints } = await report("compare");
  const names = () => page.$$eval(".readout tbody th", (all) => all.map((one) => one.textContent));
  const before = await names();
  await page.click(".legend button");
  assert.deepEqual(await names(), before.slice(1));
  assert.match(await page.evaluate(() => location.hash), /off=slow-start/);
  const buttons = await page.$$(".legend button");
  await buttons.at(-1)?.click();
  assert.deepEqual(await names(), []);
  await page.goBack();
  await page.goBack();
  assert.deepEqual(await names(), before);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("a map shows what each startup costs, and a tile lists its rows", { skip: missing }, async () => {
  const { page, complaints } = await report("map");
  assert.ok((await page.$$("figure img")).length >= 3);
  await page.select(".maps select", "hystart");
  assert.match(await page.evaluate(() => location.hash), /map\.of=hystart/);
  await page.focus(".heatmap-plane");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  const startups = await page.$$eval(".list tbody tr", (rows) => rows.length);
  assert.equal(startups, 3, "one cell under three startups");
  assert.deepEqual(complaints, []);
  await page.close();
});

test("a row of a sweep is run again from its page", { skip: missing }, async () => {
  const { page, complaints } = await report("sweep", "#rows.row=36");
  const told = await page.$eval(".detail", (detail) => detail.textContent ?? "");
  assert.match(told, /flowstart compare scenario\.json --startup [\w-]+/);
  assert.match(told, /Save scenario\.json/);
  assert.deepEqual(complaints, []);
  await page.close();
});

for (const name of ["sweep", "map", "replay", "papers"]) {
  test(`the report of ${name} complains of nothing, fits a telephone and keeps axe-core's rules`, { skip: missing }, async () => {
    const { page, complaints } = await report(name, "#rows.row=1", { width: 390, height: 800 });
    await telephone(page);
    assert.deepEqual(complaints, []);
    await page.close();
  });
}

test("Firefox shows a report too", { skip: installed("firefox") ? false : "firefox is not installed" }, async () => {
  const firefox = await launch("firefox");
  const { page, complaints } = await opened(firefox);
  await page.goto(`${pathToFileURL(join(folder, "compare", "report.html"))}#1.sort=1,down`);
  await page.waitForSelector("html[data-ready]");
  assert.equal(await page.$eval("[aria-sort]", (head) => head.getAttribute("aria-sort")), "descending");
  assert.deepEqual(complaints, []);
  await firefox.close();
});

for (const scheme of ["light", "dark"]) {
  test(`accessible by axe-core's rules, ${scheme} and on a telephone`, { skip: missing }, async () => {
    const { page } = await report("compare", "#rows.row=1", { width: 390, height: 800 });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await telephone(page);
    await page.close();
  });
}

for (const name of ["compare", "sweep", "map", "replay"]) {
  test(`the size of the report of ${name} is told`, { skip: missing }, () => {
    const bytes = statSync(join(folder, name, "report.html")).size;
    console.log(`report of ${name}: ${Math.round(bytes / 1e3)} kB`);
    assert.ok(bytes <= 500_000);
  });
}
