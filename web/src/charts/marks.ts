// Marks of single events, and the numbers of exits, drawn into a canvas.

import type { Ink, Look } from "./colours.ts";

export interface Spot {
  x: number;
  y: number;
}

const SIZE = 3.2;
/** The radius of a disc without a number. */
export const DISC = 4.5;

/** A cross for what was dropped. */
export function cross(path: Path2D, { x, y }: Spot, scale: number): void {
  const reach = SIZE * scale;
  path.moveTo(x - reach, y - reach);
  path.lineTo(x + reach, y + reach);
  path.moveTo(x - reach, y + reach);
  path.lineTo(x + reach, y - reach);
}

/** A triangle for what was retransmitted. */
export function triangle(path: Path2D, { x, y }: Spot, scale: number): void {
  const reach = SIZE * scale * 1.15;
  path.moveTo(x, y - reach);
  path.lineTo(x + reach, y + reach * 0.8);
  path.lineTo(x - reach, y + reach * 0.8);
  path.closePath();
}

/** A disc where a flow was complete. */
export function disc(context: CanvasRenderingContext2D, { x, y }: Spot, look: Look, ink: Ink, scale: number): void {
  context.beginPath();
  context.arc(x, y, DISC * scale, 0, 2 * Math.PI);
  context.fillStyle = look.colour;
  context.fill();
  context.lineWidth = scale;
  context.strokeStyle = ink.page;
  context.stroke();
}

/** A disc with an exit's number in the startup's colour. */
export function numbered(
  context: CanvasRenderingContext2D,
  { x, y }: Spot,
  number: number,
  look: Look,
  ink: Ink,
  scale: number,
): void {
  const radius = RADIUS * scale;
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = ink.page;
  context.fill();
  context.lineWidth = 2 * scale;
  context.strokeStyle = look.colour;
  context.stroke();
  context.fillStyle = ink.text;
  context.font = `600 ${10.5 * scale}px system-ui, sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(String(number), x, y + 0.5 * scale);
}

export const RADIUS = 8;
/** How far one disc is above another. */
const STACK = 4;

/**
 * The spots, moved so far up that no disc hides another's number: their time stays. Where there is
 * no room below `above`, they move to the right.
 */
export function apart(spots: readonly Spot[], scale: number, above: number): Spot[] {
  const placed: Spot[] = [];
  for (const spot of spots) {
    const free = { ...spot };
    const near = (other: Spot): boolean =>
      Math.hypot(other.x - free.x, other.y - free.y) < 2 * RADIUS * scale;
    while (placed.some(near)) {
      if (free.y - STACK * scale >= above) free.y -= STACK * scale;
      else free.x += STACK * scale;
    }
    placed.push(free);
  }
  return placed;
}

/** The spots without those that would lie on the one before: their marks are one blot anyway. */
export function thinned(spots: readonly Spot[], scale: number): Spot[] {
  const kept: Spot[] = [];
  for (const spot of spots) {
    const last = kept.at(-1);
    const near = last && Math.abs(spot.x - last.x) + Math.abs(spot.y - last.y) < SIZE * scale;
    if (!near) kept.push(spot);
  }
  return kept;
}
