// Which rows a number of a table is made of: shown next to the pointer, and listed after a click.

import type { Rows, Where } from "../tables/columns.ts";
import type { List } from "../tables/list.ts";
import type { Kept, Source, Tracing } from "../tables/summary.ts";
import { el, fill } from "../ui/dom.ts";

/** So many rows are named next to a number. */
const NAMED = 5;
/** Columns by which a row is named, as far as it has them. */
const NAMES = ["cell", "run", "transfer", "variant", "startup", "seed", "flow"];

export class Trace implements Tracing {
  private readonly tip = el("div", { role: "tooltip", id: "tip", class: "tip", hidden: true });

  constructor(
    private readonly rows: Rows,
    private readonly rowsList: List,
    private readonly kept: Kept,
  ) {
    document.body.append(this.tip);
    addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.leave();
    });
    addEventListener("scroll", () => this.leave(), { passive: true });
  }

  point(source: Source, at: HTMLElement): void {
    const found = this.rows.where(source.where);
    fill(
      this.tip,
      el("strong", {}, `${source.title} ${source.shown}`),
      el("div", {}, `${source.of}, over ${this.counted(found.length)}`),
      ...found.slice(0, NAMED).map((row) => el("div", {}, this.named(row))),
      found.length > NAMED ? el("div", {}, `and ${(found.length - NAMED).toLocaleString("en-US")} more`) : null,
      el("div", { class: "hint" }, "A click or Enter lists them"),
    );
    this.tip.hidden = false;
    at.setAttribute("aria-describedby", this.tip.id);
    place(this.tip, at.getBoundingClientRect());
  }

  leave(): void {
    this.tip.hidden = true;
  }

  open(source: Source): void {
    this.leave();
    const where = source.against ? together(source.where, source.against) : source.where;
    this.list(where, `${source.title} ${source.shown} of ${source.row}`);
  }

  /** Lists rows under a name for what they make. */
  list(where: Where, label: string): void {
    this.kept.set({
      "rows.of": JSON.stringify(where),
      "rows.label": label,
      "rows.page": "",
      "rows.row": "",
      "rows.find": "",
    });
    this.rowsList.focus();
  }

  /** How many rows, and that these are not all where the page has a part of them. */
  private counted(count: number): string {
    const { document } = this.rows;
    const rows = `${count.toLocaleString("en-US")} ${count === 1 ? "row" : "rows"}`;
    return document.total > document.count ? `all such rows, of which this page has ${rows}:` : `${rows}:`;
  }

  private named(row: number): string {
    const known = NAMES.filter((name) => this.rows.column(name));
    return known.map((name) => `${name} ${String(this.rows.value(name, row) ?? "–")}`).join(", ");
  }
}

/** Rows that either of two mean, which differ in the values of some columns. */
export function together(one: Where, other: Where): Where {
  const listed = (value: Where[string]) => (Array.isArray(value) ? value : [value]);
  const pairs = Object.entries(one).map(([name, value]): [string, Where[string]] => {
    const beside = other[name];
    if (value === null || beside === undefined || beside === null) return [name, value];
    const all = [...new Set([...listed(value), ...listed(beside)])];
    return [name, all.length === 1 && !Array.isArray(value) ? value : all];
  });
  return Object.fromEntries(pairs);
}

function place(tip: HTMLElement, box: DOMRect): void {
  const wide = document.documentElement.clientWidth;
  const left = Math.max(8, Math.min(box.left, wide - tip.offsetWidth - 8));
  const below = box.bottom + 6 + tip.offsetHeight <= innerHeight;
  tip.style.left = `${left}px`;
  tip.style.top = `${below ? box.bottom + 6 : Math.max(4, box.top - tip.offsetHeight - 6)}px`;
}
