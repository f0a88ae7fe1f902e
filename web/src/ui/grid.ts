// A table of text as the command line prints it.

import type { Grid } from "../protocol.ts";
import { el } from "./dom.ts";

/** The table in a part that scrolls; `first` may put something else into a row's first cell. */
export function grid(found: Grid, first?: (text: string, row: number) => Node | string): HTMLElement {
  const head = el("tr", {}, ...found.columns.map((one) => el("th", { scope: "col", class: side(one.number) }, one.title)));
  const body = el("tbody");
  for (const [at, cells] of found.rows.entries()) {
    const group = found.groups[String(at)];
    if (group) body.append(el("tr", { class: "group" }, el("th", { colspan: found.columns.length, scope: "colgroup" }, group)));
    const row = el("tr", { class: found.marked.includes(at) && "marked" });
    for (const [place, text] of cells.entries()) {
      if (place) row.append(el("td", { class: side(found.columns[place]?.number) }, text));
      else row.append(el("th", { scope: "row" }, first?.(text, at) ?? text));
    }
    body.append(row);
  }
  const caption = found.title ? el("caption", {}, found.title) : null;
  const table = el("table", {}, caption, el("thead", {}, head), body);
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": found.title || found.columns[0]?.title || "Table" }, table);
}

function side(number: boolean | undefined): string | false {
  return number ? "number" : false;
}
