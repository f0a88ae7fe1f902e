// The list of a result's rows: sorted, filtered, a page at a time, and one of them in whole.

import { el, fill, id } from "../ui/dom.ts";
import { fileOf, type Column, type Rows, type Where } from "./columns.ts";
import type { Kept } from "./summary.ts";
import { byValue, holder, shown, type Value } from "./values.ts";

const PER_PAGE = 100;
const NAME = "rows";
/** Columns of words or of few values that may be chosen from. */
const CHOSEN = 6;
const FEW_NUMBERS = 12;

export class List {
  readonly root = el("section", { class: "list", "aria-labelledby": "rows-title" });
  private readonly find = el("input", { type: "search", placeholder: "all words" });
  private readonly choices = new Map<string, HTMLSelectElement>();
  private readonly of = el("p", { class: "of" });
  private readonly table = el("table");
  private readonly pages = el("div", { class: "bar" });
  private readonly detail = el("div", { class: "detail" });
  private readonly columns: Column[];
  private found: number[] = [];
  private asked = "";
  private known: string[] | null = null;

  constructor(
    private readonly rows: Rows,
    private readonly kept: Kept,
  ) {
    // What is the same in all rows is said once, with each row that is opened.
    this.columns = rows.columns.filter((column) => column.known?.length !== 1);
    const around = el("div", { class: "flowstart", tabindex: 0, role: "region", "aria-label": "Rows" }, this.table);
    this.root.append(
      el("h2", { id: "rows-title", tabindex: -1 }, "Rows"),
      this.about(),
      this.of,
      this.bar(),
      around,
      this.pages,
      this.detail,
    );
    kept.follow(() => this.show());
  }

  /** Where the list is gone to from a number. */
  focus(): void {
    const title = this.root.querySelector<HTMLElement>("h2");
    title?.scrollIntoView({ block: "start" });
    title?.focus({ preventScroll: true });
  }

  private about(): HTMLElement {
    const { count, total, left_out } = this.rows.document;
    const words = left_out || `All ${count.toLocaleString("en-US")} rows.`;
    const note = total > count ? "note" : "";
    return el("p", { class: note }, `${words} Numbers are rounded to four digits; the files next to this page have all of them.`);
  }

  private bar(): HTMLElement {
    const bar = el("div", { class: "bar" });
    this.find.id = id("find");
    this.find.addEventListener("input", () => {
      this.kept.set({ [`${NAME}.find`]: this.find.value, [`${NAME}.page`]: "" }, true);
    });
    bar.append(el("label", { for: this.find.id }, "Filter"), this.find);
    for (const column of this.columns.filter(isChosen).slice(0, CHOSEN)) {
      const select = el("select", { id: id("choice") });
      const known = [...(column.known ?? [])].sort(byValue);
      select.append(
        el("option", { value: "" }, "all"),
        ...known.map((value) => el("option", { value: String(value) }, shown(value, column.unit))),
      );
      select.addEventListener("change", () => {
        this.kept.set({ [`${NAME}.only.${column.name}`]: select.value, [`${NAME}.page`]: "" });
      });
      this.choices.set(column.name, select);
      bar.append(el("label", { for: select.id }, column.name), select);
    }
    bar.append(el("button", { type: "button", click: () => this.save() }, "Save these as CSV"));
    return bar;
  }

  private get where(): Where {
    try {
      return JSON.parse(this.kept.get(`${NAME}.of`) || "{}") as Where;
    } catch {
      return {}; // somebody has edited the link
    }
  }

  private show(): void {
    const words = this.kept.get(`${NAME}.find`);
    if (this.find.value !== words) this.find.value = words;
    for (const [name, select] of this.choices) select.value = this.kept.get(`${NAME}.only.${name}`);
    const asked = JSON.stringify([
      ...["of", "find", "sort"].map((name) => this.kept.get(`${NAME}.${name}`)),
      ...[...this.choices.values()].map((select) => select.value),
    ]);
    if (asked !== this.asked) {
      this.asked = asked;
      this.found = this.sorted(this.filtered(words));
    }
    this.showSource();
    this.showTable();
    this.showPages();
    this.showDetail();
  }

  private filtered(words: string): number[] {
    const chosen = [...this.choices].filter(([, select]) => select.value);
    const has = holder(words);
    const lows = words ? this.lows() : [];
    return this.rows.where(this.where).filter((row) => {
      if (!chosen.every(([name, select]) => String(this.rows.value(name, row)) === select.value)) return false;
      return !words || has(lows[row] ?? "");
    });
  }

  private sorted(found: number[]): number[] {
    const [name = "", way] = this.kept.get(`${NAME}.sort`).split(",");
    const column = this.rows.column(name);
    if (!column) return found;
    const sign = way === "down" ? -1 : 1;
    const value = (row: number): Value => column.values[row] ?? null;
    // What is absent stays last, whichever way the others stand.
    return found.sort((a, b) => {
      const [one, other] = [value(a), value(b)];
      return (one === null || other === null ? 1 : sign) * byValue(one, other);
    });
  }

  /** What the filter looks at, row by row; made when it is first needed. */
  private lows(): readonly string[] {
    this.known ??= Array.from({ length: this.rows.count }, (_, row) => this.texts(row).join(" ").toLowerCase());
    return this.known;
  }

  private texts(row: number): string[] {
    return this.columns.map((column) => shown(column.values[row] ?? null, column.unit));
  }

