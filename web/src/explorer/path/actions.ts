// What can be taken away from a comparison: its command, a link, pictures, a scenario's file.

import { download, png, svg, type Exported } from "../../charts/export.ts";
import type { Panel } from "../../charts/panel.ts";
import { el } from "../../ui/dom.ts";

export interface Takeaway {
  /** The command that prints the same table; null where there is none. */
  command: string | null;
  scenario: string;
  shown: Exported;
}

export class Actions {
  readonly element = el("div", { class: "actions", role: "group", "aria-label": "Take away" });
  private readonly buttons: HTMLButtonElement[];
  private taken: Takeaway | undefined;

  constructor(
    private readonly panels: readonly Panel[],
    private readonly say: (words: string) => void,
  ) {
    this.buttons = [
      this.button("Copy command", (one) => this.copy(one.command ?? "", "command copied")),
      this.button("Copy link", () => this.copy(shareable(location.href), "link copied, without the token")),
      this.button("PNG", (one) => void this.png(one)),
      this.button("SVG", (one) => download("flowstart.svg", text(svg(one.shown), "image/svg+xml"))),
      this.button("Scenario file", (one) => download("scenario.toml", text(one.scenario, "application/toml"))),
    ];
    this.element.append(...this.buttons);
  }

  set(taken: Takeaway): void {
    this.taken = taken;
    for (const [at, button] of this.buttons.entries()) button.disabled = !at && !taken.command;
    if (this.buttons[0]) this.buttons[0].title = taken.command ?? "No single command has this request.";
  }

  private button(label: string, act: (taken: Takeaway) => void): HTMLButtonElement {
    const made = el("button", { type: "button", disabled: true }, label);
    made.addEventListener("click", () => this.taken && act(this.taken));
    return made;
  }

  private copy(words: string, done: string): void {
    navigator.clipboard.writeText(words).then(
      () => this.say(done),
      () => this.say("the browser does not permit to copy"),
    );
  }

  private async png(one: Takeaway): Promise<void> {
    const picture = await png(one.shown, this.panels);
    if (picture) download("flowstart.png", picture);
  }
}

function text(words: string, type: string): Blob {
  return new Blob([words], { type });
}

/** An address without the token, which opens the explorer to whoever has it. */
export function shareable(address: string): string {
  const url = new URL(address);
  url.searchParams.delete("token");
  return url.href;
}
