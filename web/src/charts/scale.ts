// Colours of cells: a ramp for amounts, and which ink can be read on a colour.

import { luminance } from "./colours.ts";

/** Light to dark, one hue: lightness alone carries the amount. */
const RAMP = ["#f3f7fb", "#c9dff0", "#8fbcdd", "#4f93c4", "#226a9f", "#0f4775", "#08294a"] as const;

/** Losses to gains around nothing: orange, white, blue. */
const DIVERGING = ["#8a3a00", "#d0701f", "#f1b67e", "#f7f7f5", "#97c3e2", "#3f88bf", "#0d4778"] as const;

type Rgb = readonly [number, number, number];

/** The colour of an amount between 0 (light) and 1 (dark). */
export function amount(share: number): string {
  return between(RAMP, share);
}

/** The colour of a change between -1 (blue: faster) and 1 (orange: slower); 0 is nearly white. */
export function change(share: number): string {
  return between(DIVERGING, (1 - share) / 2);
}

/** Black or white, whichever is easier to read on `colour` (`#rrggbb`). */
export function ink(colour: string): string {
  const light = luminance(colour);
  return (light + 0.05) / 0.05 > 1.05 / (light + 0.05) ? "#000000" : "#ffffff";
}

function between(stops: readonly string[], share: number): string {
  const at = Math.min(1, Math.max(0, Number.isFinite(share) ? share : 1)) * (stops.length - 1);
  const below = Math.min(stops.length - 2, Math.floor(at));
  const low = rgb(stops[below] ?? "#000000");
  const high = rgb(stops[below + 1] ?? "#000000");
  const part = (channel: 0 | 1 | 2) => low[channel] + (at - below) * (high[channel] - low[channel]);
  return hex([part(0), part(1), part(2)]);
}

function rgb(colour: string): Rgb {
  const value = Number.parseInt(colour.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

function hex(parts: Rgb): string {
  return `#${parts.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}
