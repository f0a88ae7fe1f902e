// One panel: uPlot has the axes, the cursor and the selection; the lines are steps that are drawn
// from their bins as they came.

import uPlot from "uplot";
import { el, fill, id } from "../ui/dom.ts";
import { moment, packets } from "../ui/text.ts";
import { bar, BAR, key } from "./band.ts";
import { ink, type Ink, type Look } from "./colours.ts";
import { follow } from "./fingers.ts";
import { apart, cross, disc, numbered, RADIUS, thinned, triangle, type Spot } from "./marks.ts";
import { occurring, stretches } from "./limits.ts";
import { bdpOf, completions, drawn, exits, heights, middle, sentence, top, type PanelKind } from "./panels.ts";
import { binAt, type Picture, type Trace } from "./picture.ts";
import { draw, ticks } from "./steps.ts";

export interface Span {
  from_s: number;
  to_s: number;
}

/** What a person does in a panel. */
export interface Doings {
  zoom(span: Span): void;
  /** Two fingers are zooming. */
  stretch(span: Span): void;
  reset(): void;
  /** The cursor is at a time, or has left. */
  point(at_s: number | null): void;
}

/** All that a panel's picture depends on. */
export interface Shown {
  picture: Picture;
  span: Span;
  looks: ReadonlyMap<string, Look>;
  dark: boolean;
  lit: Lit;
}

/** What is highlighted: a startup, or one flow of its; null for all alike. */
export type Lit = { startup: string; flow?: number } | null;

function pale(lit: Lit, trace: Trace): boolean {
  if (!lit) return false;
  return lit.startup !== trace.startup || (lit.flow ?? trace.flow) !== trace.flow;
}

const Y_SIZE = 62;
/** A band has names of startups there, in no more than this share of its width. */
const NAMES_SIZE = 140;
const NAMES_SHARE = 0.25;
const LETTER = 6.6;
/** Room for the names of reasons above a band. */
const KEY = 22;
/** How much of the others is seen next to the highlighted one. */
const PALE = 0.13;

export class Panel {
  readonly element: HTMLElement;
  readonly plotted = el("div", { class: "plot" });
  private readonly words = el("ul", { class: "unseen", id: id("summary") });
  private plot: uPlot | undefined;
  private shown: Shown | undefined;
  private dark = false;
  /** Asking the browser for it would have it lay out the page at every step of a slider. */
  private wide = 0;
  private most = 1;
  private quiet = false;

  constructor(
    readonly kind: PanelKind,
    private readonly doings: Doings,
  ) {
    const title = el("figcaption", { id: id("panel") }, kind.title);
    if (kind.key) title.append(el("small", {}, kind.key));
    this.plotted.tabIndex = 0;
    this.plotted.setAttribute("role", "group");
    this.plotted.setAttribute("aria-labelledby", title.id);
    this.plotted.setAttribute("aria-describedby", this.words.id);
    this.touched();
    this.element = el("figure", { class: `panel ${kind.name}` }, title, this.plotted, this.words);
  }

  /** Pixels over which lines are drawn. */
  get columns(): number {
    return Math.round(Math.max(200, (this.wide || 600) - Y_SIZE) * devicePixelRatio);
  }

  get canvas(): HTMLCanvasElement | undefined {
    return this.plot?.ctx.canvas;
  }

  /** Draws at once. */
  show(shown: Shown): void {
    this.shown = shown;
    this.most = top(this.kind, shown.picture);
    if (!this.plot || shown.dark !== this.dark) this.build(shown.dark);
    else this.plot.setData(this.data());
  }

  /** Makes one startup or flow stand out. */
  highlight(lit: Lit): void {
    if (!this.shown || !this.plot) return;
    this.shown = { ...this.shown, lit };
    this.plot.redraw(false);
  }

  /** Puts the cursor at a time without a notification. */
  point(at_s: number | null): void {
    if (!this.plot) return;
    this.quiet = true;
    const left = at_s === null ? -10 : this.plot.valToPos(at_s, "x");
    this.plot.setCursor({ left, top: at_s === null ? -10 : 0 }, false);
    this.quiet = false;
  }

  /** The picture in sentences, for readers that do not see it. */
  describe(): void {
    const { shown } = this;
    if (!shown) return;
    const all = shown.picture.traces.map((one) => el("li", {}, sentence(this.kind, shown.picture, one)));
    fill(this.words, ...all);
  }

  fit(): void {
    const { clientWidth: width, clientHeight: height } = this.plotted;
    this.wide = width;
    if (!this.plot || !width || (width === this.plot.width && height === this.plot.height)) return;
    this.plot.setSize({ width, height });
  }

  private build(dark: boolean): void {
    this.plot?.destroy();
    this.dark = dark;
    this.plot = new uPlot(this.options(), this.data(), this.plotted);
  }

