// The panels of one comparison: one time axis, one cursor, one zoom.

import { el } from "../ui/dom.ts";
import type { Look } from "./colours.ts";
import { Panel, type Lit, type Shown, type Span } from "./panel.ts";
import { PANELS } from "./panels.ts";
import type { LineName, Picture } from "./picture.ts";
import { ZoomButtons } from "./zoom.ts";

/** What the page does about what is done in the panels. */
export interface Watcher {
  /** A part of the time is to be looked at; null for all of it. */
  zoom(span: Span | null): void;
  /** The cursor is at a time; null where it has left. `spoken`: keys moved it in a panel of this line. */
  point(at_s: number | null, spoken: LineName | null): void;
}

/** The share of the time by which a key moves or zooms. */
const STEP = 0.01;
const LEAP = 0.1;
/** Ends this close together, as a share of the time, are one. */
const EPSILON = 1e-4;

export class Timeline {
  readonly element = el("div", { class: "panels" });
  readonly panels: readonly Panel[];
  readonly buttons = new ZoomButtons({
    scale: (factor) => this.scale(factor),
    move: (share) => this.shown && this.watcher.zoom(moved(this.shown.span, share)),
    all: () => this.watcher.zoom(null),
  });
  private shown: Shown | undefined;
  private at_s: number | null = null;

  constructor(private readonly watcher: Watcher) {
    const doings = {
      zoom: (span: Span) => this.look(span),
      stretch: (span: Span) => this.stretch(span),
      reset: () => watcher.zoom(null),
      point: (at_s: number | null) => this.point(at_s),
    };
    this.panels = PANELS.map((kind) => new Panel(kind, doings));
    for (const panel of this.panels) {
      panel.plotted.addEventListener("keydown", (event) => this.key(event, panel.kind.spoken));
      this.element.append(panel.element);
    }
    new ResizeObserver(() => this.fit()).observe(this.element);
  }

  /** Takes the panels' sizes from the page. */
  fit(): void {
    for (const panel of this.panels) panel.fit();
  }

  /** Pixels over which lines are drawn; a band is wider, and needs no more. */
  get columns(): number {
    const drawn = this.panels.filter(({ kind }) => !kind.band);
    return Math.max(...drawn.map((panel) => panel.columns));
  }

  get picture(): Picture | undefined {
    return this.shown?.picture;
  }

  /** Draws an answer in all panels at once. */
  show(picture: Picture, span: Span, looks: ReadonlyMap<string, Look>, dark: boolean): void {
    this.shown = { picture, span, looks, dark, lit: this.shown?.lit ?? null };
    const { from_s, to_s } = span;
    this.buttons.show(from_s > 0 || Math.abs(to_s - picture.whole_s) > picture.whole_s * EPSILON);
    for (const panel of this.panels) panel.show(this.shown);
  }

  /** What is there already, over another part of the time, until the answer comes. */
  stretch(span: Span): void {
    if (this.shown) this.show(this.shown.picture, span, this.shown.looks, this.shown.dark);
  }

  /** Writes what the panels show in sentences; too slow for every step of a slider. */
  describe(): void {
    for (const panel of this.panels) panel.describe();
  }

  highlight(lit: Lit): void {
    const before = this.shown?.lit;
    if (!this.shown || (before?.startup === lit?.startup && before?.flow === lit?.flow)) return;
    this.shown = { ...this.shown, lit };
    for (const panel of this.panels) panel.highlight(lit);
  }

  /** Puts the cursor at a time in all panels. */
  point(at_s: number | null, spoken: LineName | null = null): void {
    if (at_s === this.at_s) return;
    this.at_s = at_s;
    for (const panel of this.panels) panel.point(at_s);
    this.watcher.point(at_s, spoken);
  }

  /** Looks at a span; at the whole time where it is as long. */
  private look(span: Span): void {
    const whole_s = this.shown?.picture.whole_s ?? Infinity;
    this.watcher.zoom(span.to_s - span.from_s < whole_s * (1 - EPSILON) ? span : null);
  }

  /** Zooms about the cursor, or about the middle. */
  private scale(factor: number): void {
    if (!this.shown) return;
    const { span } = this.shown;
    this.look(around(this.at_s ?? (span.from_s + span.to_s) / 2, span, factor));
  }

  private key(event: KeyboardEvent, spoken: LineName): void {
    if (!this.shown || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = this.keys(this.shown.span, event.shiftKey, spoken)[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  private keys(span: Span, far: boolean, spoken: LineName): Record<string, () => void> {
    const wide = span.to_s - span.from_s;
    const at = this.at_s ?? span.from_s + wide / 2;
    const move = (by: number): void => {
      this.point(Math.min(span.to_s, Math.max(span.from_s, at + by * wide)), spoken);
    };
    return {
      ArrowLeft: () => move(far ? -LEAP : -STEP),
      ArrowRight: () => move(far ? LEAP : STEP),
      PageUp: () => this.watcher.zoom(moved(span, -0.5)),
      PageDown: () => this.watcher.zoom(moved(span, 0.5)),
      Home: () => this.point(span.from_s, spoken),
      End: () => this.point(span.to_s, spoken),
      "+": () => this.scale(0.5),
      "=": () => this.scale(0.5),
      "-": () => this.scale(2),
      Escape: () => this.watcher.zoom(null),
      "0": () => this.watcher.zoom(null),
    };
  }
}

/** A span `factor` times as long about a time, which keeps its place in it. */
export function around(at_s: number, span: Span, factor: number): Span {
  const from_s = Math.max(0, at_s - (at_s - span.from_s) * factor);
  return { from_s, to_s: from_s + (span.to_s - span.from_s) * factor };
}

/** A span moved by a share of its length, not before the beginning. */
export function moved(span: Span, share: number): Span {
  const wide = span.to_s - span.from_s;
  const from_s = Math.max(0, span.from_s + share * wide);
  return { from_s, to_s: from_s + wide };
}
