// One's own traffic: a capture is dropped, replayed under every startup, and opened transfer by
// transfer.

import type { CaptureFile, CaptureFound } from "../../answers.ts";
import { Refused } from "../../api.ts";
import { el, fill, id } from "../../ui/dom.ts";
import { bytes } from "../../ui/text.ts";
import { contents } from "./contents.ts";
import { Following } from "../following.ts";
import { ReplayView } from "./replay.ts";
import { view, type App } from "../view.ts";
import "../views.css";

const DIRECTIONS = ["server", "client", "both"];
/** The parts of the state that apply to a capture, which brings its paths. */
const MEANT = ["startup", "stack", "cc", "baseline", "iw", "ack"];

/** What stays while another view is shown. */
interface Memory {
  job: string | null;
  file: string | null;
}

class Captures {
  private readonly files = el("select", { id: id("file") });
  private readonly direction = el("select", { id: id("direction") });
  private readonly quick = el("input", { type: "checkbox", id: id("quick") });
  private readonly drop = el("div", { class: "drop" });
  private readonly options = el("div", { class: "options", hidden: true });
  private readonly refusal = el("p", { class: "refusal", role: "alert" });
  private readonly opened = el("section");
  private readonly replayed = el("section");
  private readonly following: Following<CaptureFound>;
  private replay: ReplayView | undefined;

  constructor(
    private readonly app: App,
    private readonly memory: Memory,
  ) {
    this.following = new Following<CaptureFound>(app.api, {
      found: (found) => this.take(found),
      ended: (job) => job.state === "failed" && this.forget(),
    });
    this.direction.append(...DIRECTIONS.map((side) => new Option(`the ${side}'s data`.replace("the both's", "both sides'"), side)));
  }

  build(root: HTMLElement): void {
    const start = el("button", { type: "button" }, "Replay");
    start.addEventListener("click", () => void this.start());
    this.options.append(
      el("label", { for: this.files.id }, "Capture "), this.files,
      el("label", { for: this.direction.id }, "Under test "), this.direction,
      el("label", {}, this.quick, " quick: without repeats, other buffers and calibration"),
      start,
    );
    const startups = el("p", { class: "hint" }, `Startups: ${(this.app.state.given.startup ?? []).join(", ")}. They are those of the explore view, and so are its stack and congestion control.`);
    const page = el("div", { class: "page whole" }, this.intake(), this.refusal, this.options, startups, this.following.element, this.opened, this.replayed);
    this.accept(page);
    root.append(page);
    void this.list(this.memory.file);
    if (this.memory.job) this.following.follow(this.memory.job);
  }

  update(): void {
    this.replay?.update();
  }

  end(): void {
    this.following.stop();
  }

  /** Where a file is dropped or chosen. */
  private intake(): HTMLElement {
    const input = el("input", { type: "file", id: id("capture") });
    input.addEventListener("change", () => void this.send(input.files?.[0]));
    const label = el("label", { for: input.id }, "Drop a capture here, or choose one: pcap, pcapng, conn.log, qlog or a server's log. It stays on this machine.");
    this.drop.append(label, el("br"), input);
    return this.drop;
  }

  /** A file may be dropped anywhere: outside of the place for it, the browser would open it. */
  private accept(page: HTMLElement): void {
    const over = (event: DragEvent, inside: boolean): void => {
      event.preventDefault();
      this.drop.classList.toggle("over", inside);
    };
    page.addEventListener("dragover", (event) => over(event, true));
    page.addEventListener("dragleave", (event) => over(event, false));
    page.addEventListener("drop", (event) => {
      over(event, false);
      void this.send(event.dataTransfer?.files[0]);
    });
  }

  private async send(file: File | undefined): Promise<void> {
    if (!file) return;
    this.refusal.textContent = "";
    try {
      const { most_bytes } = await this.app.api.get<{ most_bytes: number }>("/api/captures");
      if (file.size > most_bytes) {
        this.refusal.textContent = `${file.name} has ${bytes(file.size)}, and at most ${bytes(most_bytes)} can be dropped; name it on the command line: flowstart explore --capture FILE`;
        return;
      }
      const found = await this.app.api.upload<CaptureFile>(`/api/captures/upload?name=${encodeURIComponent(file.name)}`, file);
      await this.list(found.id);
      await this.start();
    } catch (error) {
      this.fail(error);
    }
  }

  private async list(chosen: string | null): Promise<void> {
    try {
      const { files } = await this.app.api.get<{ files: CaptureFile[] }>("/api/captures");
      fill(this.files, ...files.map((file) => new Option(file.name, file.id)));
      this.options.hidden = files.length === 0;
      if (chosen && files.some((file) => file.id === chosen)) this.files.value = chosen;
    } catch (error) {
      this.fail(error);
    }
  }

  private async start(): Promise<void> {
    this.refusal.textContent = "";
    fill(this.opened);
    fill(this.replayed);
    this.replay = undefined;
    this.memory.file = this.files.value;
    const { given } = this.app.state;
    const taken = Object.fromEntries(Object.entries(given).filter(([flag]) => MEANT.includes(flag)));
    const body = { file: this.files.value, given: taken, direction: this.direction.value, quick: this.quick.checked };
    this.app.go({ own: {} }, "push");
    this.memory.job = await this.following.start("/api/captures/replay", body);
  }

  private take({ contents: found, replay }: CaptureFound): void {
    if (found) fill(this.opened, contents(found));
    if (!replay || !this.memory.job) return;
    this.replay = new ReplayView(this.app, this.memory.job, replay);
    fill(this.replayed, this.replay.element);
    this.replay.update();
    this.app.say(replay.verdict.join(" "));
  }

  private forget(): void {
    this.memory.job = null;
  }

  private fail(error: unknown): void {
    this.refusal.textContent = error instanceof Refused ? error.message : String(error);
  }
}

const memory: Memory = { job: null, file: null };
export const captures = view("captures", "Captures", (app) => new Captures(app, memory));
