// The heat maps of a report: which is best in each tile, or what one of them costs.

import { abbreviated } from "../charts/abbreviated.ts";
import { looks } from "../charts/colours.ts";
import { HeatMap, type Cell, type Drawing } from "../charts/heatmap.ts";
import { amount } from "../charts/scale.ts";
import { alike, leading } from "../charts/ties.ts";
import type { Opening } from "../charts/lines.ts";
import type { HeatMaps, Panel } from "../tables/columns.ts";
import type { Kept } from "../tables/summary.ts";
import { el, fill, id } from "../ui/dom.ts";

const BEST = "fastest startup";
/** Values from 1 to this one have all the colours: a regret of 4 is as dark as can be. */
const DARKEST = 4;
/** So many are named in a tile, the best first. */
const NAMED = 4;

export class Maps {
  readonly root = el("section", { class: "maps" });
  private readonly select = el("select", { id: id("choice") });
  private readonly key = el("p", { class: "maps-key" });
  private readonly maps: HeatMap[];
  private readonly marks: string[];
  /** Of every tile those that are as good as the best. */
  private readonly tied: number[][];
  private readonly leaders: number[];
  private readonly dark = matchMedia("(prefers-color-scheme: dark)");

  constructor(
    private readonly asked: HeatMaps,
    private readonly kept: Kept,
    opening: Opening,
  ) {
    this.marks = abbreviated(asked.names);
    this.tied = asked.panels.flatMap(({ tiles }) => tiles.map(([, , , , values]) => alike(values, asked.margin)));
    this.leaders = leading(this.tied.map((within) => ({ within })));
    this.select.append(
      el("option", { value: "" }, BEST),
      ...asked.names.map((name) => el("option", { value: name }, `${asked.measure} of ${name}`)),
    );
    this.select.addEventListener("change", () => kept.set({ "map.of": this.select.value }));
    const bar = el("div", { class: "bar" }, el("label", { for: this.select.id }, "Show"), this.select);
    const panels = el("div", { class: "maps-panels" });
    this.maps = asked.panels.map((panel) => {
      const figure = el("div", {}, el("h3", {}, panel.title));
      panels.append(figure);
      return new HeatMap(figure, { onOpen: (cell) => this.open(panel, cell, opening) });
    });
    this.root.append(el("h2", {}, asked.title), bar, panels, this.key);
    this.dark.addEventListener("change", () => this.show());
    kept.follow(() => this.show());
  }

  private show(): void {
    const name = this.kept.get("map.of");
    this.select.value = this.asked.names.includes(name) ? name : "";
    this.maps.forEach((map, at) => {
      const panel = this.asked.panels[at];
      if (panel) map.update(this.drawing(panel));
    });
    this.showKey();
  }

  private drawing(panel: Panel): Drawing {
    const { x, y, measure } = this.asked;
    const axis = (side: typeof x) => ({
      title: side.title,
      count: side.count,
      ticks: side.ticks.map(([at, label]) => ({ at, label })),
    });
    const what = this.select.value ? `${measure} of ${this.select.value}` : BEST;
    const cells = panel.tiles.map((tile) => this.cell(tile));
    return { label: `${what}, ${panel.title}`, x: axis(x), y: axis(y), cells };
  }

  private cell([, x, y, count, values]: Panel["tiles"][number]): Cell {
    const { names, measure } = this.asked;
    const order = values.map((_, at) => at).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
    const within = alike(values, this.asked.margin);
    const best = this.shown(within);
    const chosen = names.indexOf(this.select.value);
    const value = values[chosen] ?? 1;
    const fill = chosen < 0 ? this.colour(best) : amount(Math.log(value) / Math.log(DARKEST));
    const mark = chosen < 0 ? `${within.length > 1 ? "≈" : ""}${this.marks[best] ?? ""}` : brief(value);
    const shown = chosen < 0 ? order.slice(0, NAMED) : [chosen, ...order.filter((at) => at !== chosen).slice(0, NAMED - 1)];
    const words = shown.map((at) => `${names[at]}: ${measure} ${brief(values[at] ?? 1)}`);
    return { x, y, fill, mark, hatch: chosen < 0 ? best % 7 : 0, words: [...words, `${count} ${count === 1 ? "cell" : "cells"}`] };
  }

  /** The one of those alike that is so in most tiles. */
  private shown(within: readonly number[]): number {
    return this.leaders.find((at) => within.includes(at)) ?? 0;
  }

  private colour(at: number): string {
    return looks(this.asked.names, this.dark.matches).get(this.asked.names[at] ?? "")?.colour ?? "#888888";
  }

  private showKey(): void {
    const best = this.tied.map((within) => this.shown(within));
    const seen = [...new Set(best)].sort((a, b) => a - b);
    const ties = `≈ several within ${Math.round(100 * this.asked.margin)} %: the colour of the one that is best in most tiles`;
    if (this.select.value) fill(this.key, `The darker, the greater; from ${DARKEST} on all are alike.`);
    else fill(this.key, ...seen.map((at) => el("span", {}, swatch(this.colour(at)), `${this.marks[at]}: ${this.asked.names[at]}`)), el("span", {}, ties));
  }

  private open(panel: Panel, cell: Cell, opening: Opening): void {
    const tile = panel.tiles.find(([, x, y]) => x === cell.x && y === cell.y);
    if (tile) opening.list({ [this.asked.column]: tile[0] }, `The tile of ${panel.title} with ${cell.words[0]}`);
  }
}

function brief(value: number): string {
  return value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : value.toFixed(0);
}

function swatch(colour: string): HTMLElement {
  const found = el("i", { class: "maps-swatch" });
  found.style.background = colour;
  return found;
}
