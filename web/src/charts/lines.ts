// Lines over a column of rows: hover names a point, a drag or + and − zoom, a click opens its rows.

import "uplot/dist/uPlot.min.css";
import "./lines.css";
import uPlot from "uplot";
import type { ChartAsked, Rows, Where } from "../tables/columns.ts";
import type { Kept } from "../tables/summary.ts";
import { inWords, withUnit } from "../tables/names.ts";
import { shown } from "../tables/values.ts";
import { el, fill, id } from "../ui/dom.ts";
import { looks, type Look } from "./colours.ts";
import { grouped, STATISTICS, type Grouped, type Statistic } from "./grouped.ts";
import { hidden } from "./legend.ts";

const HEIGHT = 320;
/** A range whose ends have at least this ratio is shown in logarithms. */
const LOG_RATIO = 20;
const ZOOM_STEP = 0.5;
/** So many places of an axis are each named, as far as they are so many pixels apart. */
const FEW_PLACES = 10;
const LEAST_GAP = 62;

export interface Opening {
  /** Lists the rows of a point. */
  list(where: Where, label: string): void;
}

export class Lines {
  private readonly root = el("section", { class: "lines" });
  private readonly plot = el("div", { class: "lines-plot", tabindex: 0, role: "application" });
  private readonly tip = el("div", { class: "lines-tip", hidden: true });
  private readonly said = el("div", { class: "lines-said", role: "status" });
  private readonly selects: Record<"x" | "y" | "statistic", HTMLSelectElement>;
  private readonly dark = matchMedia("(prefers-color-scheme: dark)");
  private chart: uPlot | null = null;
  private found: Grouped | null = null;
  private drawn = "";
  private cursor = { line: 0, place: 0 };

  constructor(
    parent: HTMLElement,
    private readonly rows: Rows,
    private readonly asked: ChartAsked,
    private readonly names: readonly string[],
    /** Under which its state is kept. */
    private readonly name: string,
    private readonly kept: Kept,
    private readonly opening: Opening,
  ) {
    const title = id("chart");
    this.selects = {
      x: this.select("x", asked.x),
      y: this.select("y", asked.y),
      statistic: this.select("statistic", STATISTICS),
    };
    const bar = el("div", { class: "bar" });
    for (const [name, select] of Object.entries(this.selects)) {
      const words = { x: "over", y: "what", statistic: "of the rows" }[name] ?? name;
      bar.append(el("label", { for: select.id }, words), select);
    }
    bar.append(el("button", { type: "button", click: () => this.zoom("") }, "Whole range"));
    const frame = el("div", { class: "lines-frame" }, this.plot, this.tip);
    this.root.append(el("h2", { id: title }, asked.title), bar, frame, this.said);
    this.root.setAttribute("aria-labelledby", title);
    this.plot.addEventListener("keydown", (event) => this.press(event));
    this.plot.addEventListener("blur", () => (this.tip.hidden = true));
    this.dark.addEventListener("change", () => this.show(true));
    // In the page before it is drawn: only there it has a width and colours.
    parent.append(this.root);
    new ResizeObserver(() => this.resize()).observe(frame);
    kept.follow(() => this.show());
  }

  private select(name: string, words: readonly string[]): HTMLSelectElement {
    const select = el("select", { id: id("choice") }, ...words.map((word) => el("option", { value: word }, withUnit(word, this.rows.column(word)?.unit ?? null))));
    select.disabled = words.length < 2;
    select.addEventListener("change", () => {
      const usual = select.options[0]?.value === select.value;
      this.kept.set({ [`${this.name}.${name}`]: usual ? "" : select.value, [`${this.name}.zoom`]: "" });
    });
    return select;
  }

  private chosen(name: "x" | "y" | "statistic"): string {
    return this.selects[name].value;
  }

  /** Makes one line stand out. */
  highlight(name: string | null): void {
    const at = name === null ? -1 : this.names.indexOf(name);
    this.chart?.setSeries(at < 0 ? null : at + 1, { focus: at >= 0 });
  }

  private show(again = false): void {
    for (const [name, select] of Object.entries(this.selects)) {
      const kept = this.kept.get(`${this.name}.${name}`);
      const known = [...select.options].some((option) => option.value === kept);
      select.value = known ? kept : (select.options[0]?.value ?? "");
    }
    const state = ["x", "y", "statistic", "zoom"].map((name) => this.kept.get(`${this.name}.${name}`));
    state.push(...hidden(this.kept));
    if (!again && state.join("\n") === this.drawn) return;
    this.drawn = state.join("\n");
    const { asked } = this;
    const statistic = this.chosen("statistic") as Statistic;
    this.found = grouped(this.rows, asked.where, asked.by, this.chosen("x"), this.chosen("y"), statistic);
    this.plot.setAttribute(
      "aria-label",
      `${statistic} of ${inWords(this.chosen("y"))} over ${inWords(this.chosen("x"))}, a line for each ${asked.by}; ` +
        "left and right move along a line, up and down to another, plus and minus zoom, Enter lists the rows",
    );
    this.build(this.found);
  }

