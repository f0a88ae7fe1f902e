// The tables that a report has without a script, made sortable and filterable in their place.
//
// Rows are sorted within the groups of a table. A number whose rows are known can be pointed at and
// opened; one of them is a tab stop, and arrow keys move from it.

import { el, id } from "../ui/dom.ts";
import type { Where } from "./columns.ts";
import { byText, holds, isAbsent } from "./values.ts";

/** What a number of a table is made of. */
export interface Source {
  /** The number, as it is written there. */
  shown: string;
  /** Its column, and what of the rows is in it. */
  title: string;
  of: string;
  /** The words in the first column of its row. */
  row: string;
  where: Where;
  against: Where | null;
}

export interface Kept {
  get(name: string): string;
  set(changes: Record<string, string>, typing?: boolean): void;
  follow(listener: () => void): void;
}

export interface Tracing {
  point(source: Source, at: HTMLElement): void;
  leave(): void;
  open(source: Source): void;
}

interface Row {
  element: HTMLTableRowElement;
  texts: string[];
  text: string;
}

interface Group {
  heading: HTMLTableRowElement | null;
  name: string;
  rows: Row[];
}

const LONG = 8;
/** Of a column of words with so many different ones at most, one may be chosen. */
const FEW = 12;

export class Summary {
  private readonly groups: Group[];
  private readonly body: HTMLTableSectionElement;
  private readonly heads: HTMLTableCellElement[];
  private readonly count = el("span", { class: "count", role: "status" });
  private readonly find = el("input", { type: "search", placeholder: "all words" });
  private readonly choices: { name: string; select: HTMLSelectElement }[] = [];

  constructor(
    private readonly table: HTMLTableElement,
    private readonly name: string,
    private readonly kept: Kept,
    tracing: Tracing | null,
  ) {
    this.body = table.tBodies[0] as HTMLTableSectionElement;
    this.heads = [...(table.tHead?.rows[0]?.cells ?? [])];
    this.groups = grouped(this.body);
    this.addSorting();
    if (this.rows.length >= LONG) this.addFilter();
    if (tracing) this.addTracing(tracing);
    makeScrollable(table);
    kept.follow(() => this.show());
  }

  private get rows(): Row[] {
    return this.groups.flatMap((group) => group.rows);
  }

  private addSorting(): void {
    this.heads.forEach((head, column) => {
      const button = el("button", { type: "button", class: "sort", click: () => this.sortBy(column) });
      button.append(...head.childNodes);
      head.append(button);
      head.scope = "col";
      if (head.dataset["of"]) button.title = head.dataset["of"];
    });
    for (const { heading } of this.groups) {
      const cell = heading?.cells[0];
      if (cell) cell.scope = "colgroup";
    }
  }

  /** First the minimum above, or of words the first; then the other way round; then as it was. */
  private sortBy(column: number): void {
    const [now, way] = this.kept.get(`${this.name}.sort`).split(",");
    const next = now !== String(column) ? `${column},up` : way === "up" ? `${column},down` : "";
    this.kept.set({ [`${this.name}.sort`]: next });
  }

  private addFilter(): void {
    const label = id("find");
    this.find.id = label;
    this.find.addEventListener("input", () => {
      this.kept.set({ [`${this.name}.find`]: this.find.value }, true);
    });
    const bar = el("div", { class: "bar" });
    bar.append(el("label", { for: label }, "Filter"), this.find);
    const names = this.groups.map((group) => group.name).filter(Boolean);
    if (names.length > 1) bar.append(...this.choice("group", "group", names));
    this.heads.forEach((head, column) => {
      const words = [...new Set(this.rows.map((row) => row.texts[column] ?? ""))];
      const isWords = head.classList.contains("words") && words.length > 1 && words.length <= FEW;
      if (isWords && words.length < this.rows.length) {
        bar.append(...this.choice(`c${column}`, head.textContent ?? "", words.sort()));
      }
    });
    bar.append(this.count);
    (this.table.closest(".flowstart") ?? this.table).before(bar);
  }

  private choice(name: string, title: string, words: string[]): HTMLElement[] {
    const label = id("choice");
    const select = el("select", { id: label });
    select.append(el("option", { value: "" }, "all"), ...words.map((word) => el("option", { value: word }, word)));
    select.addEventListener("change", () => this.kept.set({ [`${this.name}.${name}`]: select.value }));
    this.choices.push({ name, select });
    return [el("label", { for: label }, title), select];
  }

  private show(): void {
    const words = this.kept.get(`${this.name}.find`);
    if (this.find.value !== words) this.find.value = words;
    for (const { name, select } of this.choices) select.value = this.kept.get(`${this.name}.${name}`);
    this.showOrder();
    let seen = 0;
    for (const { heading, name, rows } of this.groups) {
      let any = false;
      for (const row of rows) {
        row.element.hidden = !(holds(`${name} ${row.text}`, words) && this.isChosen(name, row));
        any ||= !row.element.hidden;
        seen += row.element.hidden ? 0 : 1;
      }
      if (heading) heading.hidden = !any;
    }
    this.count.textContent = seen < this.rows.length ? `${seen} of ${this.rows.length} rows` : "";
  }

