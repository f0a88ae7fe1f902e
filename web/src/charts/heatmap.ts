// A map of cells: a canvas for their colours, and the document for words, cursor and axes.
//
// The content of a cell is in its letters and its hatching too, so the map can be read without
// colour. Arrow keys move a cursor over the cells, Enter opens one, and each is read out in words.

import "./heatmap.css";
import { ink } from "./scale.ts";

export interface Axis {
  title: string;
  /** How many cells it has. */
  count: number;
  /** Where words stand, in cells from the axis's beginning. */
  ticks: { at: number; label: string }[];
}

export interface Cell {
  /** Counted from the left and from the bottom. */
  x: number;
  y: number;
  /** `#rrggbb`. */
  fill: string;
  /** A few letters that say the same as the colour; drawn where they fit. */
  mark: string;
  /** Lines drawn over cells in which letters do not fit: 0 for none, to 6. */
  hatch: number;
  /** What is shown next to the pointer and read out; the first line names the cell. */
  words: string[];
}

export interface Drawing {
  /** What the map shows, for screen readers. */
  label: string;
  x: Axis;
  y: Axis;
  cells: Cell[];
}

export interface Options {
  /** A cell was clicked, or Enter pressed on it. Without it cells cannot be opened. */
  onOpen?: (cell: Cell) => void;
  /** The cursor is on a cell, or on none. */
  onPoint?: (cell: Cell | null) => void;
}

interface Place {
  x: number;
  y: number;
}

const LEAST_FONT = 9;
const LARGEST_FONT = 15;

/** Where the cursor comes from a place by a key; null where the key does not move it. */
export function moved(key: string, from: Place, columns: number, rows: number): Place | null {
  const steps: Record<string, Place> = {
    ArrowLeft: { x: -1, y: 0 },
    ArrowRight: { x: 1, y: 0 },
    ArrowUp: { x: 0, y: 1 },
    ArrowDown: { x: 0, y: -1 },
    Home: { x: -columns, y: 0 },
    End: { x: columns, y: 0 },
    PageUp: { x: 0, y: rows },
    PageDown: { x: 0, y: -rows },
  };
  const step = steps[key];
  if (step === undefined) return null;
  const within = (value: number, count: number) => Math.min(count - 1, Math.max(0, value));
  return { x: within(from.x + step.x, columns), y: within(from.y + step.y, rows) };
}

/** The cell at a point of the plane, both in shares of its width and height from the top left. */
export function placeAt(left: number, top: number, columns: number, rows: number): Place | null {
  if (left < 0 || left >= 1 || top < 0 || top >= 1) return null;
  return { x: Math.floor(left * columns), y: rows - 1 - Math.floor(top * rows) };
}

/** Of an axis's ticks those that have room when each needs `least` of `length` (same unit). */
export function fitting(axis: Axis, length: number, least: number): Axis["ticks"] {
  const found: Axis["ticks"] = [];
  let last = -Infinity;
  for (const tick of axis.ticks) {
    const at = (tick.at / axis.count) * length;
    if (at - last < least) continue;
    found.push(tick);
    last = at;
  }
  return found;
}

export class HeatMap {
  readonly root = element("div", "heatmap");
  private readonly plane = element("div", "heatmap-plane");
  private readonly canvas = document.createElement("canvas");
  private readonly cursor = element("div", "heatmap-cursor");
  private readonly words = element("div", "heatmap-words");
  private readonly said = element("div", "heatmap-said");
  private readonly xAxis = element("div", "heatmap-x");
  private readonly yAxis = element("div", "heatmap-y");
  private readonly xTitle = element("div", "heatmap-title-x");
  private readonly yTitle = element("div", "heatmap-title-y");
  private readonly observer: ResizeObserver;
  private drawing: Drawing | null = null;
  private cells = new Map<number, Cell>();
  private at: Place | null = null;
  /** The last cell that a finger has touched: the first touch shows it, the second opens it. */
  private touched: Cell | null = null;

