// The pictures of the explorer and of a report in the docs, into docs/images.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "puppeteer-core";
import { explorer, FLOWSTART, installed, launch, opened, ROOT } from "./harness.ts";

const CAPTURE = "tests/data/captures/web-mix.pcap.gz";
const STARTUPS = ["slow-start", "limited-slow-start", "hystart", "hystart-plus-plus", "search", "jump-start"];
const STATE = `rate=50Mbps&rtt=80ms&size=1MB&${STARTUPS.map((name) => `startup=${name}`).join("&")}`;
/** Until what follows an answer (intervals, finer levels) is there as well. */
const SETTLED_MS = 2500;

interface Shot {
  name: string;
  hash: string;
  width?: number;
  height?: number;
  theme?: "light" | "dark";
  /** What is done before the picture is taken. */
  act?: (page: Page) => Promise<void>;
}

async function press(page: Page, words: string): Promise<void> {
  const button = await page.waitForSelector(`xpath///button[normalize-space()="${words}"]`, { visible: true });
  await button?.evaluate((one) => (one as HTMLElement).click());
}

/** Plays until the first losses are on their way. */
async function play(page: Page): Promise<void> {
  await press(page, "Play packets");
  await page.waitForSelector("section.play canvas");
  await page.select("section.play select", "jump-start");
  const scrubber = await page.waitForSelector("section.play input[type=range]");
  await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
  await scrubber?.evaluate((one) => {
    const range = one as HTMLInputElement;
    range.value = String(0.19 * Number(range.max));
    range.dispatchEvent(new Event("input"));
  });
}

async function replay(page: Page): Promise<void> {
  await press(page, "Replay");
  await page.waitForSelector("[aria-label^='Open transfer']", { timeout: 120_000 });
}

async function paper(page: Page): Promise<void> {
  await page.waitForSelector("main figure svg, main figure img", { timeout: 120_000 });
}

const SHOTS: Shot[] = [
  { name: "explorer", hash: `explore?${STATE}` },
  { name: "explorer-dark", hash: `explore?${STATE}`, theme: "dark", width: 390, height: 844 },
  { name: "explorer-play", hash: `explore?${STATE}`, act: play },
  { name: "explorer-map", hash: `map?${STATE}` },
  { name: "explorer-captures", hash: `captures?${STATE}`, act: replay },
  { name: "explorer-papers", hash: "papers?view.figure=JS-F1", act: paper },
];

async function shoot(browser: Browser, url: string, shot: Shot): Promise<void> {
  const { page } = await opened(browser, { width: shot.width ?? 1400, height: shot.height ?? 1000 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: shot.theme ?? "light" }]);
  await page.goto(url);
  await page.waitForSelector("main, table");
  await shot.act?.(page);
  await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
  await page.screenshot({ path: join(ROOT, `docs/images/${shot.name}.png`) });
  console.log(`docs/images/${shot.name}.png`);
  await page.close();
}

/** The report that a comparison leaves. */
async function report(browser: Browser): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "flowstart-report-"));
  const asked = ["--rate", "50Mbps", "--rtt", "80ms", "--size", "100kB,1MB,10MB", "-o", folder];
  const ran = spawnSync(FLOWSTART, ["compare", ...asked, "--startup", STARTUPS.join()], { encoding: "utf8" });
  if (ran.status !== 0) throw new Error(ran.stderr);
  const url = `file://${join(folder, "report.html")}`;
  await shoot(browser, url, { name: "report", hash: "" });
  rmSync(folder, { recursive: true });
}

if (installed("chrome") === undefined) {
  console.log("Chromium is not installed, so no pictures were drawn");
} else {
  const server = await explorer("--capture", CAPTURE);
  const browser = await launch();
  for (const shot of SHOTS) await shoot(browser, `${server.url}#${shot.hash}`, shot);
  await report(browser);
  await browser.close();
  await server.stop();
}
