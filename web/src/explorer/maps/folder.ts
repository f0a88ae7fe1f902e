// The map of a sweep's folder: its tiles, the cells of a tile, and what opens them.

import type { FolderMap, FolderPanel, FolderTile, OpenedCell, TileCells } from "../../answers.ts";
import { aborted, Newest } from "../../api.ts";
import { abbreviated } from "../../charts/abbreviated.ts";
import { HeatMap, type Cell, type Drawing } from "../../charts/heatmap.ts";
import { leading } from "../../charts/ties.ts";
import { el, fill, id } from "../../ui/dom.ts";
import { grid } from "../../ui/grid.ts";
import { seconds } from "../../ui/text.ts";
import { Measures } from "./measures.ts";
import { changeLook, factor, regretLook, winner, type Showing } from "./plane.ts";
import type { App } from "../view.ts";

const USUAL = ["rate", "rtt"];
/** So many startups are named in the words of a tile. */
const NAMED = 5;

export class FolderView {
  readonly element = el("div", { class: "output map-folder" });
  private readonly measures: Measures;
  private readonly headline = el("p", { class: "headline" });
  private readonly refusal = el("p", { class: "refusal", role: "alert" });
  private readonly axes = [el("select", { id: id("x") }), el("select", { id: id("y") })] as const;
  private readonly panels = el("div", { class: "map-panels" });
  private readonly list = el("div", { class: "map-cells" });
  private readonly table = el("div");
  private readonly requests: Newest<string[], FolderMap>;
  private maps: HeatMap[] = [];
  private found: FolderMap | null = null;
  private asked = "";

  constructor(
    private readonly app: App,
    private readonly number: number,
  ) {
    this.measures = new Measures(app);
    const [x, y] = this.axes;
    for (const axis of this.axes) axis.addEventListener("change", () => this.put({ by: `${x.value},${y.value}` }));
    const sides = el("div", { class: "extent" }, el("label", { for: x.id }, "Across "), x, el("label", { for: y.id }, " up "), y);
    const hint = el("p", { class: "hint" }, "Click a tile, or press Enter on it, for its cells; a tile of one cell opens it.");
    const bar = el("div", { class: "bar" }, this.headline, this.measures.element);
    this.element.append(bar, sides, this.refusal, this.panels, this.measures.key, hint, this.list, this.table);
    this.requests = new Newest(
      (by, signal) => app.api.post<FolderMap>("/api/maps/read", { map: number, by }, signal),
      (map) => this.take(map),
      (error) => this.fail(error),
    );
  }

  update(): void {
    const by = this.by();
    this.draw();
    if (by.join() === this.asked) return;
    this.asked = by.join();
    this.requests.ask(by);
  }

  end(): void {
    this.requests.cancel();
    for (const map of this.maps) map.destroy();
  }

  private by(): string[] {
    return this.app.state.own["by"]?.split(",") ?? USUAL;
  }

  private put(change: Record<string, string>): void {
    this.app.go({ own: { ...this.app.state.own, ...change } }, "push");
  }

  private take(found: FolderMap): void {
    this.found = found;
    this.refusal.textContent = "";
    this.headline.textContent = found.headline;
    for (const [at, axis] of this.axes.entries()) {
      fill(axis, ...found.axes.map((name) => new Option(name, name)));
      axis.value = (at ? found.y : found.x).name;
    }
    for (const map of this.maps) map.destroy();
    fill(this.panels);
    fill(this.list);
    this.maps = found.panels.map((panel) => {
      const figure = el("div", {}, panel.title ? el("h3", {}, panel.title) : null);
      this.panels.append(figure);
      return new HeatMap(figure, { onOpen: (cell) => void this.open(panel, cell) });
    });
    const notes = found.notes.map((words) => el("li", {}, words));
    fill(this.table, el("h2", {}, "Startups over all cells"), grid(found.table), el("ul", { class: "warnings" }, ...notes));
    this.draw();
  }

