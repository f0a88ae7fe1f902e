// A startup's line as a small picture, for lists and tables.

import type { Look } from "../charts/colours.ts";

const SVG = "http://www.w3.org/2000/svg";

export function swatch(look: Look): SVGSVGElement {
  const picture = document.createElementNS(SVG, "svg");
  attributes(picture, { class: "swatch", width: 26, height: 10, viewBox: "0 0 26 10", "aria-hidden": "true" });
  const line = document.createElementNS(SVG, "line");
  attributes(line, {
    x1: 0, x2: 26, y1: 5, y2: 5,
    stroke: look.colour,
    "stroke-width": Math.max(2, look.width),
    "stroke-dasharray": look.dash.join(" ") || "none",
  });
  picture.append(line);
  return picture;
}

function attributes(element: SVGElement, values: Record<string, string | number>): void {
  for (const [name, value] of Object.entries(values)) element.setAttribute(name, String(value));
}
