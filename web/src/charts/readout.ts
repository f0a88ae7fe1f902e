// What every startup's flow is at, at the cursor's time, and how its startup ended.

import type { Look } from "./colours.ts";
import type { Lit } from "./panel.ts";
import { reasonText } from "./limits.ts";
import { exits, NAMES } from "./panels.ts";
import { binAt, type LineName, type Picture, type Trace } from "./picture.ts";
import { valueAt } from "./steps.ts";
import { el, fill } from "../ui/dom.ts";
import { swatch } from "../ui/swatch.ts";
import { ABSENT, bytes, packets, rate, seconds } from "../ui/text.ts";

const COLUMNS: { name: LineName; text(value: number): string }[] = [
  { name: "cwnd", text: packets },
  { name: "flight", text: bytes },
  { name: "queue", text: packets },
  { name: "sent", text: bytes },
  { name: "acked", text: bytes },
  { name: "pacing", text: rate },
  { name: "delivery", text: rate },
  { name: "limit", text: reasonText },
];
/** A word stands at the left of its cell. */
const LIMIT = COLUMNS.length - 1;
/** Behind them: when a flow was complete, and how its startup ended. */
const [COMPLETE, EXIT] = [COLUMNS.length, COLUMNS.length + 1];

export class Readout {
  readonly element = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Values at the cursor" });
  private readonly when = el("th", { scope: "col" });
  private readonly body = el("tbody");
  private cells: HTMLTableCellElement[][] = [];
  private picture: Picture | undefined;

  constructor(private readonly over: (lit: Lit) => void) {
    const titles = COLUMNS.map(({ name }, at) => el("th", { scope: "col", class: at < LIMIT ? "number" : "limit" }, name === "acked" ? "acked" : NAMES[name]));
    const complete = el("th", { scope: "col", class: "number", title: "when the receiver had all of it" }, "complete");
    const exit = el("th", { scope: "col" }, "exit of startup");
    const head = el("tr", {}, this.when, ...titles, complete, exit);
    const table = el("table", { class: "readout" }, el("thead", {}, head), this.body);
    table.prepend(el("caption", { class: "unseen" }, "Values at the cursor"));
    table.addEventListener("pointerleave", () => this.over(null));
    this.element.append(table);
  }

  /** Takes an answer; the values are those of `at_s`, or of each flow's completion. */
  show(picture: Picture, looks: ReadonlyMap<string, Look>, at_s: number | null): void {
    const kept = this.picture && same(this.picture, picture) && this.cells.length;
    this.picture = picture;
    if (!kept) this.build(looks);
    this.point(at_s);
    for (const [row, trace] of picture.traces.entries()) {
      const [complete, exit] = [this.cells[row]?.[COMPLETE], this.cells[row]?.[EXIT]];
      if (complete) write(complete, trace.done_s === null ? ABSENT : seconds(trace.done_s));
      if (exit) this.exit(exit, trace);
    }
  }

  /** Colours have changed. */
  forget(): void {
    this.cells = [];
  }

  point(at_s: number | null): void {
    const { picture } = this;
    if (!picture) return;
    const last = picture.to_s < picture.whole_s ? `at ${seconds(picture.to_s)}` : "when complete";
    this.when.textContent = at_s === null ? last : `at ${seconds(at_s)}`;
    for (const [row, trace] of picture.traces.entries()) {
      const bin = binAt(picture, at_s ?? Math.min(trace.done_s ?? trace.end_s, picture.to_s));
      const over = at_s !== null && at_s > trace.end_s;
      for (const [place, column] of COLUMNS.entries()) {
        const cell = this.cells[row]?.[place];
        const value = over ? null : valueAt(trace.lines[column.name], bin);
        if (cell) write(cell, value === null ? ABSENT : column.text(value));
      }
    }
  }

  /** One line of a startup at a time, for screen readers. */
  spoken(line: LineName, at_s: number): string {
    const { picture } = this;
    const column = COLUMNS.find((one) => one.name === line);
    if (!picture || !column) return "";
    const bin = binAt(picture, at_s);
    const values = picture.traces.map((trace) => {
      const value = valueAt(trace.lines[line], bin);
      return `${trace.startup} ${value === null ? "none" : column.text(value)}`;
    });
    return `${seconds(at_s)}, ${NAMES[line]}: ${values.join("; ")}`;
  }

  private build(looks: ReadonlyMap<string, Look>): void {
    const traces = this.picture?.traces ?? [];
    const several = traces.some((trace) => trace.flow !== traces[0]?.flow);
    this.cells = traces.map(() => Array.from({ length: EXIT + 1 }, (_, place) => cell(place)));
    const rows = traces.map((trace, at) => {
      const look = looks.get(trace.startup);
      const name = several ? `${trace.startup}, flow ${trace.flow + 1}` : trace.startup;
      const head = el("th", { scope: "row" }, look ? swatch(look) : null, name);
      const row = el("tr", {}, head, ...(this.cells[at] ?? []));
      row.addEventListener("pointerenter", () => this.over({ startup: trace.startup, flow: trace.flow }));
      return row;
    });
    fill(this.body, ...rows);
  }

  private exit(cell: HTMLElement, trace: Trace): void {
    const mark = exits(this.picture as Picture).find((one) => one.trace === trace);
    if (!mark) {
      cell.textContent = ABSENT;
      return;
    }
    const words = `${mark.reason} at ${seconds(mark.at_s)}, cwnd ${packets(mark.cwnd_segments)}`;
    fill(cell, el("span", { class: "disc" }, String(mark.number)), words);
  }
}

/** Elements that keep their text are not laid out again. */
function write(cell: HTMLElement, text: string): void {
  if (cell.textContent !== text) cell.textContent = text;
}

function same(one: Picture, other: Picture): boolean {
  const names = (picture: Picture): string => picture.traces.map((t) => t.startup + t.flow).join();
  return names(one) === names(other);
}

function cell(place: number): HTMLTableCellElement {
  return el("td", { class: place === LIMIT ? "limit" : place < EXIT ? "number" : "exit" });
}