  private draw(): void {
    const { found } = this;
    if (!found) return;
    const showing = this.measures.showing(found.startups);
    const tiles = found.panels.flatMap((panel) => panel.tiles);
    const leaders = leading(tiles);
    this.maps.forEach((map, at) => {
      const panel = found.panels[at];
      if (panel) map.update(this.drawing(found, panel, showing, leaders));
    });
    const seen = leaders.filter((at) => tiles.some((tile) => leaders.find((one) => tile.within.includes(one)) === at));
    this.measures.explain(showing, seen, found.margin, found.baseline);
  }

  private drawing(found: FolderMap, panel: FolderPanel, showing: Showing, leaders: number[]): Drawing {
    const marks = abbreviated(found.startups);
    return {
      label: `${panel.title || "All cells"}: ${found.x.title} and ${found.y.title}`,
      x: found.x,
      y: found.y,
      cells: panel.tiles.map((tile) => ({
        x: tile.x,
        y: tile.y,
        ...tileLook(tile, found, showing, marks, leaders),
        words: tileWords(tile, found),
      })),
    };
  }

  private async open(panel: FolderPanel, { x, y }: Cell): Promise<void> {
    const place = { map: this.number, by: this.by(), column: panel.column, row: panel.row, x, y };
    try {
      const found = await this.app.api.post<TileCells>("/api/maps/tile", place);
      const only = found.cells.length === 1 ? found.cells[0] : undefined;
      if (only && (await this.openCell(only.cell))) return;
      this.show(found);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Opens a cell in the explore view; shows the reason where that is impossible. */
  private async openCell(cell: number): Promise<boolean> {
    try {
      const found = await this.app.api.post<OpenedCell>("/api/maps/cell", { map: this.number, cell });
      if (found.given) this.app.go({ view: "explore", given: found.given, own: {} }, "push");
      else this.refusal.textContent = `Cell ${cell} does not open: ${found.why ?? ""}`;
      return found.given !== null;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  private show({ startups, total, cells }: TileCells): void {
    const columns = ["cell", ...startups].map((title, at) => ({ title, number: at > 0 }));
    const rows = cells.map((cell) => [cell.words, ...cell.fct_s.map((time) => (time === null ? "–" : seconds(time)))]);
    const title = total > cells.length ? `The first ${cells.length} of ${total} cells of the tile` : "The cells of the tile";
    const shown = grid({ title, columns, rows, groups: {}, marked: [] }, (words, at) => {
      const button = el("button", { type: "button", class: "link" }, words);
      button.addEventListener("click", () => void this.openCell(cells[at]?.cell ?? 0));
      return button;
    });
    fill(this.list, shown);
    shown.focus();
  }

  private fail(error: unknown): void {
    if (!aborted(error)) this.refusal.textContent = error instanceof Error ? error.message : String(error);
  }
}

function tileLook(tile: FolderTile, found: FolderMap, showing: Showing, marks: string[], leaders: number[]): Pick<Cell, "fill" | "mark" | "hatch"> {
  if (showing.measure === "winner") return winner(tile.within, showing, marks, leaders);
  const mean = tile.means[showing.of];
  if (showing.measure === "regret") return regretLook(mean);
  const base = tile.means[found.startups.indexOf(found.baseline)];
  return changeLook(mean && base ? mean / base - 1 : null);
}

function tileWords(tile: FolderTile, { startups }: FolderMap): string[] {
  const order = tile.means.map((_, at) => at).sort((a, b) => (tile.means[a] ?? 0) - (tile.means[b] ?? 0));
  const shown = order.slice(0, NAMED).map((at) => `${startups[at]}: mean regret ${factor(tile.means[at] ?? 1)}`);
  const count = tile.cells === 1 ? "1 cell" : `${tile.cells} cells`;
  const tied = tile.within.length > 1;
  const first = tied ? `${tile.within.length} are alike` : `${startups[tile.winner]} is first`;
  return [`${first} over ${count}`, ...shown];
}
