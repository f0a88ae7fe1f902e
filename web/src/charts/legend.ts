// The names of all lines of a page: which are drawn, and which one is highlighted.

import "./legend.css";
import type { Kept } from "../tables/summary.ts";
import { el, fill } from "../ui/dom.ts";
import { swatch } from "../ui/swatch.ts";
import { looks } from "./colours.ts";

const OFF = "off";
/** In no name of a startup or variant. */
const BETWEEN = "|";

/** The names that are not drawn. */
export function hidden(kept: Kept): Set<string> {
  return new Set(kept.get(OFF).split(BETWEEN).filter(Boolean));
}

export class Legend {
  private readonly root = el("div", { class: "legend", role: "group", "aria-label": "Lines that are drawn" });
  private readonly dark = matchMedia("(prefers-color-scheme: dark)");
  private drawn: string | null = null;

  constructor(
    parent: HTMLElement,
    private readonly names: readonly string[],
    private readonly kept: Kept,
    /** A name is pointed at, or none is. */
    private readonly over: (name: string | null) => void,
  ) {
    parent.append(this.root);
    this.dark.addEventListener("change", () => this.show(true));
    kept.follow(() => this.show());
  }

  private show(again = false): void {
    const state = this.kept.get(OFF);
    if (!again && state === this.drawn) return;
    this.drawn = state;
    const off = hidden(this.kept);
    const look = looks(this.names, this.dark.matches);
    const focused = document.activeElement?.textContent;
    const buttons = this.names.map((name) => {
      const own = look.get(name);
      const button = el("button", { type: "button", "aria-pressed": String(!off.has(name)) }, own ? swatch(own) : null, name);
      button.addEventListener("click", () => this.toggle(name));
      for (const event of ["pointerenter", "focus"]) button.addEventListener(event, () => this.over(name));
      for (const event of ["pointerleave", "blur"]) button.addEventListener(event, () => this.over(null));
      return button;
    });
    const all = el("button", { type: "button", click: () => this.kept.set({ [OFF]: "" }) }, "All");
    const none = el("button", { type: "button", click: () => this.kept.set({ [OFF]: this.names.join(BETWEEN) }) }, "None");
    const had = this.root.contains(document.activeElement);
    fill(this.root, ...buttons, all, none);
    if (had) [...buttons, all, none].find((button) => button.textContent === focused)?.focus();
  }

  private toggle(name: string): void {
    const off = hidden(this.kept);
    if (!off.delete(name)) off.add(name);
    this.kept.set({ [OFF]: this.names.filter((one) => off.has(one)).join(BETWEEN) });
  }
}
