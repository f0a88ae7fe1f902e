// What a map shows: winners, or the regret or change of a startup; kept in the URL.

import { looks } from "../../charts/colours.ts";
import { amount, change } from "../../charts/scale.ts";
import { abbreviated } from "../../charts/abbreviated.ts";
import { el, fill, id } from "../../ui/dom.ts";
import { MEASURES, type Measure, type Showing } from "./plane.ts";
import type { App } from "../view.ts";

const TITLES: Record<Measure, string> = {
  winner: "fastest startup",
  regret: "regret of",
  change: "change against the baseline of",
};

export class Measures {
  readonly element = el("div", { class: "measures" });
  readonly key = el("p", { class: "map-key" });
  private readonly measure = el("select", { id: id("measure") });
  private readonly of = el("select", { "aria-label": "Startup" });
  private names: readonly string[] = [];

  constructor(private readonly app: App) {
    this.measure.append(...MEASURES.map((name) => new Option(TITLES[name], name)));
    this.measure.addEventListener("change", () => this.put({ measure: this.measure.value }));
    this.of.addEventListener("change", () => this.put({ of: this.of.value }));
    this.element.append(el("label", { for: this.measure.id }, "Show "), this.measure, this.of);
  }

  /** What the state shows of these startups. */
  showing(names: readonly string[]): Showing {
    const { own } = this.app.state;
    const measure = MEASURES.find((one) => one === own["measure"]) ?? "winner";
    const found = looks(names, this.app.dark);
    const of = Math.max(0, names.indexOf(own["of"] ?? names[1] ?? ""));
    const colours = names.map((name) => found.get(name)?.colour ?? "#888888");
    this.set(names, measure, of);
    return { measure, of, colours };
  }

  /** Explains colours and letters; `seen` are the startups that cells show as the first. */
  explain(showing: Showing, seen: readonly number[], margin: number, baseline: string): void {
    if (showing.measure !== "winner") {
      const ends = showing.measure === "regret" ? regretEnds() : changeEnds(baseline);
      fill(this.key, ...ends);
      return;
    }
    const marks = abbreviated(this.names);
    const entries = seen.map((at) =>
      el("span", {}, square(showing.colours[at] ?? ""), `${marks[at]} ${this.names[at]}`),
    );
    const tie = `≈ several within ${Math.round(100 * margin)} %: the colour of the one that is so in most cells`;
    fill(this.key, ...entries, el("span", {}, tie));
  }

  private set(names: readonly string[], measure: Measure, of: number): void {
    if (names.join() !== this.names.join()) {
      this.names = names;
      fill(this.of, ...names.map((name) => new Option(name, name)));
    }
    this.measure.value = measure;
    this.of.hidden = measure === "winner";
    this.of.value = names[of] ?? "";
  }

  private put(change: Record<string, string>): void {
    this.app.go({ own: { ...this.app.state.own, ...change } }, "push");
  }
}

function regretEnds(): HTMLElement[] {
  const steps = [1, 1.4, 2, 2.8, 4].map((value) =>
    el("span", {}, square(amount(Math.log(value) / Math.log(4))), value === 4 ? "4 and more" : String(value)),
  );
  return [el("span", {}, "Times the completion time of the first:"), ...steps];
}

function changeEnds(baseline: string): HTMLElement[] {
  const steps: [number, string][] = [[-1, "half as long"], [-0.4, "faster"], [0, "the same"], [0.4, "slower"], [1, "twice as long and more"]];
  const found = steps.map(([at, words]) => el("span", {}, square(change(at)), words));
  return [el("span", {}, `Against ${baseline}, in percent:`), ...found];
}

function square(colour: string): HTMLElement {
  const found = el("i", { class: "map-square" });
  found.style.background = colour;
  return found;
}
