// From the slider to the frame that shows it, in software rendering, as the browser measures it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "puppeteer-core";
import { explorer, installed, launch, opened, type Explorer } from "./harness.ts";
import { moved, quantile, STARTUPS, STEPS } from "./slider.ts";

const skip = installed("chrome") ? false : "Chromium is not installed";

const BUDGETS = [
  { name: "1 MB", given: "size=1MB", p95: 60 },
  { name: "10 MB", given: "size=10MB", p95: 100 },
  { name: "four competing flows of 1 MB", given: "size=1MB&flows=4", p95: 120 },
];

let server: Explorer;
let browser: Browser;

before(async () => {
  if (skip) return;
  server = await explorer();
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

for (const { name, given, p95 } of BUDGETS) {
  test(`from slider to frame: ${name}`, { skip }, async (context) => {
    const { page } = await opened(browser);
    const sizes: number[] = [];
    page.on("response", (answer) => {
      if (!answer.url().endsWith("/api/compare")) return;
      void answer.buffer().then((body) => sizes.push(body.length), () => undefined);
    });
    await page.goto(`${server.url}#explore?rate=50Mbps&rtt=80ms&${given}&${STARTUPS}`);
    await page.waitForSelector("table.results tbody tr");
    const times = await moved(page);
    const [half, most] = [quantile(times, 0.5), quantile(times, 0.95)];
    const largest = Math.max(...sizes) / 1000;
    context.diagnostic(
      `${name}: median ${half.toFixed(1)} ms, p95 ${most.toFixed(1)} ms (budget ${p95} ms); ` +
        `answers of at most ${largest.toFixed(1)} kB (budget 150 kB)`,
    );
    assert.equal(times.length, STEPS);
    assert.ok(largest <= 150, `an answer has ${largest} kB`);
    await page.close();
  });
}

test("from the command to the first answer", { skip }, async (context) => {
  const begun = performance.now();
  const other = await explorer();
  const answer = await fetch(other.url);
  await answer.arrayBuffer();
  const whole = performance.now() - begun;
  await other.stop();
  context.diagnostic(`the page was there after ${whole.toFixed(0)} ms (budget 1000 ms)`);
  assert.equal(answer.status, 200);
});
