// A job of the server on the page: how far it is, what it has found, and a button that ends it.

import { aborted, type Backend } from "../api.ts";
import type { Job } from "../answers.ts";
import { el } from "../ui/dom.ts";

const EVERY_MS = 250;

export interface Heard<Found> {
  /** Something new was found. */
  found(found: Found): void;
  /** It is no longer running. */
  ended?(job: Job<Found>): void;
}

export class Following<Found> {
  readonly element = el("div", { class: "job", hidden: true });
  private readonly words = el("p", { role: "status" });
  private readonly bar = el("progress", { max: 1, "aria-label": "Progress" });
  private readonly button = el("button", { type: "button" }, "Cancel");
  private readonly refusal = el("p", { class: "refusal", role: "alert" });
  private timer: ReturnType<typeof setTimeout> | undefined;
  private control: AbortController | undefined;
  private job = "";
  private seen = 0;

  constructor(
    private readonly api: Backend,
    private readonly heard: Heard<Found>,
  ) {
    this.button.addEventListener("click", () => this.cancel());
    this.element.append(this.words, this.bar, this.button, this.refusal);
  }

  /** Begins a job by a request that answers with its name; another one is followed no more. */
  async start(path: string, body: unknown): Promise<string | null> {
    this.stop();
    this.control = new AbortController();
    this.element.hidden = false;
    this.refusal.textContent = "";
    this.show({ phase: "starting", done: 0, total: null, state: "running" });
    try {
      const { job } = await this.api.post<{ job: string }>(path, body, this.control.signal);
      this.follow(job);
      return job;
    } catch (error) {
      this.fail(error);
      return null;
    }
  }

  /** Follows a job that runs already. */
  follow(job: string): void {
    this.stop();
    this.job = job;
    this.seen = 0;
    this.control = new AbortController();
    void this.look(this.control.signal);
  }

  /** Ends the job. */
  cancel(): void {
    if (this.job) void this.api.post("/api/jobs/cancel", { job: this.job }).catch((error: unknown) => this.fail(error));
  }

  /** Looks no more; the job continues. */
  stop(): void {
    clearTimeout(this.timer);
    this.control?.abort();
  }

  private async look(signal: AbortSignal): Promise<void> {
    try {
      const job = await this.api.post<Job<Found>>("/api/jobs/look", { job: this.job, seen: this.seen }, signal);
      if (signal.aborted) return;
      this.show(job);
      this.seen = job.version;
      if (job.found) this.heard.found(job.found);
      if (job.state === "running") this.timer = setTimeout(() => void this.look(signal), EVERY_MS);
      else this.heard.ended?.(job);
    } catch (error) {
      this.fail(error);
    }
  }

  private show(job: Pick<Job<Found>, "phase" | "done" | "total" | "state"> & { error?: string | null }): void {
    const running = job.state === "running";
    this.element.hidden = job.state === "done";
    this.button.hidden = this.bar.hidden = !running;
    // Words change with the phase only, so that a screen reader is not kept busy.
    const words = running ? `${job.phase}…` : job.state;
    if (this.words.textContent !== words) this.words.textContent = words;
    if (job.total) this.bar.value = Math.min(1, job.done / job.total);
    else this.bar.removeAttribute("value");
    this.refusal.textContent = job.error ?? "";
  }

  private fail(error: unknown): void {
    if (aborted(error)) return;
    this.element.hidden = false;
    this.button.hidden = this.bar.hidden = true;
    this.words.textContent = "";
    this.refusal.textContent = error instanceof Error ? error.message : String(error);
  }
}
