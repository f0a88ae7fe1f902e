// How a replay's variants change completion times by size: a chart of one statistic, and the table
// of all.

import type { CaptureReplay } from "../../answers.ts";
import { looks } from "../../charts/colours.ts";
import { whiskers, type Whisker } from "../../charts/whiskers.ts";
import { el, fill, id } from "../../ui/dom.ts";
import { grid } from "../../ui/grid.ts";
import type { App } from "../view.ts";

/** What a person chooses from, and what it is of. */
const STATISTICS: Record<string, string> = {
  geomean_ratio: "completion times (geometric mean of the transfers' ratios)",
  p50: "median of completion times",
  p95: "95th percentile of completion times",
  p99: "99th percentile of completion times",
};
const HINT = "Left of the middle is faster. A whole dot: the interval leaves no change out; a hollow one: it does not, or there are too few transfers for one.";

export class Changes {
  readonly element = el("section");
  private readonly statistic = el("select", { id: id("statistic") });
  private readonly chart = el("div");
  private drawn = "";

  constructor(
    private readonly app: App,
    private readonly found: CaptureReplay,
  ) {
    if (!found.changes) return;
    this.statistic.append(...Object.entries(STATISTICS).map(([name, title]) => new Option(title, name)));
    this.statistic.addEventListener("change", () => app.go({ own: { ...app.state.own, statistic: this.statistic.value } }, "push"));
    const bar = el("div", { class: "options" }, el("label", { for: this.statistic.id }, "Change of the "), this.statistic);
    const table = el("details", {}, el("summary", {}, "All statistics in a table"), grid(found.changes));
    this.element.append(el("h2", {}, `Changes against ${found.baseline}`), bar, this.chart, el("p", { class: "hint" }, HINT), table);
  }

  /** Draws the statistic that the state names. */
  update(): void {
    const asked = this.app.state.own["statistic"] ?? "";
    this.statistic.value = asked in STATISTICS ? asked : "geomean_ratio";
    const { value } = this.statistic;
    if (!this.found.changes || this.drawn === value + this.app.dark) return;
    this.drawn = value + this.app.dark;
    const title = `Change of the ${STATISTICS[value] ?? value} against ${this.found.baseline}`;
    fill(this.chart, whiskers(title, this.of(value), looks(this.found.variants, this.app.dark)));
  }

  private of(statistic: string): Whisker[] {
    const { intervals, classes } = this.found;
    return classes.flatMap(({ size_class, transfers }) =>
      intervals
        .filter((one) => one.size_class === size_class && one.statistic === statistic)
        .map(({ variant, estimate, low, high, enough, reason }) => ({
          group: `${size_class}: ${transfers} transfers`,
          name: variant,
          estimate,
          low: enough ? low : null,
          high: enough ? high : null,
          reason: reason ?? "",
        })),
    );
  }
}
