// The flows of a report over time, in the panels that the explorer has.

import { looks } from "../charts/colours.ts";
import { deliveryRate } from "../charts/delivery.ts";
import { hidden } from "../charts/legend.ts";
import type { Span } from "../charts/panel.ts";
import { wholeOf, type LineName, type Picture, type Trace } from "../charts/picture.ts";
import { Readout } from "../charts/readout.ts";
import type { Steps } from "../charts/steps.ts";
import { Timeline } from "../charts/timeline.ts";
import type { OverTime, PackedLine } from "../tables/columns.ts";
import type { Kept } from "../tables/summary.ts";
import { el, id } from "../ui/dom.ts";

const NONE: Steps = { bins: new Uint16Array(), values: new Float32Array() };
const HINT =
  "A drag or a pinch zooms, a double click shows all. Keys in a panel: ← → move the cursor, + and − zoom, Page Up and Page Down move " +
  "the part that is shown, Escape shows all. A name below is highlighted while it is pointed at.";

export class Flows {
  private readonly timeline: Timeline;
  private readonly readout = new Readout((startup) => this.timeline.highlight(startup));
  private readonly select = el("select", { id: id("choice") });
  private readonly said = el("div", { class: "unseen", role: "status" });
  private readonly dark = matchMedia("(prefers-color-scheme: dark)");
  private readonly pictures = new Map<OverTime, Picture>();
  private drawn = "";

  constructor(
    parent: HTMLElement,
    private readonly asked: OverTime[],
    private readonly names: readonly string[],
    private readonly kept: Kept,
  ) {
    this.timeline = new Timeline({
      zoom: (span) => this.zoom(span),
      point: (at_s, spoken) => this.point(at_s, spoken),
    });
    this.select.append(...asked.map(({ label }) => el("option", { value: label }, label)));
    this.select.addEventListener("change", () => {
      const first = this.select.value === asked[0]?.label;
      kept.set({ "time.of": first ? "" : this.select.value, "time.zoom": "" });
    });
    const bar = el("div", { class: "bar" });
    bar.append(el("label", { for: this.select.id }, "first flow under test of"), this.select);
    bar.append(this.timeline.buttons.element);
    const { element } = this.timeline;
    const hint = el("p", { class: "hint" }, HINT);
    const section = el("section", { class: "over-time" }, el("h2", {}, "Over time"), bar, element, hint, this.readout.element, this.said);
    // In the page before it is drawn: only there it has a width.
    parent.append(section);
    this.timeline.fit();
    this.dark.addEventListener("change", () => this.show(true));
    kept.follow(() => this.show());
  }

  /** Makes one startup stand out. */
  highlight(startup: string | null): void {
    this.timeline.highlight(startup === null ? null : { startup });
  }

  private show(again = false): void {
    const label = this.kept.get("time.of");
    const chosen = this.asked.find((one) => one.label === label) ?? this.asked[0];
    if (!chosen) return;
    const off = hidden(this.kept);
    const state = [chosen.label, this.kept.get("time.zoom"), ...off].join(" ");
    if (!again && state === this.drawn) return;
    this.drawn = state;
    this.select.value = chosen.label;
    let all = this.pictures.get(chosen);
    if (!all) this.pictures.set(chosen, (all = pictured(chosen)));
    const picture = { ...all, traces: all.traces.filter((trace) => !off.has(trace.startup)) };
    const looked = looks(this.names, this.dark.matches);
    if (again) this.readout.forget();
    this.timeline.show(picture, this.span ?? { from_s: 0, to_s: picture.to_s }, looked, this.dark.matches);
    this.timeline.describe();
    this.readout.show(picture, looked, null);
  }

  private get span(): Span | null {
    const [from_s, to_s] = this.kept.get("time.zoom").split(",").map(Number);
    return from_s !== undefined && to_s !== undefined && to_s > from_s ? { from_s, to_s } : null;
  }

  private zoom(span: Span | null): void {
    const ends = span ? [span.from_s, span.to_s].map((end) => Number(end.toPrecision(5))) : [];
    this.kept.set({ "time.zoom": ends.join(",") });
  }

  private point(at_s: number | null, spoken: LineName | null): void {
    this.readout.point(at_s);
    if (spoken && at_s !== null) this.said.textContent = this.readout.spoken(spoken, at_s);
  }
}

/** The flows of a size as the panels take them. */
export function pictured(one: OverTime): Picture {
  const { bin_s } = one;
  const traces = one.flows.map((flow): Trace => {
    const { cwnd, queue, sent, acked, pacing, delivered, limit } = flow.lines;
    const rtt_bins = one.rtt_s === null ? 0 : one.rtt_s / bin_s;
    const { drop, retransmit } = flow.events;
    const nothing = { ...NONE, total: 0 };
    return {
      startup: flow.startup,
      flow: flow.flow,
      bdp_pkts: flow.bdp_pkts,
      done_s: flow.done_s,
      end_s: flow.end_s,
      exit: flow.exit && { at_s: flow.exit[0], cwnd_segments: flow.exit[1], reason: flow.exit[2] },
      lines: {
        cwnd: steps(cwnd),
        flight: NONE,
        sent: steps(sent),
        acked: steps(acked),
        pacing: steps(pacing),
        delivery: deliveryRate(steps(delivered), rtt_bins, bin_s, false),
        queue: steps(queue),
        limit: steps(limit),
      },
      events: {
        drop: { ...steps([drop[0], drop[1]]), total: drop[2] },
        retransmit: { ...steps([retransmit[0], retransmit[1]]), total: retransmit[2] },
        mark: nothing,
        timeout: nothing,
      },
    };
  });
  const whole_s = Math.max(bin_s, wholeOf(traces, one.rtt_s ?? 0));
  return { from_s: 0, to_s: whole_s, whole_s, origin_s: 0, bin_s, traces };
}

function steps([gaps, values]: PackedLine): Steps {
  let bin = 0;
  return {
    bins: Uint16Array.from(gaps, (gap) => (bin += gap)),
    values: Float32Array.from(values, (value) => value ?? NaN),
  };
}
