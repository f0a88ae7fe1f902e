// Buttons that zoom and move the part of the time that is shown, for fingers and keys as for a mouse.

import { el } from "../ui/dom.ts";

export interface Zoomed {
  /** Shows a part `factor` times as long. */
  scale(factor: number): void;
  /** Moves by a share of what is shown. */
  move(share: number): void;
  all(): void;
}

export class ZoomButtons {
  readonly element: HTMLElement;
  /** Those that do something only once a part is shown. */
  private readonly parts: HTMLButtonElement[];
  private readonly closer: HTMLButtonElement;

  constructor(zoomed: Zoomed) {
    const button = (label: string, words: string, act: () => void): HTMLButtonElement =>
      el("button", { type: "button", title: words, "aria-label": words, click: act }, label);
    this.parts = [
      button("−", "Zoom out", () => zoomed.scale(2)),
      button("◂", "Earlier", () => zoomed.move(-0.5)),
      button("▸", "Later", () => zoomed.move(0.5)),
      button("All", "Show all of the time", () => zoomed.all()),
    ];
    this.closer = button("+", "Zoom in", () => zoomed.scale(0.5));
    this.element = el("span", { class: "zoom", role: "group", "aria-label": "Time" }, "Time", this.closer, ...this.parts);
    this.show(false);
  }

  /** Whether a part of the time is shown. */
  show(part: boolean): void {
    const focused = this.parts.some((one) => one === document.activeElement);
    for (const one of this.parts) one.disabled = !part;
    // A button that can no longer be pressed would lose the place of readers that move by keys.
    if (focused && !part) this.closer.focus();
  }
}