  private build(found: Grouped): void {
    this.chart?.destroy();
    const off = hidden(this.kept);
    const look = looks(this.names, this.dark.matches);
    const lines = this.names.map((name) => found.lines.get(name) ?? found.x.map(() => null));
    const seen = lines.flatMap((line, at) => (off.has(this.names[at] ?? "") ? [] : line)).filter((value) => value !== null);
    const zoomed = this.zoomed();
    const x = zoomed ?? range(found.x, 0.03);
    const y = range(seen, 0.06);
    const style = getComputedStyle(this.root);
    const axis = (column: string, splits: uPlot.Axis["splits"]): uPlot.Axis => ({
      // uPlot would leave out all but powers of ten.
      ...(splits ? { splits, filter: (_: uPlot, ticks: number[]) => ticks } : {}),
      stroke: style.color,
      grid: { stroke: this.dark.matches ? "#ffffff22" : "#00000018" },
      values: (_, ticks) => ticks.map((tick) => (tick === null ? "" : this.written(column, tick))),
      size: column === this.chosen("y") ? 74 : 40,
    });
    const series: uPlot.Series[] = this.names.map((name) => this.series(name, look.get(name), !off.has(name)));
    this.chart = new uPlot(
      {
        width: Math.max(200, this.plot.clientWidth),
        height: HEIGHT,
        scales: { x: { time: false, distr: isLog(found.x) ? 3 : 1, range: () => x }, y: { distr: isLog(seen) ? 3 : 1, range: () => y } },
        axes: [axis(this.chosen("x"), this.splits(found.x, x)), axis(this.chosen("y"), isLog(seen) ? () => decades(...y) : undefined)],
        series: [{}, ...series],
        legend: { show: false },
        focus: { alpha: 0.35 },
        cursor: { focus: { prox: 24 }, drag: { x: true, y: false, setScale: false }, points: { show: true } },
        hooks: {
          setCursor: [(chart) => this.hover(chart)],
          setSeries: [(chart) => this.hover(chart)],
          setSelect: [(chart) => this.selected(chart)],
        },
      },
      [found.x, ...lines],
      this.plot,
    );
    this.chart.over.addEventListener("click", () => this.open());
    this.chart.over.addEventListener("pointerleave", () => (this.tip.hidden = true));
  }

  /** Where the axis has words: at its places where these are few, at round numbers where it has ratios. */
  private splits(places: readonly number[], [low, high]: [number, number]): uPlot.Axis["splits"] {
    const within = places.filter((place) => place >= low && place <= high);
    if (within.length > 1 && within.length <= FEW_PLACES) {
      return (chart) => {
        let last = -Infinity;
        return within.filter((place) => {
          const at = chart.valToPos(place, "x");
          const fits = at - last >= LEAST_GAP;
          if (fits) last = at;
          return fits;
        });
      };
    }
    return isLog(places) ? () => decades(low, high) : undefined;
  }

  private series(name: string, look: Look | undefined, show: boolean): uPlot.Series {
    const width = (look?.width ?? 1.5) + (name === this.asked.baseline ? 0.8 : 0);
    const stroke = look?.colour ?? "#888888";
    return { label: name, show, stroke, width, dash: look?.dash ?? [], points: { show: true, size: 6, fill: stroke }, spanGaps: true };
  }

  private written(column: string, value: number): string {
    return shown(value, this.rows.column(column)?.unit ?? null);
  }

  private resize(): void {
    const width = this.plot.clientWidth;
    if (this.chart && width && Math.abs(width - this.chart.width) > 1) this.chart.setSize({ width, height: HEIGHT });
  }

  // Zoom.

  private zoomed(): [number, number] | null {
    const [low, high] = this.kept.get(`${this.name}.zoom`).split(",").map(Number);
    return low !== undefined && high !== undefined && high > low ? [low, high] : null;
  }

  private zoom(range: string): void {
    this.kept.set({ [`${this.name}.zoom`]: range });
  }

  private selected(chart: uPlot): void {
    const { left, width } = chart.select;
    if (width < 8) return;
    const ends = [left, left + width].map((at) => Number(chart.posToVal(at, "x").toPrecision(4)));
    this.zoom(ends.join(","));
  }

  /** Zooms around the place of the cursor, in the axis's own scale. */
  private closer(factor: number): void {
    const { chart, found } = this;
    const { min, max } = chart?.scales["x"] ?? {};
    if (!chart || !found || min == null || max == null) return;
    const at = chart.valToPos(found.x[this.cursor.place] ?? min, "x");
    const width = chart.over.clientWidth * factor;
    const share = at / chart.over.clientWidth;
    const ends = [at - share * width, at + (1 - share) * width].map((pos) => Number(chart.posToVal(pos, "x").toPrecision(4)));
    this.zoom(ends.join(","));
  }

  // What is pointed at.

