// The map of rate and round trip: coarse at once, and finer while nothing else is asked.

import type { MapLevel } from "../../answers.ts";
import { aborted, Newest } from "../../api.ts";
import { HeatMap } from "../../charts/heatmap.ts";
import { looks } from "../../charts/colours.ts";
import { leading } from "../../charts/ties.ts";
import type { Given } from "../../protocol.ts";
import { but, written } from "../../state.ts";
import { el, id } from "../../ui/dom.ts";
import { Controls } from "../controls.ts";
import { measured } from "../measured.ts";
import { Measures } from "./measures.ts";
import { drawing, refined, title, type Plane } from "./plane.ts";
import type { App } from "../view.ts";

/** Fields of a path for which the map has its own, and other ways to say a rate. */
const ITS_OWN = ["rate", "rtt", "rate-trace", "rate-steps"];
const ENDS: Record<string, [string, string]> = { rates: ["1Mbps", "1Gbps"], rtts: ["5ms", "500ms"] };

interface Question {
  /** What the map is of, as `key` has it. */
  asked: string;
  given: Given;
  rates: [string, string];
  rtts: [string, string];
  level: number;
  since: number;
}

/** What is given besides the rate's other forms: the map has separate rates. */
function withoutItsOwn(given: Given): Given {
  return but(given, Object.fromEntries(ITS_OWN.slice(2).map((flag) => [flag, undefined])));
}

export class PlaneView {
  readonly element = el("div", { class: "map-plane" });
  private readonly controls: Controls;
  private readonly measures: Measures;
  private readonly heat: HeatMap;
  private readonly headline = el("p", { class: "headline" });
  private readonly note = el("p", { class: "hint", role: "status" });
  private readonly output = el("div", { class: "output" });
  private readonly ends = new Map<string, HTMLInputElement>();
  private readonly requests: Newest<Question, MapLevel>;
  private plane: Plane | null = null;
  private asked = "";
  private touched = 0;
  private dragging = false;

  constructor(private readonly app: App) {
    this.controls = new Controls(app.about, (given, how) => this.change(given, how));
    for (const flag of ITS_OWN) this.hide(flag);
    this.measures = new Measures(app);
    const extent = el("div", { class: "extent" }, this.side("rates", "Rates"), this.side("rtts", "Round trips"));
    const bar = el("div", { class: "bar" }, this.headline, this.measures.element);
    const hint = el("p", { class: "hint" }, "Click a cell, or press Enter on it, to open it with its rate and round trip. Arrow keys move from cell to cell.");
    this.output.append(bar, extent);
    this.heat = new HeatMap(this.output, { onOpen: (cell) => this.open(cell.x, cell.y) });
    this.output.append(this.measures.key, this.note, hint);
    this.element.append(this.controls.element, this.output);
    this.requests = new Newest(
      (question, signal) => this.ask(question, signal),
      (level, question) => this.take(level, question),
      (error, question) => this.fail(error, question),
    );
  }

  /** Asks for the map of the state, unless it was asked for; draws what is there as it is chosen. */
  update(): void {
    const { given, own } = this.app.state;
    this.controls.set(given, looks(given.startup ?? [], this.app.dark));
    const [rates, rtts] = [this.extent("rates"), this.extent("rtts")];
    const asked = this.key(given);
    for (const [name, input] of this.ends) {
      if (document.activeElement !== input) input.value = own[name] ?? ENDS[name]?.join(" … ") ?? "";
    }
    this.draw();
    if (asked === this.asked) return;
    this.asked = asked;
    const path = given["path"] ? {} : { rate: rates[0], rtt: rtts[0] };
    this.requests.ask({ asked, given: but(withoutItsOwn(given), path), rates, rtts, level: 0, since: this.touched || performance.now() });
    this.touched = 0;
  }

