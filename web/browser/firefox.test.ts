// The explorer opens in Firefox too, draws and answers a key.

import assert from "node:assert/strict";
import { test } from "node:test";
import { explorer, installed, launch, opened } from "./harness.ts";

const skip = installed("firefox") ? false : "Firefox is not installed";

test("Firefox shows the table, and a key on a slider changes it", { skip }, async () => {
  const server = await explorer();
  const browser = await launch("firefox");
  try {
    const { page, complaints } = await opened(browser);
    await page.goto(`${server.url}#explore?rate=20Mbps&rtt=60ms&size=300kB&startup=slow-start`);
    const row = await page.waitForSelector("table.results tbody tr:not(.group)");
    const before = await row!.evaluate((one) => one.textContent);
    await page.focus("input[type=range][aria-label=Rate]");
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(
      (text) => document.querySelector("table.results tbody tr:not(.group)")?.textContent !== text,
      {},
      before,
    );
    assert.deepEqual(complaints, []);
  } finally {
    await browser.close();
    await server.stop();
  }
});
