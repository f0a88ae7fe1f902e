// The script of a report: what is in the page already becomes sortable, filterable and
// traceable to the rows that the page holds.

import "./report.css";
import { Rows, type Document } from "../tables/columns.ts";
import { List } from "../tables/list.ts";
import { Summary } from "../tables/summary.ts";
import { Legend } from "../charts/legend.ts";
import { Lines } from "../charts/lines.ts";
import { Hash } from "./hash.ts";
import { Maps } from "./maps.ts";
import { Flows } from "./overtime.ts";
import { inflated, showPictures } from "./packed.ts";
import { Trace } from "./trace.ts";

async function begin(): Promise<void> {
  const hash = new Hash();
  const block = document.getElementById("data-rows");
  const tables = [...document.querySelectorAll<HTMLTableElement>(".flowstart table")];
  let trace: Trace | null = null;
  if (block) {
    const rows = new Rows(JSON.parse(await inflated(block.textContent ?? "")) as Document);
    const list = new List(rows, hash);
    const tracing = new Trace(rows, list, hash);
    const place = document.getElementById("charts");
    if (place) draw(place, rows, hash, tracing);
    document.getElementById("rows")?.append(list.root);
    trace = tracing;
  }
  tables.forEach((table, at) => new Summary(table, String(at + 1), hash, trace));
  await showPictures();
  document.documentElement.dataset["ready"] = "";
}

/** The charts and maps of a page, and the legend that all lines have in common. */
function draw(place: HTMLElement, rows: Rows, hash: Hash, tracing: Trace): void {
  const { charts, heat, over_time } = rows.document;
  if (heat) place.append(new Maps(heat, hash, tracing).root);
  const by = charts[0]?.by ?? (over_time.length ? "variant" : null);
  if (by === null) return;
  const names = [...new Set(rows.column(by)?.values.map(String))];
  const drawn: { highlight(name: string | null): void }[] = [];
  new Legend(place, names, hash, (name) => drawn.forEach((one) => one.highlight(name)));
  charts.forEach((chart, at) => drawn.push(new Lines(place, rows, chart, names, `chart${at + 1}`, hash, tracing)));
  if (over_time.length) drawn.push(new Flows(place, over_time, names, hash));
}

void begin();
