// What is in a capture, as `flowstart capture` prints it.

import type { CaptureContents } from "../../answers.ts";
import { el } from "../../ui/dom.ts";
import { grid } from "../../ui/grid.ts";

export function contents(found: CaptureContents): HTMLElement {
  const notes = [...found.warnings, ...found.notes].map((words) => el("li", {}, words));
  const summary = el("summary", {}, "What is in the capture");
  const details = el("details", {}, summary, ...found.tables.map((one) => grid(one)), el("ul", { class: "warnings" }, ...notes));
  return el("div", {}, el("p", { class: "headline" }, found.headline), details);
}
