// What the panels show, as one picture: SVG drawn anew from the lines, PNG put together from the
// panels' canvases.

import { BAR, definitions, rectangle } from "./band.ts";
import { ink, type Ink, type Look } from "./colours.ts";
import { occurring, reasonText, stretches } from "./limits.ts";
import { apart, DISC, type Spot } from "./marks.ts";
import type { Panel, Span } from "./panel.ts";
import { bdpOf, completions, drawn, exits, heights, middle, PANELS, top, type PanelKind } from "./panels.ts";
import { binAt, type Picture, type Trace } from "./picture.ts";
import { draw, ticks } from "./steps.ts";
import { moment, packets, seconds } from "../ui/text.ts";

export interface Exported {
  headline: string;
  picture: Picture;
  span: Span;
  looks: ReadonlyMap<string, Look>;
  dark: boolean;
}

const WIDE = 1100;
const HIGH = 220;
const LEFT = 72;
const RIGHT = 14;
/** Left of the panels. */
const LETTERS = 11;
const HEAD = 46;
const GAP = 46;
/** The height of a panel's title in a PNG. */
const TITLE = 24;
/** Panels narrower than this stand side by side there. */
const NARROW = 800;

/** The panels as the text of an SVG picture, one below the other. */
export function svg(shown: Exported): string {
  const paint = ink(shown.dark);
  const names = legend(shown, paint);
  const begin = HEAD + names.height;
  const parts = PANELS.map((kind, at) => panel(kind, shown, paint, begin + at * (HIGH + GAP)));
  const height = begin + PANELS.length * (HIGH + GAP) - 16;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDE}" height="${height}" viewBox="0 0 ${WIDE} ${height}" font-family="system-ui, sans-serif" font-size="11" fill="${paint.text}">`,
    `<title>${escaped(shown.headline)}</title>`,
    `<rect width="${WIDE}" height="${height}" fill="${paint.page}"/>`,
    `<text x="8" y="20" font-size="12">${escaped(shown.headline)}</text>`,
    definitions(),
    names.text,
    ...parts,
    "</svg>",
  ].join("\n");
}

function legend(shown: Exported, paint: Ink): { text: string; height: number } {
  const numbers = new Map(exits(shown.picture).map((one) => [one.trace, one]));
  const rows = shown.picture.traces.map((trace, at) => {
    const y = HEAD + at * 16;
    const exit = numbers.get(trace);
    const how = exit ? ` – ${exit.number}: ${exit.reason} at ${seconds(exit.at_s)}, cwnd ${packets(exit.cwnd_segments)}` : "";
    const line = `<path d="M8 ${y - 4}h36" ${stroke(shown.looks.get(trace.startup), 1)}/>`;
    return `${line}<text x="52" y="${y}" fill="${paint.text}">${escaped(trace.startup + how)}</text>`;
  });
  return { text: rows.join("\n"), height: rows.length * 16 + 18 };
}

function panel(kind: PanelKind, shown: Exported, paint: Ink, above: number): string {
  const most = top(kind, shown.picture);
  const { from_s, to_s } = shown.span;
  const across = (WIDE - LEFT - RIGHT) / (to_s - from_s);
  const time = (at_s: number): number => LEFT + (at_s - from_s) * across;
  const y = (value: number): number => above + HIGH - (value * HIGH) / most;
  const x = (bin: number): number => time(shown.picture.origin_s + bin * shown.picture.bin_s);
  const clip = `clip-${kind.name}`;
  return [
    `<text x="${LEFT}" y="${above - 8}" font-weight="600">${escaped(kind.title)}</text>`,
    kind.key ? `<text x="${WIDE - RIGHT}" y="${above - 8}" text-anchor="end">${escaped(kind.key)}</text>` : "",
    axes(kind, shown, most, above, time, y, paint),
    `<clipPath id="${clip}"><rect x="${LEFT}" y="${above - 10}" width="${WIDE - LEFT - RIGHT}" height="${HIGH + 10}"/></clipPath>`,
    `<g clip-path="url(#${clip})" fill="none">`,
    kind.exits ? level(bdpOf(shown.picture), most, y, paint) : "",
    kind.band ? band(shown.picture, x, y) : "",
    ...drawn(kind, shown.picture).map((trace) => lines(kind, shown, trace, x, y)),
    ...completions(kind, shown.picture).map(({ trace, at_s, value }) => {
      const at = `cx="${time(at_s).toFixed(1)}" cy="${y(value).toFixed(1)}" r="${DISC}"`;
      return `<circle ${at} fill="${shown.looks.get(trace.startup)?.colour ?? ""}" stroke="${paint.page}"/>`;
    }),
    kind.exits ? numbers(shown, time, y, above, paint) : "",
    "</g>",
    kind.band ? reasons(shown.picture, above - 13) : "",
  ].join("\n");
}

