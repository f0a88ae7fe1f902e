// The table that the command prints, with each row's line next to its name.

import type { Look } from "../../charts/colours.ts";
import type { Lit } from "../../charts/panel.ts";
import type { Grid } from "../../protocol.ts";
import { el, fill } from "../../ui/dom.ts";
import { swatch } from "../../ui/swatch.ts";

export interface RowLook {
  startup: string;
  look: Look | undefined;
  /** The number of its exit in the panels. */
  exit: number | undefined;
}

export class Results {
  readonly element = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Results" });
  private readonly table = el("table", { class: "results" });

  private shape = "";

  constructor(private readonly over: (lit: Lit) => void) {
    this.element.append(this.table);
    this.table.addEventListener("pointerleave", () => this.over(null));
  }

  /**
   * Shows a table. Where only texts differ from the last one its elements stay, which is quicker.
   *
   * A row is of the startup that its first cell names; one in Python is named without its file.
   */
  show(grid: Grid, rows: readonly RowLook[]): void {
    const shape = JSON.stringify([grid.columns, grid.groups, grid.rows.map((row) => row[0]), rows]);
    if (shape === this.shape) {
      this.write(grid);
      return;
    }
    this.shape = shape;
    const head = el("tr", {}, ...grid.columns.map((one) => heading(one.title, one.number)));
    const body = el("tbody");
    for (const [at, cells] of grid.rows.entries()) {
      const group = grid.groups[String(at)];
      if (group) body.append(divider(group, cells.length));
      body.append(this.row(cells, grid, at, named(cells[0] ?? "", rows)));
    }
    const caption = el("caption", { class: "unseen" }, grid.title || "Results");
    fill(this.table, caption, el("thead", {}, head), body);
  }

  private write(grid: Grid): void {
    const rows = this.table.querySelectorAll("tbody tr:not(.group)");
    for (const [at, row] of rows.entries()) {
      row.classList.toggle("marked", grid.marked.includes(at));
      for (const [place, text] of (grid.rows[at] ?? []).entries()) {
        const cell = row.children[place];
        if (place && cell && cell.textContent !== text) cell.textContent = text;
      }
    }
  }

  private row(cells: string[], grid: Grid, at: number, look: RowLook | undefined): HTMLElement {
    const made = el("tr", { class: grid.marked.includes(at) && "marked" });
    for (const [place, text] of cells.entries()) {
      if (place) made.append(el("td", { class: grid.columns[place]?.number && "number" }, text));
      else made.append(first(text, look));
    }
    const lit = look ? { startup: look.startup } : null;
    made.addEventListener("pointerenter", () => this.over(lit));
    return made;
  }
}

function named(cell: string, rows: readonly RowLook[]): RowLook | undefined {
  return (
    rows.find((one) => one.startup === cell) ?? rows.find((one) => one.startup.endsWith(`:${cell}`))
  );
}

function first(text: string, look: RowLook | undefined): HTMLElement {
  const cell = el("th", { scope: "row" }, look?.look ? swatch(look.look) : null, text);
  if (look?.exit) cell.append(el("span", { class: "disc", title: "exit in the panel" }, String(look.exit)));
  return cell;
}

function heading(title: string, number: boolean): HTMLElement {
  return el("th", { scope: "col", class: number && "number" }, title);
}

function divider(title: string, columns: number): HTMLElement {
  const cell = el("th", { colspan: columns, scope: "colgroup" }, title);
  return el("tr", { class: "group" }, cell);
}