  private showSource(): void {
    const label = this.kept.get(`${NAME}.label`);
    this.of.hidden = !label;
    const all = el("button", { type: "button", click: () => this.forget() }, "Show all rows");
    fill(this.of, `${label}: these ${this.found.length.toLocaleString("en-US")} rows. `, all);
  }

  private forget(): void {
    this.kept.set({ [`${NAME}.of`]: "", [`${NAME}.label`]: "", [`${NAME}.page`]: "", [`${NAME}.row`]: "" });
  }

  private showTable(): void {
    const [sorted, way] = this.kept.get(`${NAME}.sort`).split(",");
    const head = el("tr");
    for (const column of this.columns) {
      const button = el("button", { type: "button", class: "sort", title: column.doc }, column.name);
      button.addEventListener("click", () => this.sortBy(column.name));
      const cell = el("th", { scope: "col", class: column.isNumber ? "" : "words" }, button);
      if (sorted === column.name) cell.setAttribute("aria-sort", way === "down" ? "descending" : "ascending");
      head.append(cell);
    }
    head.prepend(el("th", { scope: "col" }, "row"));
    const body = this.found.slice(this.first, this.first + PER_PAGE).map((row) => this.line(row));
    fill(this.table, el("thead", {}, head), el("tbody", {}, ...body));
  }

  private line(row: number): HTMLElement {
    const open = el("button", { type: "button", class: "number", click: () => this.open(row) }, String(row + 1));
    open.setAttribute("aria-label", `Open row ${row + 1}`);
    const cells = this.texts(row).map((text, at) => el("td", { class: this.columns[at]?.isNumber ? "" : "words" }, text));
    const isOpen = this.kept.get(`${NAME}.row`) === String(row + 1);
    return el("tr", { class: isOpen ? "open" : "" }, el("td", {}, open), ...cells);
  }

  private sortBy(name: string): void {
    const [now, way] = this.kept.get(`${NAME}.sort`).split(",");
    const next = now !== name ? `${name},up` : way === "up" ? `${name},down` : "";
    this.kept.set({ [`${NAME}.sort`]: next, [`${NAME}.page`]: "" });
    const again = [...this.table.querySelectorAll("button.sort")].find((one) => one.textContent === name);
    if (again instanceof HTMLElement) again.focus();
  }

  private get first(): number {
    const page = Number(this.kept.get(`${NAME}.page`)) || 1;
    const last = Math.max(0, Math.ceil(this.found.length / PER_PAGE) - 1);
    return Math.min(Math.max(0, page - 1), last) * PER_PAGE;
  }

  private showPages(): void {
    const { first } = this;
    const count = this.found.length;
    const page = first / PER_PAGE + 1;
    const step = (label: string, to: number, possible: boolean) =>
      el("button", { type: "button", disabled: !possible, click: () => this.kept.set({ [`${NAME}.page`]: String(to) }) }, label);
    const last = Math.min(first + PER_PAGE, count);
    const words = count ? `${first + 1}–${last} of ${count.toLocaleString("en-US")} rows` : "No row is left by the filters";
    fill(
      this.pages,
      count > PER_PAGE ? step("Previous", page - 1, first > 0) : null,
      count > PER_PAGE ? step("Next", page + 1, last < count) : null,
      el("span", { class: "count", role: "status" }, words),
    );
  }

  private open(row: number): void {
    const isOpen = this.kept.get(`${NAME}.row`) === String(row + 1);
    this.kept.set({ [`${NAME}.row`]: isOpen ? "" : String(row + 1) });
    if (!isOpen) this.detail.scrollIntoView({ block: "nearest" });
  }

  private showDetail(): void {
    const row = Number(this.kept.get(`${NAME}.row`)) - 1;
    this.detail.hidden = !(row >= 0 && row < this.rows.count);
    if (this.detail.hidden) return;
    const facts = this.rows.columns.map((column) => {
      const text = shown(column.values[row] ?? null, column.unit);
      return el("div", {}, el("dt", { title: column.doc }, column.name), el("dd", {}, text));
    });
    const command = this.rows.command(row);
    fill(
      this.detail,
      el("h3", {}, `Row ${row + 1}`),
      el("dl", {}, ...facts),
      command ? el("p", {}, this.rows.document.command?.note || "The command that runs it again:") : null,
      command ? el("pre", {}, command) : null,
      this.file(row),
    );
  }

  /** The file that a row's command reads. */
  private file(row: number): HTMLElement | null {
    const { command, file, count } = this.rows.document;
    if (!command || !file) return null;
    const text = `${JSON.stringify(fileOf(file, row, count), null, 1)}\n`;
    const name = `${command.file}.json`;
    return el("button", { type: "button", click: () => download(name, text, "application/json") }, `Save ${name}`);
  }

  private save(): void {
    const quoted = (value: Value) => (typeof value === "string" && /[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : String(value ?? ""));
    const { columns } = this.rows;
    const lines = this.found.map((row) => columns.map((column) => quoted(column.values[row] ?? null)).join(","));
    const text = [columns.map((column) => column.name).join(","), ...lines, ""].join("\n");
    download("rows.csv", text, "text/csv");
  }
}

function download(name: string, text: string, type: string): void {
  const link = el("a", { download: name });
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.click();
  URL.revokeObjectURL(link.href);
}

function isChosen(column: Column): boolean {
  const { known } = column;
  if (known === null || known.length < 2) return false;
  // Of numbers only names and what was asked for: a measured one is not chosen by its value.
  return !column.isNumber || (known.length <= FEW_NUMBERS && (!column.unit || column.unit === "bytes"));
}