/** A bar for each flow. */
function band(shown: Picture, x: (bin: number) => number, y: (value: number) => number): string {
  const all = shown.traces.flatMap((trace, place) => {
    const [under, above] = [-1, 1].map((side) => y(middle(shown, place) + (side * BAR) / 2)) as [number, number];
    const bars = stretches(shown, trace);
    return bars.map(({ begin, end, reason }) => rectangle(reason, x(begin), above, x(end) - x(begin), under - above));
  });
  return all.join("");
}

/** The names of the reasons, from the right to the left. */
function reasons(shown: Picture, above: number): string {
  const width = 150;
  const all = occurring(shown).reverse().map((reason, at) => {
    const left = WIDE - RIGHT - (at + 1) * width;
    return rectangle(reason, left, above - 5, 16, 10) + `<text x="${left + 21}" y="${above + 4}">${reasonText(reason)}</text>`;
  });
  return all.join("");
}

function axes(
  kind: PanelKind,
  { picture, span }: Exported,
  most: number,
  above: number,
  x: (at_s: number) => number,
  y: (value: number) => number,
  paint: Ink,
): string {
  const under = above + HIGH;
  const times = ticks(span.from_s, span.to_s, 10).map(
    (at) =>
      `<path d="M${x(at).toFixed(1)} ${above}V${under}" stroke="${paint.grid}"/>` +
      `<text x="${x(at).toFixed(1)}" y="${under + 15}" text-anchor="middle">${moment(at)}</text>`,
  );
  const levels = heights(kind, picture, most, 5, LETTERS).map(
    ({ at, text }) =>
      `<path d="M${LEFT} ${y(at).toFixed(1)}H${WIDE - RIGHT}" stroke="${paint.grid}"/>` +
      `<text x="${LEFT - 6}" y="${(y(at) + 4).toFixed(1)}" text-anchor="end">${escaped(text)}</text>`,
  );
  return [...times, ...levels].join("");
}

function level(bdp: number, most: number, y: (value: number) => number, paint: Ink): string {
  if (bdp > most) return "";
  const at = y(bdp).toFixed(1);
  return (
    `<path d="M${LEFT} ${at}H${WIDE - RIGHT}" stroke="${paint.text}" stroke-dasharray="1 3"/>` +
    `<text x="${WIDE - RIGHT - 4}" y="${(y(bdp) - 3).toFixed(1)}" text-anchor="end" fill="${paint.text}">BDP ${packets(bdp)}</text>`
  );
}

function lines(
  kind: PanelKind,
  shown: Exported,
  trace: Trace,
  x: (bin: number) => number,
  y: (value: number) => number,
): string {
  const look = shown.looks.get(trace.startup);
  const end = binAt(shown.picture, Math.min(trace.end_s, shown.picture.to_s));
  const paths = kind.lines.map((line) => {
    const path = new Text();
    draw(trace.lines[line.name], end, x, y, path);
    return `<path d="${path.d}" ${stroke(look, line.faint ? 0.8 : (look?.width ?? 1))}/>`;
  });
  const marks = kind.events.map((name) => {
    const { bins, values } = trace.events[name];
    const spots = Array.from(bins, (bin, at) => `M${x(bin).toFixed(1)} ${y(values[at] as number).toFixed(1)}`);
    const shape = name === "drop" ? "m-3 -3l6 6m0 -6l-6 6" : "m0 -4l3.5 6h-7z";
    return `<path d="${spots.map((spot) => spot + shape).join("")}" stroke="${look?.colour ?? ""}"/>`;
  });
  return [...paths, ...marks].join("\n");
}

