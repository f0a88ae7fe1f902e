// Dark or light: as the system has it, until a person chooses otherwise. The choice is kept for the
// page's visit only: its address has another port each time, so the browser could not find it again.

import { el } from "./dom.ts";

export class Theme {
  readonly button = el("button", { type: "button", class: "quiet" });
  private readonly system = matchMedia("(prefers-color-scheme: dark)");
  private chosen: boolean | undefined;

  constructor(private readonly changed: () => void) {
    this.system.addEventListener("change", () => this.apply());
    this.button.addEventListener("click", () => {
      this.chosen = !this.dark;
      this.apply();
    });
    this.label();
  }

  get dark(): boolean {
    return this.chosen ?? this.system.matches;
  }

  private apply(): void {
    this.label();
    this.changed();
  }

  private label(): void {
    document.documentElement.dataset["theme"] = this.dark ? "dark" : "light";
    this.button.textContent = this.dark ? "Light theme" : "Dark theme";
  }
}