  /** uPlot gets the ranges; its own data only show that there are axes to draw. */
  private data(): uPlot.AlignedData {
    const { from_s, to_s } = this.span;
    return [
      [from_s, to_s],
      [0, 0],
    ];
  }

  private get span(): Span {
    return this.shown?.span ?? { from_s: 0, to_s: 1 };
  }

  private options(): uPlot.Options {
    const paint = ink(this.shown?.dark ?? false);
    return {
      width: this.plotted.clientWidth || 600,
      height: this.plotted.clientHeight || 200,
      padding: [this.kind.band ? KEY : RADIUS + 2, 12, 0, 0],
      legend: { show: false },
      scales: {
        x: { time: false, range: () => [this.span.from_s, this.span.to_s] },
        y: { range: () => [0, this.most] },
      },
      axes: this.axes(paint),
      series: [{}, { show: false }],
      cursor: this.cursor(),
      hooks: {
        draw: [(plot) => this.over(plot, paint)],
        setSelect: [(plot) => this.selected(plot)],
        setCursor: [(plot) => this.moved(plot)],
      },
    };
  }

  private cursor(): uPlot.Cursor {
    return {
      y: false,
      points: { show: false },
      drag: { x: true, y: false, setScale: false, dist: 4 },
      bind: {
        dblclick: () => () => {
          this.doings.reset();
          return null;
        },
      },
    };
  }

  private axes(paint: Ink): uPlot.Axis[] {
    const common = {
      stroke: paint.text,
      font: "11px system-ui, sans-serif",
      grid: { stroke: paint.grid, width: 1 },
      ticks: { stroke: paint.grid, width: 1, size: 4 },
      gap: 4,
    };
    return [
      {
        ...common,
        size: 28,
        splits: (plot) => ticks(this.span.from_s, this.span.to_s, plot.width / 90),
        values: (_, splits) => splits.map(moment),
      },
      {
        ...common,
        size: () => this.left,
        splits: (plot) => this.heights(plot).map(({ at }) => at),
        values: (plot) => this.heights(plot).map(({ text }) => text),
      },
    ];
  }

  private heights(plot: uPlot): { at: number; text: string }[] {
    const { shown } = this;
    return shown ? heights(this.kind, shown.picture, this.most, plot.height / 38, this.left / LETTER) : [];
  }

  /** Room for the names of heights. */
  private get left(): number {
    return this.kind.band ? Math.max(Y_SIZE, Math.min(NAMES_SIZE, NAMES_SHARE * this.wide)) : Y_SIZE;
  }

  /** A bar for each flow, and the names of the reasons above them. */
  private band(plot: uPlot, paint: Ink): void {
    const { picture, lit } = this.shown as Shown;
    const { ctx, bbox } = plot;
    const { x, y } = this.places(plot);
    const height = (BAR * bbox.height) / this.most;
    for (const [place, trace] of picture.traces.entries()) {
      ctx.globalAlpha = pale(lit, trace) ? PALE : 1;
      bar(ctx, stretches(picture, trace), x, y(middle(picture, place)) - height / 2, height);
    }
    ctx.globalAlpha = 1;
    key(ctx, occurring(picture), bbox.left + bbox.width, bbox.top - (KEY / 2) * devicePixelRatio, paint, devicePixelRatio);
  }

  private lines(plot: uPlot): void {
    const { picture, looks, lit } = this.shown as Shown;
    const { ctx } = plot;
    const { x, y } = this.places(plot);
    // Round joins would take most of the time, and steps have none to show.
    ctx.lineJoin = "bevel";
    for (const trace of drawn(this.kind, picture)) {
      const look = looks.get(trace.startup) as Look;
      const end = binAt(picture, Math.min(trace.end_s, picture.to_s));
      ctx.strokeStyle = look.colour;
      ctx.setLineDash(look.dash.map((part) => part * devicePixelRatio));
      for (const line of this.kind.lines) {
        const path = new Path2D();
        draw(trace.lines[line.name], end, x, y, path);
        ctx.globalAlpha = (line.faint ? 0.75 : 1) * (pale(lit, trace) ? PALE : 1);
        ctx.lineWidth = (line.faint ? 0.8 : look.width) * devicePixelRatio;
        ctx.stroke(path);
      }
    }
    ctx.setLineDash([]);
    ctx.globalAlpha = 1;
  }

  /** From bins and values to pixels of the canvas. */
  private places(plot: uPlot): { x(bin: number): number; y(value: number): number } {
    const { left, top: above, width, height } = plot.bbox;
    const { picture, span } = this.shown as Shown;
    const across = width / (span.to_s - span.from_s);
    const begin = left + (picture.origin_s - span.from_s) * across;
    const wide = picture.bin_s * across;
    const bottom = above + height;
    const high = height / this.most;
    return { x: (bin) => begin + bin * wide, y: (value) => bottom - value * high };
  }