  constructor(parent: HTMLElement, private readonly options: Options = {}) {
    this.plane.tabIndex = 0;
    // Neither a table nor a list can be this: arrow keys are handled here.
    this.plane.setAttribute("role", "application");
    this.plane.setAttribute("aria-roledescription", "heat map");
    if (options.onOpen) this.plane.dataset["opens"] = "";
    this.said.setAttribute("aria-live", "polite");
    for (const part of [this.canvas, this.words, this.xAxis, this.yAxis, this.xTitle, this.yTitle]) {
      part.setAttribute("aria-hidden", "true");
    }
    this.plane.append(this.canvas, this.cursor, this.words);
    this.root.append(this.yTitle, this.yAxis, this.plane, this.xAxis, this.xTitle, this.said);
    parent.append(this.root);
    this.listen();
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.plane);
    this.point(null);
  }

  /** Shows other cells; the cursor stays over the same part of the plane. */
  update(drawing: Drawing): void {
    const old = this.drawing;
    this.drawing = drawing;
    this.cells = new Map(drawing.cells.map((cell) => [this.key(cell), cell]));
    const keys = this.options.onOpen ? "arrow keys move, Enter opens a cell" : "arrow keys move";
    this.plane.setAttribute("aria-label", `${drawing.label}; ${keys}`);
    this.xTitle.textContent = drawing.x.title;
    this.yTitle.textContent = drawing.y.title;
    if (old && this.at) {
      this.at = {
        x: Math.floor(((this.at.x + 0.5) / old.x.count) * drawing.x.count),
        y: Math.floor(((this.at.y + 0.5) / old.y.count) * drawing.y.count),
      };
    }
    this.draw();
    this.show(false);
  }

  /** Draws again, as after a change of theme. */
  draw(): void {
    const { drawing } = this;
    const { clientWidth: width, clientHeight: height } = this.plane;
    const context = this.canvas.getContext("2d");
    if (!drawing || !context || !width || !height) return;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    context.scale(ratio, ratio);
    paint(context, drawing, width, height);
    this.drawAxes(drawing, width, height);
    this.placeCursor();
  }

  /** The map as a PNG's address, for a button that saves it. */
  png(): string {
    return this.canvas.toDataURL("image/png");
  }

  destroy(): void {
    this.observer.disconnect();
    this.root.remove();
  }

  private key({ x, y }: Place): number {
    return y * (this.drawing?.x.count ?? 0) + x;
  }

  private get cell(): Cell | null {
    return this.at ? (this.cells.get(this.key(this.at)) ?? null) : null;
  }

  private listen(): void {
    const { plane } = this;
    plane.addEventListener("pointermove", (event) => this.point(this.under(event)));
    plane.addEventListener("pointerleave", () => {
      if (document.activeElement !== plane) this.point(null);
    });
    plane.addEventListener("click", (event) => {
      this.point(this.under(event));
      const { cell } = this;
      const isTouch = event instanceof PointerEvent && event.pointerType === "touch";
      if (!cell || (isTouch && this.touched !== cell)) this.touched = cell;
      else this.options.onOpen?.(cell);
    });
    plane.addEventListener("focus", () => {
      if (!this.at && plane.matches(":focus-visible")) this.point({ x: 0, y: 0 }, true);
    });
    plane.addEventListener("blur", () => this.point(null));
    plane.addEventListener("keydown", (event) => this.press(event));
  }

  private press(event: KeyboardEvent): void {
    const { drawing, cell } = this;
    if (!drawing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") this.point(null);
    else if (event.key === "Enter" && cell) this.options.onOpen?.(cell);
    else {
      const from = this.at ?? { x: 0, y: 0 };
      const to = moved(event.key, from, drawing.x.count, drawing.y.count);
      if (!to) return;
      this.point(to, true);
    }
    event.preventDefault();
  }

  private under(event: MouseEvent): Place | null {
    if (!this.drawing) return null;
    const box = this.plane.getBoundingClientRect();
    const left = (event.clientX - box.left) / box.width;
    const top = (event.clientY - box.top) / box.height;
    return placeAt(left, top, this.drawing.x.count, this.drawing.y.count);
  }

  private point(place: Place | null, aloud = false): void {
    if (place && this.at && place.x === this.at.x && place.y === this.at.y) return;
    this.at = place;
    this.show(aloud);
    this.options.onPoint?.(this.cell);
  }

  /** Shows cursor and words of the cell; a screen reader reads them where a key moved there. */
  private show(aloud: boolean): void {
    const { cell } = this;
    this.words.replaceChildren(
      ...(cell?.words ?? []).map((line) => {
        const paragraph = document.createElement("p");
        paragraph.textContent = line;
        return paragraph;
      }),
    );
    if (aloud) this.said.textContent = cell ? cell.words.join("; ") : "no value here";
    this.placeCursor();
  }

  private placeCursor(): void {
    const { at, drawing, cursor, words } = this;
    cursor.hidden = !at || !drawing;
    words.hidden = !this.cell;
    if (!at || !drawing) return;
    const width = this.plane.clientWidth / drawing.x.count;
    const height = this.plane.clientHeight / drawing.y.count;
    const left = at.x * width;
    const top = (drawing.y.count - 1 - at.y) * height;
    Object.assign(cursor.style, {
      left: `${left}px`,
      top: `${top}px`,
      width: `${width}px`,
      height: `${height}px`,
    });
    const room = this.plane.clientWidth - words.offsetWidth;
    const right = left + width + 8;
    const beside = right <= room ? right : Math.max(0, left - words.offsetWidth - 8);
    const lowest = Math.max(0, this.plane.clientHeight - words.offsetHeight);
    // Where the words would cover their cell they stand below it, or above.
    const covers = beside < left + width && beside + words.offsetWidth > left;
    const below = top + height + 8 <= lowest ? top + height + 8 : top - words.offsetHeight - 8;
    words.style.left = `${Math.min(beside, Math.max(0, room))}px`;
    words.style.top = `${covers ? below : Math.min(top, lowest)}px`;
  }

  private drawAxes({ x, y }: Drawing, width: number, height: number): void {
    const label = (text: string, side: "left" | "bottom", share: number) => {
      const span = document.createElement("span");
      span.textContent = text;
      span.style[side] = `${100 * share}%`;
      return span;
    };
    this.xAxis.replaceChildren(
      ...fitting(x, width, 62).map((tick) => label(tick.label, "left", tick.at / x.count)),
    );
    this.yAxis.replaceChildren(
      ...fitting(y, height, 16).map((tick) => label(tick.label, "bottom", tick.at / y.count)),
    );
  }
}