  private hover(chart: uPlot): void {
    const { idx, left, top } = chart.cursor;
    const line = chart.series.findIndex((one, at) => at > 0 && (one as { _focus?: boolean })._focus === true);
    if (idx == null || left == null || top == null || left < 0 || line < 1) {
      this.tip.hidden = true;
      return;
    }
    this.cursor = { line: line - 1, place: idx };
    this.showTip(false);
  }

  private press(event: KeyboardEvent): void {
    const { found, names } = this;
    if (!found || event.ctrlKey || event.metaKey || event.altKey) return;
    const within = (value: number, count: number) => Math.min(count - 1, Math.max(0, value));
    const steps: Record<string, () => void> = {
      ArrowRight: () => (this.cursor.place = within(this.cursor.place + 1, found.x.length)),
      ArrowLeft: () => (this.cursor.place = within(this.cursor.place - 1, found.x.length)),
      ArrowUp: () => (this.cursor.line = within(this.cursor.line - 1, names.length)),
      ArrowDown: () => (this.cursor.line = within(this.cursor.line + 1, names.length)),
      Enter: () => this.open(),
      "+": () => this.closer(ZOOM_STEP),
      "-": () => this.closer(1 / ZOOM_STEP),
      "0": () => this.zoom(""),
      Escape: () => (this.tip.hidden = true),
    };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    step();
    if (event.key.startsWith("Arrow")) this.showTip(true);
  }

  private showTip(aloud: boolean): void {
    const { chart, found } = this;
    const { line, place } = this.cursor;
    const name = this.names[line];
    const value = name === undefined ? null : (found?.lines.get(name)?.[place] ?? null);
    const x = found?.x[place];
    if (!chart || !found || name === undefined || x === undefined) return;
    const count = found.counts.get(name)?.[place] ?? 0;
    const words = [name, `${inWords(this.chosen("x"))} ${this.place(place)}`, `${inWords(this.chosen("y"))} ${value === null ? "–" : this.written(this.chosen("y"), value)}`, `${count} ${count === 1 ? "row" : "rows"}`];
    fill(this.tip, el("strong", {}, name), ...words.slice(1).map((word) => el("div", {}, word)));
    this.tip.hidden = false;
    const left = chart.valToPos(x, "x") + chart.over.offsetLeft;
    const top = value === null ? 0 : chart.valToPos(value, "y") + chart.over.offsetTop;
    const room = this.plot.clientWidth - this.tip.offsetWidth;
    this.tip.style.left = `${Math.max(0, left + 12 <= room ? left + 12 : left - this.tip.offsetWidth - 12)}px`;
    this.tip.style.top = `${Math.max(0, top - this.tip.offsetHeight / 2)}px`;
    if (aloud) {
      this.said.textContent = words.join(", ");
      chart.setCursor({ left: chart.valToPos(x, "x"), top: value === null ? 0 : chart.valToPos(value, "y") }, false);
    }
  }

  /** A place of the axis in words: its value, or the ends of its class. */
  private place(place: number): string {
    const members = this.found?.members[place] ?? [];
    const ends = members.length > 1 ? [members[0], members.at(-1)] : [members[0]];
    return ends.map((value) => this.written(this.chosen("x"), value ?? 0)).join(" to ");
  }

  private open(): void {
    const name = this.names[this.cursor.line];
    const members = this.found?.members[this.cursor.place];
    if (name === undefined || !members || this.tip.hidden) return;
    const where = { ...this.asked.where, [this.asked.by]: name, [this.chosen("x")]: members };
    this.opening.list(where, `${inWords(this.chosen("y"))} of ${name}, ${inWords(this.chosen("x"))} ${this.place(this.cursor.place)}`);
  }
}

/** Round numbers between two: 1, 10, 100, and 3 or 2 and 5 between where those are few. */
export function decades(low: number, high: number): number[] {
  const first = Math.floor(Math.log10(low));
  const powers = Array.from({ length: Math.ceil(Math.log10(high)) - first + 1 }, (_, at) => first + at);
  let found: number[] = [];
  for (const digits of [[1], [1, 3], [1, 2, 5]]) {
    found = powers.flatMap((power) => digits.map((digit) => Number(`${digit}e${power}`)));
    found = found.filter((value) => value >= low && value <= high);
    if (found.length >= 3) break;
  }
  return found;
}

/** Whether values are better seen by their ratios. */
export function isLog(values: readonly number[]): boolean {
  if (!values.length) return false;
  const low = Math.min(...values);
  return low > 0 && Math.max(...values) / low >= LOG_RATIO;
}

/** From below the minimum to above the maximum by a share of the range, so that NaN never gets in. */
export function range(values: readonly number[], share: number): [number, number] {
  if (!values.length) return [0, 1];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (isLog(values)) {
    const part = (high / low) ** share;
    return [low / part, high * part];
  }
  const part = (high - low) * share || Math.abs(high) * 0.1 || 1;
  return [low >= 0 ? Math.max(0, low - part) : low - part, high + part];
}