  /** Lines, and what is drawn over them: BDP, events, exits. */
  private over(plot: uPlot, paint: Ink): void {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.beginPath();
    const above = Math.max(RADIUS * 2, KEY * devicePixelRatio);
    ctx.rect(bbox.left, bbox.top - above, bbox.width, bbox.height + above);
    ctx.clip();
    if (this.kind.band) this.band(plot, paint);
    this.lines(plot);
    if (this.kind.exits) this.level(plot, paint);
    this.events(plot);
    this.complete(plot, paint);
    if (this.kind.exits) this.numbers(plot, paint);
    ctx.restore();
  }

  private level(plot: uPlot, paint: Ink): void {
    const { ctx, bbox } = plot;
    const bdp = bdpOf((this.shown as Shown).picture);
    const scale = devicePixelRatio;
    const inside = bdp <= this.most;
    const y = inside ? this.places(plot).y(bdp) : bbox.top;
    ctx.strokeStyle = ctx.fillStyle = paint.text;
    ctx.lineWidth = scale;
    ctx.setLineDash([scale, 3 * scale]);
    ctx.beginPath();
    if (inside) ctx.moveTo(bbox.left, y);
    if (inside) ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.font = `${11 * scale}px system-ui, sans-serif`;
    ctx.textAlign = "right";
    ctx.textBaseline = inside && y > bbox.top + 16 * scale ? "bottom" : "top";
    const words = `BDP ${packets(bdp)}${inside ? "" : " (above)"}`;
    ctx.fillText(words, bbox.left + bbox.width - 4 * scale, y + (inside ? 0 : 2 * scale));
  }

  private events(plot: uPlot): void {
    const { ctx } = plot;
    const { picture, looks, lit } = this.shown as Shown;
    const { x, y } = this.places(plot);
    for (const trace of picture.traces) {
      ctx.globalAlpha = pale(lit, trace) ? PALE : 1;
      ctx.strokeStyle = looks.get(trace.startup)?.colour ?? "";
      ctx.lineWidth = 1.2 * devicePixelRatio;
      for (const name of this.kind.events) {
        const { bins, values } = trace.events[name];
        const shape = name === "drop" ? cross : triangle;
        const path = new Path2D();
        const all = Array.from(bins, (bin, at) => ({ x: x(bin), y: y(values[at] as number) }));
        for (const spot of thinned(all, devicePixelRatio)) shape(path, spot, devicePixelRatio);
        ctx.stroke(path);
      }
    }
    ctx.globalAlpha = 1;
  }

  private complete(plot: uPlot, paint: Ink): void {
    const { picture, looks, lit } = this.shown as Shown;
    const { x, y } = this.places(plot);
    for (const { trace, at_s, value } of completions(this.kind, picture)) {
      plot.ctx.globalAlpha = pale(lit, trace) ? PALE : 1;
      const spot = { x: x(binAt(picture, at_s)), y: y(value) };
      disc(plot.ctx, spot, looks.get(trace.startup) as Look, paint, devicePixelRatio);
    }
    plot.ctx.globalAlpha = 1;
  }

  private numbers(plot: uPlot, paint: Ink): void {
    const { picture, looks, span } = this.shown as Shown;
    const { x, y } = this.places(plot);
    const marks = exits(picture).filter((one) => one.at_s >= span.from_s && one.at_s <= span.to_s);
    const spot = (at_s: number, value: number): Spot => ({ x: x(binAt(picture, at_s)), y: y(value) });
    // A small window's disc stays whole above the axis.
    const lowest = plot.bbox.top + plot.bbox.height - RADIUS * devicePixelRatio;
    const wanted = marks.map((one) => spot(one.at_s, one.cwnd_segments)).map(({ x: across, y: down }) => ({ x: across, y: Math.min(down, lowest) }));
    const spots = apart(wanted, devicePixelRatio, plot.bbox.top);
    for (const [at, mark] of marks.entries()) {
      const look = looks.get(mark.trace.startup) as Look;
      numbered(plot.ctx, spots[at] as Spot, mark.number, look, paint, devicePixelRatio);
    }
  }

  private touched(): void {
    follow(this.plotted, {
      span: () => this.span,
      extent: () => (this.plot?.over ?? this.plotted).getBoundingClientRect(),
      point: (at_s) => this.doings.point(at_s),
      stretch: (span) => this.doings.stretch(span),
      zoom: (span) => this.doings.zoom(span),
    });
  }

  private selected(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < 4) return;
    const span = { from_s: plot.posToVal(left, "x"), to_s: plot.posToVal(left + width, "x") };
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.doings.zoom(span);
  }

  private moved(plot: uPlot): void {
    if (this.quiet) return;
    const { left } = plot.cursor;
    this.doings.point(left === undefined || left < 0 ? null : plot.posToVal(left, "x"));
  }
}
