// The explorer as people use it: sliders dragged and moved by keys, back and reload, a command that
// prints the same numbers, a narrow window, and nothing that an automatic check of accessibility
// takes offence at.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, test } from "node:test";
import type { Browser, Page } from "puppeteer-core";
import { offences } from "./accessible.ts";
import { explorer, FLOWSTART, installed, launch, opened, ROOT, type Explorer } from "./harness.ts";

const skip = installed("chrome") ? false : "Chromium is not installed";
let server: Explorer;
let browser: Browser;

before(async () => {
  if (skip) return;
  server = await explorer();
  browser = await launch();
  const { origin } = new URL(server.url);
  const context = browser.defaultBrowserContext();
  await context.overridePermissions(origin, ["clipboard-read", "clipboard-write", "clipboard-sanitized-write"]);
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

/** The rows of the table that is shown, each as its cells' words. */
function rows(page: Page): Promise<string[][]> {
  return page.$$eval("table.results tbody tr:not(.group)", (found) =>
    found.map((row) =>
      [...row.children].map((cell) => {
        const copy = cell.cloneNode(true) as HTMLElement;
        for (const mark of copy.querySelectorAll(".disc")) mark.remove();
        return (copy.textContent ?? "").trim();
      }),
    ),
  );
}

/** Opens a state and waits for its table. */
async function at(page: Page, hash: string): Promise<void> {
  await page.goto(`${server.url}#${hash}`);
  await page.waitForSelector("table.results tbody tr");
}

function rate(page: Page): Promise<string> {
  return page.$eval("input[name=rate]", (input) => (input as HTMLInputElement).value);
}

/** Waits until another picture has been drawn than the one that was there after `act`. */
async function redrawn(page: Page, act: () => Promise<void>): Promise<void> {
  const count = (): number => performance.getEntriesByName("slider-to-frame").length;
  const drawn = await page.evaluate(count);
  await act();
  await page.waitForFunction(
    (before) => performance.getEntriesByName("slider-to-frame").length > before,
    {},
    drawn,
  );
}

const SMALL = "explore?rate=20Mbps&rtt=60ms&size=300kB&startup=slow-start&startup=jump-start";

test("dragging a slider changes the picture, the table and the URL; back and reload restore them", { skip }, async () => {
  const { page, complaints } = await opened(browser);
  await at(page, SMALL);
  const first = await rows(page);
  const slider = await page.waitForSelector("input[type=range][aria-label=Rate]");
  const box = await slider!.boundingBox();
  assert.ok(box);
  const value = await slider!.evaluate((one) => {
    const range = one as HTMLInputElement;
    return (Number(range.value) - Number(range.min)) / (Number(range.max) - Number(range.min));
  });
  await redrawn(page, async () => {
    await page.mouse.move(box.x + box.width * value, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.9, box.y + box.height / 2, { steps: 6 });
    await page.mouse.up();
  });
  const dragged = await rate(page);
  assert.notEqual(dragged, "20Mbps");
  await page.waitForFunction((text) => location.hash.includes(`rate=${text}`), {}, dragged);
  const second = await rows(page);
  assert.notDeepEqual(second, first);
  await page.reload();
  await page.waitForSelector("table.results tbody tr");
  assert.equal(await rate(page), dragged);
  assert.deepEqual((await rows(page))[0]?.[0], "slow-start");
  await redrawn(page, async () => void (await page.goBack()));
  assert.equal(await rate(page), "20Mbps");
  assert.deepEqual(await rows(page), first);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("sliders, panels and buttons are reached and moved by keys alone", { skip }, async () => {
  const { page, complaints } = await opened(browser);
  await at(page, SMALL);
  await page.focus("input[type=range][aria-label=Rate]");
  await redrawn(page, () => page.keyboard.press("ArrowRight"));
  assert.notEqual(await rate(page), "20Mbps");
  const reached = new Set<string>();
  for (let presses = 0; presses < 120; presses++) {
    await page.keyboard.press("Tab");
    reached.add(
      await page.evaluate(() => {
        const on = document.activeElement;
        return on?.getAttribute("aria-label") ?? on?.textContent?.trim() ?? on?.id ?? "";
      }),
    );
  }
  for (const name of ["Copy command", "Copy link", "PNG", "SVG", "Scenario file"]) {
    assert.ok(reached.has(name), `${name} is not reached by Tab`);
  }
  const panel = await page.waitForSelector(".panels [tabindex='0']");
  await panel!.focus();
  await redrawn(page, () => page.keyboard.press("+"));
  await page.waitForFunction(() => location.hash.includes("view.to="));
  await redrawn(page, () => page.keyboard.press("Escape"));
  await page.waitForFunction(() => !location.hash.includes("view.to="));
  assert.deepEqual(complaints, []);
  await page.close();
});

test("the copied command prints the numbers of the table", { skip }, async () => {
  const { page, complaints } = await opened(browser);
  await at(page, SMALL);
  const shown = await rows(page);
  await page.locator("::-p-aria([name='Copy command'])").click();
  await page.waitForFunction(() => document.querySelector("[role=status]")?.textContent === "command copied");
  const command = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(command, /^flowstart compare /);
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map((one) => one[1] ?? one[2] ?? "");
  const printed = spawnSync(FLOWSTART, [...words.slice(1), "--details", "--no-uncertainty"], {
    cwd: ROOT,
    encoding: "utf8",
    env: { ...process.env, COLUMNS: "220" },
  });
  assert.equal(printed.status, 0, printed.stderr);
  const lines = printed.stdout.split("\n").map((line) => line.trim().split(/\s{2,}/));
  for (const row of shown) {
    const line = lines.find((cells) => cells[0] === row[0]);
    assert.deepEqual(line?.filter((cell) => cell !== "◀"), row);
  }
  assert.deepEqual(complaints, []);
  await page.close();
});

test("nonsense in a field is refused with a sentence, and the last picture stays", { skip }, async () => {
  const { page } = await opened(browser);
  await at(page, SMALL);
  const before = await rows(page);
  await page.focus("input[name=rate]");
  await page.$eval("input[name=rate]", (input) => (input as HTMLInputElement).select());
  await page.keyboard.type("fast\n");
  const refusal = await page.waitForSelector("[role=alert]:not(:empty)");
  assert.match((await refusal!.evaluate((one) => one.textContent)) ?? "", /fast/);
  assert.deepEqual(await rows(page), before);
  await page.close();
});

test("a link that names no startups, or a group of them, shows them by their names", { skip }, async () => {
  const { page, complaints } = await opened(browser);
  for (const [hash, name] of [["rate=5Mbps&rtt=64ms&size=10kB", "jump-start"], ["rate=5Mbps&rtt=64ms&size=10kB&startup=all", "gauge"]] as const) {
    await at(page, `explore?${hash}`);
    await page.waitForFunction((words: string) => location.hash.includes(`startup=${words}`), {}, name);
    await page.waitForFunction((words: string) => document.querySelector(".chosen")?.textContent?.includes(words), {}, name);
  }
  await page.goto(`${server.url}#map?size=10kB&startup=all`);
  await page.waitForFunction(() => location.hash.includes("startup=gauge"));
  assert.deepEqual(complaints, []);
  await page.close();
});

test("a key that is held down on a slider is one step of the history", { skip }, async () => {
  const { page, complaints } = await opened(browser);
  await at(page, SMALL);
  await page.focus("input[type=range][aria-label=Rate]");
  const entries = await page.evaluate(() => history.length);
  for (let press = 0; press < 8; press++) await page.keyboard.press("ArrowRight");
  const moved = await rate(page);
  await page.waitForFunction((text) => location.hash.includes(`rate=${text}`), {}, moved);
  assert.equal(await page.evaluate(() => history.length), entries + 1);
  await redrawn(page, async () => void (await page.goBack()));
  assert.equal(await rate(page), "20Mbps");
  assert.deepEqual(complaints, []);
  await page.close();
});

test("packets are stepped through and scrubbed, and the panels' cursor goes with them", { skip }, async () => {
  const { page, complaints } = await opened(browser);
  await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
  await at(page, SMALL);
  await page.locator("::-p-aria([name='Play packets'])").click();
  const now = (): Promise<string> => page.$eval(".play .now", (words) => words.textContent ?? "");
  await page.waitForFunction(() => document.querySelector(".play .now")?.textContent?.startsWith("0 s"));
  await page.locator("::-p-aria([name='Step'])").click();
  const stepped = await now();
  await page.focus(".play input[type=range]");
  await page.keyboard.press("End");
  assert.notEqual(await now(), stepped);
  assert.match(await now(), /sent so far 20\d/);
  assert.match(await page.$eval("table.readout thead th", (head) => head.textContent ?? ""), /^at \d/);
  await page.waitForFunction(() => location.hash.includes("view.play=slow-start"));
  assert.deepEqual(await offences(page), []);
  await page.locator("::-p-aria([name='Close'])").click();
  await page.waitForFunction(() => !location.hash.includes("view.play"));
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Play packets");
  assert.deepEqual(complaints, []);
  await page.close();
});

test("the pointer over a panel shows the values of every startup at its time", { skip }, async () => {
  const { page, complaints } = await opened(browser);
  await at(page, SMALL);
  const over = await (await page.waitForSelector(".panel.cwnd .u-over"))!.boundingBox();
  assert.ok(over);
  await page.mouse.move(over.x + over.width * 0.3, over.y + over.height / 2);
  await page.waitForFunction(() => document.querySelector("table.readout thead th")?.textContent !== "when complete");
  const cells = await page.$$eval("table.readout tbody tr td:nth-child(2)", (found) => found.map((one) => one.textContent));
  assert.equal(cells.length, 2);
  for (const cell of cells) assert.match(cell ?? "", /^[\d.,]+$/);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("fingers read values and zoom, and buttons do so too", { skip }, async () => {
  const { page, complaints } = await opened(browser, { width: 390, height: 844 });
  await page.setViewport({ width: 390, height: 844, hasTouch: true, isMobile: true });
  await at(page, SMALL);
  await page.$eval(".panel.cwnd .u-over", (over) => over.scrollIntoView({ block: "center" }));
  const box = await (await page.$(".panel.cwnd .u-over"))?.boundingBox();
  assert.ok(box);
  const y = box.y + box.height / 2;
  const x = (share: number): number => box.x + share * box.width;
  const one = await page.touchscreen.touchStart(x(0.4), y);
  await one.move(x(0.5), y);
  assert.match(await page.$eval("table.readout thead th", (head) => head.textContent ?? ""), /^at \d/);
  await one.end();
  const fingers = [await page.touchscreen.touchStart(x(0.4), y), await page.touchscreen.touchStart(x(0.6), y)];
  await fingers[0]?.move(x(0.1), y);
  await fingers[1]?.move(x(0.9), y);
  for (const finger of fingers) await finger.end();
  await page.waitForFunction(() => location.hash.includes("view.from="));
  const press = (label: string) => page.$eval(`button[aria-label="${label}"]`, (button) => (button as HTMLElement).click());
  await press("Show all of the time");
  await page.waitForFunction(() => !location.hash.includes("view.from="));
  await redrawn(page, () => press("Zoom in"));
  const before = page.url();
  await redrawn(page, () => press("Later"));
  assert.notEqual(page.url(), before);
  await press("Zoom out");
  await page.waitForFunction(() => !location.hash.includes("view.from="));
  assert.deepEqual(complaints, []);
  await page.close();
});

test("a parameter that is changed by keys is in the URL, and the focus stays in the list", { skip }, async () => {
  const { page, complaints } = await opened(browser);
  await at(page, "explore?rate=20Mbps&rtt=60ms&size=300kB&startup=limited-slow-start");
  await page.locator("::-p-aria([name='Parameters of limited-slow-start'])").click();
  await page.focus(".parameters input");
  await page.keyboard.type("50");
  await redrawn(page, () => page.keyboard.press("Tab"));
  await page.waitForFunction(() => location.hash.includes("limited-slow-start:max_ssthresh=50"));
  assert.ok(await page.evaluate(() => document.activeElement?.closest(".parameters") !== null));
  assert.deepEqual(complaints, []);
  await page.close();
});

for (const [width, theme] of [[1400, "light"], [1400, "dark"], [390, "light"], [390, "dark"]] as const) {
  test(`at ${width} pixels, ${theme}, nothing is cut off and nothing serious is inaccessible`, { skip }, async () => {
    const { page, complaints } = await opened(browser, { width, height: 900 });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
    await at(page, SMALL);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `the page is ${wide} pixels wide`);
    assert.deepEqual(await offences(page), []);
    assert.deepEqual(complaints, []);
    await page.close();
  });
}