function paint(context: CanvasRenderingContext2D, drawing: Drawing, width: number, height: number) {
  const wide = width / drawing.x.count;
  const high = height / drawing.y.count;
  const font = fontOf(context, drawing, wide, high);
  context.clearRect(0, 0, width, height);
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.font = written(font);
  for (const cell of drawing.cells) {
    // Edges on whole pixels, so that no seam of the background shows between cells.
    const left = Math.round(cell.x * wide);
    const top = Math.round((drawing.y.count - 1 - cell.y) * high);
    const right = Math.round((cell.x + 1) * wide);
    const bottom = Math.round((drawing.y.count - cell.y) * high);
    context.fillStyle = cell.fill;
    context.fillRect(left, top, right - left, bottom - top);
    if (font >= LEAST_FONT) {
      context.fillStyle = ink(cell.fill);
      context.fillText(cell.mark, (left + right) / 2, (top + bottom) / 2);
    } else {
      hatch(context, cell, left, top, right - left, bottom - top);
    }
  }
}

/** The size of letters with which every mark fits into its cell, as all have the same. */
function fontOf(context: CanvasRenderingContext2D, drawing: Drawing, wide: number, high: number): number {
  context.font = written(LARGEST_FONT);
  const widest = Math.max(...drawing.cells.map((cell) => context.measureText(cell.mark).width), 1);
  return Math.floor(Math.min(LARGEST_FONT, high * 0.6, (LARGEST_FONT * (wide - 4)) / widest));
}

function written(font: number): string {
  return `600 ${font}px system-ui, sans-serif`;
}

/** Lines in one of six directions and combinations, in an ink that can be seen on the colour. */
function hatch(
  context: CanvasRenderingContext2D,
  cell: Cell,
  left: number,
  top: number,
  width: number,
  height: number,
): void {
  const kind = cell.hatch % 7;
  if (!kind) return;
  const gap = 6;
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.beginPath();
  const lines = (count: number, line: (at: number) => void) => {
    for (let i = 0; i <= count; i++) line(i * gap);
  };
  const both = Math.ceil((width + height) / gap);
  // Counted from the plane's corner, so that lines of neighbours meet.
  const x = left - (left % gap);
  const y = top - (top % gap);
  if (kind === 1 || kind === 5) lines(both + 2, (at) => stroke(context, x + at, y, x + at - height - gap, y + height + gap));
  if (kind === 2 || kind === 5) lines(both + 2, (at) => stroke(context, x + at - height - gap, y, x + at, y + height + gap));
  if (kind === 3 || kind === 6) lines(height / gap + 1, (at) => stroke(context, x, y + at, x + width + gap, y + at));
  if (kind === 4 || kind === 6) lines(width / gap + 1, (at) => stroke(context, x + at, y, x + at, y + height + gap));
  context.strokeStyle = ink(cell.fill);
  context.globalAlpha = 0.45;
  context.stroke();
  context.restore();
}

function stroke(context: CanvasRenderingContext2D, fromX: number, fromY: number, toX: number, toY: number) {
  context.moveTo(fromX, fromY);
  context.lineTo(toX, toY);
}

function element(tag: "div", name: string): HTMLDivElement {
  const found = document.createElement(tag);
  found.className = name;
  return found;
}
