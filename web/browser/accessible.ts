// What axe-core finds on a page.

import { readFileSync } from "node:fs";
import type { AxeResults } from "axe-core";
import type { Page } from "puppeteer-core";

/** Serious and critical offences, each with its rule and the first element that has it. */
export async function offences(page: Page): Promise<string[]> {
  const source = readFileSync("node_modules/axe-core/axe.min.js", "utf8");
  // Evaluated by the debugger: the page itself permits no script but its own.
  await page.evaluate(source);
  const found = (await page.evaluate("axe.run()")) as AxeResults;
  return found.violations
    .filter((one) => one.impact === "serious" || one.impact === "critical")
    .map((one) => `${one.id}: ${one.help} (${one.nodes[0]?.html ?? ""})`);
}