  /** What a map of this state is of, as a text that can be compared. */
  private key(given: Given): string {
    const own = { rates: this.extent("rates").join(), rtts: this.extent("rtts").join() };
    return written({ view: "map", given: but(withoutItsOwn(given), { rate: undefined, rtt: undefined }), own });
  }

  end(): void {
    this.requests.cancel();
    this.heat.destroy();
  }

  private change(given: Given, how: "drag" | "done"): void {
    this.touched = performance.now();
    this.app.go({ given }, this.dragging ? "replace" : "push");
    this.dragging = how === "drag";
  }

  private ask({ given, rates, rtts, level }: Question, signal: AbortSignal): Promise<MapLevel> {
    return this.app.api.post("/api/map", { given, rates, rtts, level }, signal);
  }

  private take(level: MapLevel, question: Question): void {
    this.plane = refined(this.plane, level);
    this.spell(level.startups, question);
    this.output.classList.remove("stale");
    this.controls.refuse(null);
    this.draw();
    if (level.level === 0) measured(question.since);
    const next = level.level + 1;
    const last = next >= level.levels;
    this.note.textContent = last ? "" : `${level.columns} × ${level.rows} cells; a finer map follows…`;
    // Once this answer is dealt with: what a person requests meanwhile comes first.
    if (!last) queueMicrotask(() => this.refine({ ...question, level: next }));
  }

  /** The state has its startups by name, where a link said `all`, or none; it is not asked again. */
  private spell(startup: string[], question: Question): void {
    const { given } = this.app.state;
    if (startup.join() === given.startup?.join() || question.asked !== this.asked) return;
    const named = { ...given, startup };
    this.asked = question.asked = this.key(named);
    this.app.go({ given: named }, "replace");
  }

  /** The next level, unless something else was asked for. */
  private refine(question: Question): void {
    if (!this.requests.busy) this.requests.ask(question);
  }

  private fail(error: unknown, { level }: Question): void {
    if (aborted(error)) return;
    const words = error instanceof Error ? error.message : String(error);
    if (level > 0) {
      this.note.textContent = `No finer map: ${words}`;
      return;
    }
    this.controls.refuse(words);
    this.note.textContent = "";
    this.output.classList.add("stale");
  }

  private draw(): void {
    if (!this.plane) return;
    const { level, cells } = this.plane;
    const showing = this.measures.showing(level.startups);
    this.heat.update(drawing(this.plane, showing));
    this.headline.textContent = title(level, showing);
    const shown = leading(cells).filter((at, _, order) =>
      cells.some((cell) => order.find((one) => cell.within.includes(one)) === at),
    );
    this.measures.explain(showing, shown, level.margin, level.baseline);
  }

  private open(x: number, y: number): void {
    const cell = this.plane?.cells.find((one) => one.x === x && one.y === y);
    if (!cell) return;
    const own = Object.fromEntries(ITS_OWN.map((flag) => [flag, undefined]));
    const given = but(this.app.state.given, { ...own, rate: cell.rate, rtt: cell.rtt });
    this.app.go({ view: "explore", given, own: {} }, "push");
  }

  private extent(name: string): [string, string] {
    const usual = ENDS[name] ?? ["", ""];
    const [low = "", high = ""] = (this.app.state.own[name] ?? "").split(/…|\.\./).map((one) => one.trim());
    return low && high ? [low, high] : usual;
  }

  private side(name: string, label: string): HTMLElement {
    const input = el("input", { type: "text", id: id(name), spellcheck: "false", autocomplete: "off" });
    input.addEventListener("change", () => {
      const { [name]: _, ...rest } = this.app.state.own;
      const value = input.value.trim();
      this.app.go({ own: value ? { ...rest, [name]: value } : rest }, "push");
    });
    this.ends.set(name, input);
    return el("span", {}, el("label", { for: input.id }, `${label} `), input);
  }

  private hide(flag: string): void {
    const control = this.controls.element.querySelector(`[name="${flag}"]`)?.closest<HTMLElement>(".control");
    if (control) control.hidden = true;
  }
}
