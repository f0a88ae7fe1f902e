// The script of a report: what stands in the page already becomes sortable, filterable and
// traceable to the rows that the page holds.

import "./report.css";
import { Rows, type Document } from "../tables/columns.ts";
import { List } from "../tables/list.ts";
import { Summary } from "../tables/summary.ts";
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
    const { charts, heat } = rows.document;
    const place = document.getElementById("charts");
    if (place && heat) place.append(new Maps(heat, hash, tracing).root);
    if (place) charts.forEach((chart, at) => new Lines(place, rows, chart, `chart${at + 1}`, hash, tracing));
    if (place && rows.document.over_time.length) new Flows(place, rows.document.over_time, hash);
    document.getElementById("rows")?.append(list.root);
    trace = tracing;
  }
  tables.forEach((table, at) => new Summary(table, String(at + 1), hash, trace));
  await showPictures();
  document.documentElement.dataset["ready"] = "";
}

void begin();
