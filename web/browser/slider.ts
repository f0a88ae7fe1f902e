// A slider that is moved step by step, and how long each step takes.

import type { Page } from "puppeteer-core";

/** The startups of the measurements. */
const SIX = ["slow-start", "limited-slow-start", "hystart", "hystart-plus-plus", "search", "jump-start"];
export const STARTUPS = SIX.map((name) => `startup=${name}`).join("&");
export const STEPS = 100;
/** Between two steps: as fast as a finger moves over the positions of a slider. */
const PAUSE_MS = 30;

/** Moves the slider of the rate to and fro, step by step, each after the last was drawn. */
export async function moved(page: Page): Promise<number[]> {
  // The first picture is no step; it is measured once it is complete.
  await page.waitForFunction(() => performance.getEntriesByName("slider-to-frame").length > 0);
  await page.evaluate(() => performance.clearMeasures());
  await page.focus("input[type=range][aria-label=Rate]");
  for (let step = 0; step < STEPS; step++) {
    await page.keyboard.press(step % 20 < 10 ? "ArrowRight" : "ArrowLeft");
    await page.waitForFunction(
      (least) => performance.getEntriesByName("slider-to-frame").length > least,
      { polling: 5 },
      step,
    );
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return page.evaluate(() =>
    performance.getEntriesByName("slider-to-frame").map((one) => one.duration),
  );
}

export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? NaN;
}
