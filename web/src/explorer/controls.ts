// The controls next to the panels: they show the state and change it.

import type { Look } from "../charts/colours.ts";
import type { About, Field, Given } from "../protocol.ts";
import { but, text } from "../state.ts";
import { choice, slider, textControl, withLabels, type Change, type Control } from "../ui/control.ts";
import { el } from "../ui/dom.ts";
import { BUFFER, FLOWS, LOSS, RATE, RTT, SIZE } from "../ui/scale.ts";
import { StartupPicker } from "../ui/startups.ts";

/** Other values; "drag" while a slider moves. */
export type Changed = (given: Given, how: "drag" | "done") => void;

/** What holds where nothing is given, as far as a slider can show it. */
const USUAL: Record<string, string> = { buffer: "1bdp", loss: "0%", flows: "1", seed: "1" };
/** The picker of startups, as a refusal names it. */
const STARTUPS = { flag: "startup", label: "Startups" };
/** The length of words that fit into a choice. */
const SHORT = 16;
/** What of a named path stays when another path is chosen. */
const OWN_PATH = ["rate", "rtt", "buffer"];

export class Controls {
  readonly element = el("details", { class: "controls", open: true });
  private readonly refusal = el("p", { class: "refusal", role: "alert" });
  private readonly controls: Control[];
  private readonly picker: StartupPicker;
  private given: Given = {};

  constructor(
    private readonly about: About,
    private readonly changed: Changed,
  ) {
    const path = [this.path(), ...this.sliders(), this.queue()];
    const traffic = this.traffic();
    const shown = new Set([...path, ...traffic].map((one) => one.flag));
    const further = this.further(shown);
    this.controls = [...path, ...traffic, ...further];
    this.picker = new StartupPicker(about.startups, about.custom, (startup) =>
      this.changed(but(this.given, { startup }), "done"),
    );
    this.element.append(
      el("summary", {}, "Path, traffic and startups"),
      this.refusal,
      group("Path", ...path.map((one) => one.element)),
      group("Traffic and endpoints", ...traffic.map((one) => one.element)),
      group("Startups", this.picker.element),
      el("details", { class: "further" }, el("summary", {}, "All other settings"), ...further.map((one) => one.element)),
    );
    narrow(this.element);
  }

  /** Shows a state. */
  set(given: Given, looks: ReadonlyMap<string, Look>): void {
    this.given = given;
    const path = this.about.paths.find((one) => one.name === given["path"]);
    for (const control of this.controls) {
      const usual = path?.given[control.flag] ?? USUAL[control.flag] ?? this.usual(control.flag);
      control.set(text(given, control.flag), usual);
    }
    this.picker.set(given.startup ?? [], looks);
  }

  /** Shows why a state was refused, and marks the field that the sentence names; null clears. */
  refuse(sentence: string | null): void {
    this.refusal.textContent = withLabels(sentence ?? "", [...this.controls, STARTUPS]);
    const named = /^[`-]*([a-z][\w-]*)/.exec(sentence ?? "")?.[1]?.replaceAll("_", "-");
    for (const control of this.controls) control.refuse(control.flag === named);
    if (sentence) this.element.open = true;
  }

  private usual(flag: string): string {
    return this.about.fields.find((one) => one.flag === flag)?.usual ?? "";
  }

  /** What a choice shows where nothing is chosen. */
  private empty(flag: string): string {
    const usual = this.usual(flag);
    return usual && usual.length < SHORT ? `usual: ${usual}` : "usual";
  }

  private help(flag: string): string {
    return this.about.fields.find((one) => one.flag === flag)?.help ?? "";
  }

  private to(flag: string): Change {
    return (value, how) => this.changed(but(this.given, { [flag]: value }), how);
  }

  private path(): Control {
    const help = "A path known by name; rate, RTT and the others below override its fields.";
    return choice("path", "Named path", help, this.about.paths, "own path", (name) => {
      this.changed(this.onPath(name), "done");
    });
  }

  /** What is given once another path is chosen: its own values hold; without one, the last ones. */
  private onPath(name: string): Given {
    const last = this.about.paths.find((one) => one.name === this.given["path"])?.given ?? {};
    const named = new Set([...OWN_PATH, ...this.about.paths.flatMap((one) => Object.keys(one.given))]);
    const cleared = Object.fromEntries([...named].map((flag) => [flag, undefined]));
    if (name) return but(this.given, { ...cleared, path: name });
    return but(this.given, { ...last, ...own(this.given, named), path: undefined });
  }

  private sliders(): Control[] {
    return [
      slider("rate", "Rate", this.help("rate"), RATE, this.to("rate")),
      slider("rtt", "RTT", this.help("rtt"), RTT, this.to("rtt")),
      slider("buffer", "Buffer", this.help("buffer"), BUFFER, this.to("buffer")),
      slider("loss", "Random loss", this.help("loss"), LOSS, this.to("loss")),
    ];
  }

  private queue(): Control {
    const names = this.about.queues.map((one) => ({ name: one.name, about: one.summary }));
    return choice("queue", "Queue", this.help("queue"), names, this.empty("queue"), this.to("queue"));
  }

  private traffic(): Control[] {
    const avoidances = this.about.avoidances.map((one) => ({ name: one.name, about: one.summary }));
    return [
      slider("size", "Size", this.help("size"), SIZE, this.to("size")),
      slider("flows", "Competing flows", this.help("flows"), FLOWS, this.to("flows")),
      choice("stack", "Stack", this.help("stack"), this.about.stacks, this.empty("stack"), this.to("stack")),
      choice("cc", "Congestion control", this.help("cc"), avoidances, this.empty("cc"), this.to("cc")),
      textControl("seed", "Seed", this.help("seed"), this.to("seed")),
    ];
  }

  private further(shown: ReadonlySet<string>): Control[] {
    const without = new Set([...shown, "startup", "path"]);
    return this.about.fields
      .filter((field) => !without.has(field.flag))
      .map((field) => textControl(field.flag, name(field), field.help, this.to(field.flag)));
  }
}

function name(field: Field): string {
  const words = field.flag.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function own(given: Given, flags: ReadonlySet<string>): Given {
  return Object.fromEntries(Object.entries(given).filter(([flag]) => flags.has(flag)));
}

function group(title: string, ...children: HTMLElement[]): HTMLElement {
  return el("fieldset", {}, el("legend", {}, title), ...children);
}

/** In a narrow window the controls fold away, in a wide one they stand open. */
function narrow(details: HTMLDetailsElement): void {
  const query = matchMedia("(max-width: 760px)");
  const apply = (): void => {
    details.open = !query.matches;
  };
  query.addEventListener("change", apply);
  apply();
}