  private isChosen(group: string, row: Row): boolean {
    return this.choices.every(({ name, select }) => {
      const has = name === "group" ? group : row.texts[Number(name.slice(1))];
      return !select.value || has === select.value;
    });
  }

  private showOrder(): void {
    const [text = "", way = "up"] = this.kept.get(`${this.name}.sort`).split(",");
    const column = text === "" ? null : Number(text);
    this.heads.forEach((head, at) => {
      if (at === column) head.setAttribute("aria-sort", way === "up" ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
    this.body.append(
      ...this.groups.flatMap(({ heading, rows }) => [
        ...(heading ? [heading] : []),
        ...ordered(rows, column, way === "down").map((row) => row.element),
      ]),
    );
  }

  private addTracing(tracing: Tracing): void {
    const buttons: HTMLButtonElement[] = [];
    for (const { element, texts } of this.rows) {
      const rows = element.dataset["rows"];
      if (!rows) continue;
      [...element.cells].forEach((cell, column) => {
        const source = this.source(element, texts, column);
        if (!source) return;
        const button = el("button", { type: "button", class: "number", tabindex: -1 });
        button.append(...cell.childNodes);
        cell.append(button);
        button.addEventListener("pointerenter", () => tracing.point(source, button));
        button.addEventListener("pointerleave", () => tracing.leave());
        button.addEventListener("focus", () => tracing.point(source, button));
        button.addEventListener("blur", () => tracing.leave());
        button.addEventListener("click", () => tracing.open(source));
        buttons.push(button);
      });
    }
    if (buttons[0]) buttons[0].tabIndex = 0;
    this.body.addEventListener("keydown", (event) => move(event, this.body));
  }

  private source(element: HTMLTableRowElement, texts: string[], column: number): Source | null {
    const head = this.heads[column];
    const of = head?.dataset["of"];
    const shown = texts[column] ?? "";
    if (!head || !of || isAbsent(shown)) return null;
    const own = JSON.parse(element.dataset["rows"] ?? "{}") as Where;
    const other = head.dataset["where"] ? (JSON.parse(head.dataset["where"]) as Where) : {};
    const compared = head.dataset["compares"] !== undefined && element.dataset["against"];
    const where = { ...own, ...other };
    const against = compared ? { ...where, ...(JSON.parse(compared) as Where) } : null;
    return { shown, title: head.textContent ?? "", of, row: texts[0] ?? "", where, against };
  }
}

/** The rows of a table by the headings above them. */
function grouped(body: HTMLTableSectionElement): Group[] {
  const groups: Group[] = [];
  for (const element of body.rows) {
    const first = element.cells[0];
    if (first?.classList.contains("group")) {
      groups.push({ heading: element, name: first.textContent ?? "", rows: [] });
      continue;
    }
    if (!groups.length) groups.push({ heading: null, name: "", rows: [] });
    const texts = [...element.cells].map((cell) => cell.textContent ?? "");
    groups.at(-1)?.rows.push({ element, texts, text: texts.join(" ") });
  }
  return groups;
}

/** Rows by a column; what has no value stays last. */
export function ordered<T extends { texts: string[] }>(rows: readonly T[], column: number | null, down: boolean): T[] {
  if (column === null) return [...rows];
  const text = (row: T) => row.texts[column] ?? "";
  const known = rows.filter((row) => !isAbsent(text(row)));
  const absent = rows.filter((row) => isAbsent(text(row)));
  known.sort((one, other) => (down ? -1 : 1) * byText(text(one), text(other)));
  return [...known, ...absent];
}

/** Moves the focus among the numbers of a table. */
function move(event: KeyboardEvent, body: HTMLElement): void {
  const now = event.target;
  if (!(now instanceof HTMLButtonElement) || !now.classList.contains("number")) return;
  const rows = [...body.querySelectorAll<HTMLTableRowElement>("tr[data-rows]")].filter((row) => !row.hidden);
  const row = now.closest("tr");
  const cell = now.closest("td");
  if (!row || !cell) return;
  const at = (line: HTMLTableRowElement | undefined, column: number) => line?.cells[column]?.querySelector("button");
  const steps: Record<string, () => Element | null | undefined> = {
    ArrowDown: () => at(rows[rows.indexOf(row) + 1], cell.cellIndex),
    ArrowUp: () => at(rows[rows.indexOf(row) - 1], cell.cellIndex),
    ArrowRight: () => [...row.cells].slice(cell.cellIndex + 1).map((c) => c.querySelector("button")).find(Boolean),
    ArrowLeft: () => [...row.cells].slice(0, cell.cellIndex).reverse().map((c) => c.querySelector("button")).find(Boolean),
    Home: () => row.querySelector("button.number"),
    End: () => [...row.querySelectorAll("button.number")].at(-1),
  };
  const step = steps[event.key];
  if (!step) return;
  event.preventDefault();
  const next = step();
  if (next instanceof HTMLButtonElement) {
    now.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }
}

/** A table that is wider than the screen is scrolled with keys too. */
function makeScrollable(table: HTMLTableElement): void {
  const around = table.closest<HTMLElement>(".flowstart");
  if (!around) return;
  around.tabIndex = 0;
  around.setAttribute("role", "region");
  around.setAttribute("aria-label", table.caption?.textContent || "Table");
}
