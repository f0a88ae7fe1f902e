// The band of what limited flows, drawn into a canvas and as SVG.

import type { Ink } from "./colours.ts";
import { REASONS, reasonText, TILE, type Stretch } from "./limits.ts";

const LINE = "#333333";
/** Of a row's height, how much its bar takes. */
export const BAR = 0.76;

/** A bar of stretches in a canvas; `x` has the pixel of a bin. */
export function bar(
  context: CanvasRenderingContext2D,
  all: readonly Stretch[],
  x: (bin: number) => number,
  above: number,
  height: number,
): void {
  for (const { begin, end, reason } of all) {
    const [left, wide] = [x(begin), x(end) - x(begin)];
    context.fillStyle = REASONS[reason]?.colour ?? "";
    context.fillRect(left, above, wide, height);
    const pattern = hatched(context, reason);
    if (pattern) context.fillStyle = pattern;
    if (pattern) context.fillRect(left, above, wide, height);
  }
  const [first, last] = [all[0], all.at(-1)];
  context.strokeStyle = LINE;
  context.lineWidth = 0.5 * devicePixelRatio;
  if (first && last) context.strokeRect(x(first.begin), above, x(last.end) - x(first.begin), height);
}

const patterns = new Map<number, CanvasPattern | null>();

function hatched(context: CanvasRenderingContext2D, reason: number): CanvasPattern | null {
  const hatch = REASONS[reason]?.hatch;
  if (!hatch) return null;
  const kept = patterns.get(reason);
  if (kept) return kept;
  const tile = document.createElement("canvas");
  tile.width = tile.height = TILE * Math.max(1, Math.round(devicePixelRatio));
  const inner = tile.getContext("2d");
  if (!inner) return null;
  inner.scale(tile.width / TILE, tile.width / TILE);
  inner.strokeStyle = LINE;
  inner.stroke(new Path2D(hatch));
  const pattern = context.createPattern(tile, "repeat");
  patterns.set(reason, pattern);
  return pattern;
}

/** The hatches as definitions of an SVG picture. */
export function definitions(): string {
  const all = REASONS.map(
    ({ name, colour, hatch }) =>
      `<pattern id="limit-${name}" width="${TILE}" height="${TILE}" patternUnits="userSpaceOnUse">` +
      `<rect width="${TILE}" height="${TILE}" fill="${colour}"/><path d="${hatch}" stroke="${LINE}"/></pattern>`,
  );
  return `<defs>${all.join("")}</defs>`;
}

/** A rectangle of a reason as SVG. */
export function rectangle(reason: number, x: number, y: number, wide: number, high: number): string {
  const at = `x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${wide.toFixed(1)}" height="${high.toFixed(1)}"`;
  return `<rect ${at} fill="url(#limit-${REASONS[reason]?.name ?? ""})" stroke="${LINE}" stroke-width="0.3"/>`;
}

/** The names of the reasons in a canvas, from the left of its top right corner. */
export function key(
  context: CanvasRenderingContext2D,
  reasons: readonly number[],
  right: number,
  above: number,
  paint: Ink,
  scale: number,
): void {
  context.font = `${11 * scale}px system-ui, sans-serif`;
  context.textAlign = "right";
  context.textBaseline = "middle";
  let left = right;
  for (const reason of [...reasons].reverse()) {
    context.fillStyle = paint.text;
    context.fillText(reasonText(reason), left, above);
    left -= context.measureText(reasonText(reason)).width + 22 * scale;
    bar(context, [{ begin: 0, end: 1, reason }], (bin) => left + 18 * scale * bin, above - 5 * scale, 10 * scale);
    left -= 12 * scale;
  }
}