function numbers(
  shown: Exported,
  x: (at_s: number) => number,
  y: (value: number) => number,
  above: number,
  paint: Ink,
): string {
  const marks = exits(shown.picture);
  const spots = apart(marks.map((one) => ({ x: x(one.at_s), y: y(one.cwnd_segments) })), 1, above);
  const all = marks.map((mark, at) => {
    const spot = spots[at] as Spot;
    const [across, up] = [spot.x.toFixed(1), spot.y];
    const look = shown.looks.get(mark.trace.startup);
    return (
      `<circle cx="${across}" cy="${up.toFixed(1)}" r="8" fill="${paint.page}" stroke="${look?.colour ?? ""}" stroke-width="2"/>` +
      `<text x="${across}" y="${(up + 4).toFixed(1)}" text-anchor="middle" font-weight="600" fill="${paint.text}">${mark.number}</text>`
    );
  });
  return all.join("\n");
}

function stroke(look: Look | undefined, width: number): string {
  const dash = look?.dash.length ? ` stroke-dasharray="${look.dash.join(" ")}"` : "";
  return `stroke="${look?.colour ?? ""}" stroke-width="${width}" fill="none"${dash}`;
}

/** A path's text, with a tenth of a pixel. */
class Text {
  d = "";

  moveTo(x: number, y: number): void {
    this.d += `M${x.toFixed(1)} ${y.toFixed(1)}`;
  }

  lineTo(x: number, y: number): void {
    this.d += `L${x.toFixed(1)} ${y.toFixed(1)}`;
  }
}

function escaped(words: string): string {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** The panels as they are on the screen, with their titles, headline and names, as a PNG. */
export function png(shown: Exported, panels: readonly Panel[]): Promise<Blob | null> {
  const canvas = document.createElement("canvas");
  const scale = devicePixelRatio;
  const canvases = panels.map((panel) => panel.canvas);
  const wide = canvases[0]?.width ?? 0;
  const high = (canvases[0]?.height ?? 0) + TITLE * scale;
  const columns = wide < NARROW * scale ? 2 : 1;
  const above = (HEAD + shown.picture.traces.length * 18) * scale;
  canvas.width = Math.max(wide * columns, ...canvases.map((one) => one?.width ?? 0));
  canvas.height = above + high * Math.ceil(panels.length / columns);
  const context = canvas.getContext("2d");
  if (!context) return Promise.resolve(null);
  heading(context, shown, scale);
  context.font = `600 ${12 * scale}px system-ui, sans-serif`;
  for (const [at, one] of canvases.entries()) {
    const [x, y] = [(at % columns) * wide, above + Math.floor(at / columns) * high];
    context.fillText(panels[at]?.kind.title ?? "", x + 8 * scale, y + 16 * scale);
    if (one) context.drawImage(one, x, y + TITLE * scale);
  }
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

function heading(context: CanvasRenderingContext2D, shown: Exported, scale: number): void {
  const paint = ink(shown.dark);
  context.fillStyle = paint.page;
  context.fillRect(0, 0, context.canvas.width, context.canvas.height);
  context.fillStyle = paint.text;
  context.font = `${12 * scale}px system-ui, sans-serif`;
  context.fillText(shown.headline, 8 * scale, 20 * scale, context.canvas.width - 16 * scale);
  const numbers = new Map(exits(shown.picture).map((one) => [one.trace, one.number]));
  for (const [at, trace] of shown.picture.traces.entries()) {
    const y = (HEAD + at * 18) * scale;
    const look = shown.looks.get(trace.startup);
    context.strokeStyle = look?.colour ?? paint.text;
    context.lineWidth = (look?.width ?? 1) * scale;
    context.setLineDash((look?.dash ?? []).map((part) => part * scale));
    context.beginPath();
    context.moveTo(8 * scale, y - 4 * scale);
    context.lineTo(44 * scale, y - 4 * scale);
    context.stroke();
    const number = numbers.get(trace);
    context.fillText(number ? `${trace.startup} (exit ${number})` : trace.startup, 52 * scale, y);
  }
  context.setLineDash([]);
}

/** Gives a file to the browser to keep. */
export function download(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
