// A capture on a page without a server: it is read in the browser, and a command goes on from there.

import type { CaptureContents } from "../../answers.ts";
import { aborted, Refused } from "../../api.ts";
import { READ, sample } from "../../engine/local.ts";
import { el, fill, id } from "../../ui/dom.ts";
import { grid } from "../../ui/grid.ts";
import { view, type App } from "../view.ts";
import "../views.css";

interface LocalContents extends CaptureContents {
  /** What replays the file under several startups. */
  command: string;
}

class LocalCaptures {
  private readonly drop = el("div", { class: "drop" });
  private readonly busy = el("div", { class: "job", hidden: true });
  private readonly words = el("p", { role: "status" });
  private readonly refusal = el("p", { class: "refusal", role: "alert" });
  private readonly found = el("section");
  private request: AbortController | undefined;

  constructor(private readonly app: App) {
    const cancel = el("button", { type: "button" }, "Cancel");
    cancel.addEventListener("click", () => this.end());
    this.busy.append(this.words, el("progress", { "aria-label": "Reading" }), cancel);
  }

  build(root: HTMLElement): void {
    const page = el("div", { class: "page whole" }, this.intake(), this.refusal, this.busy, this.found);
    page.addEventListener("dragover", (event) => event.preventDefault());
    page.addEventListener("drop", (event) => {
      event.preventDefault();
      void this.read(event.dataTransfer?.files[0]);
    });
    root.append(page);
  }

  update(): void {
    // Nothing here depends on the state.
  }

  end(): void {
    this.request?.abort();
    this.busy.hidden = true;
  }

  /** Where a file is dropped or chosen. */
  private intake(): HTMLElement {
    const input = el("input", { type: "file", id: id("capture") });
    input.addEventListener("change", () => void this.read(input.files?.[0]));
    const words = "Drop a capture here, or choose one: pcap, pcapng or a Zeek conn.log. It is read in this browser and sent nowhere.";
    const example = sample(document);
    const button = el("button", { type: "button" }, "Read the sample capture");
    button.addEventListener("click", () => void this.read(example));
    this.drop.append(el("label", { for: input.id }, words), el("br"), input, example ? button : "");
    return this.drop;
  }

  private async read(file: File | undefined): Promise<void> {
    if (!file) return;
    this.end();
    const { signal } = (this.request = new AbortController());
    this.refusal.textContent = "";
    this.words.textContent = `reading ${file.name}…`;
    this.busy.hidden = false;
    try {
      this.show(await this.app.api.upload<LocalContents>(READ, file, signal));
    } catch (error) {
      if (aborted(error)) return;
      this.refusal.textContent = error instanceof Refused ? error.message : String(error);
    }
    this.busy.hidden = true;
  }

  private show({ headline, tables, warnings, notes, command }: LocalContents): void {
    const more = [...warnings, ...notes].map((words) => el("li", {}, words));
    const replay = el("p", {}, "To replay it under several startups: ", el("code", {}, command));
    const title = el("p", { class: "headline" }, headline);
    fill(this.found, title, replay, ...tables.map((one) => grid(one)), el("ul", { class: "warnings" }, ...more));
    this.app.say(headline);
  }
}

export const localCaptures = view("captures", "Captures", (app) => new LocalCaptures(app), "page");
