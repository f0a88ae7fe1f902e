// Workers that simulate beside the page, one per core at most. A request that is taken back ends its
// worker, and another one takes its place.

import { Refused } from "../api.ts";
import type { Asked, FromWorker, Question, ToWorker } from "./engine.ts";

/** What of a web worker is used, so that tests can have another. */
export type Simulating = Pick<Worker, "postMessage" | "terminate" | "onmessage">;

export class Pool {
  private readonly idle: Simulating[] = [];
  private readonly waiting: (() => void)[] = [];
  private count = 0;
  private asked = 0;

  constructor(
    /** Starts a worker that is ready for requests. */
    private readonly start: () => Simulating,
    readonly most: number,
  ) {
    // The first answer does not wait for a worker to begin.
    this.idle.push(this.start());
    this.count = 1;
  }

  /** The answer; before it come the parts of a share. */
  async ask(
    question: Question,
    request: Asked,
    signal?: AbortSignal,
    part?: (part: ArrayBuffer) => void,
  ): Promise<ArrayBuffer> {
    const worker = await this.take();
    const id = ++this.asked;
    return new Promise((resolve, reject) => {
      const end = (): void => {
        worker.terminate();
        this.give(this.start());
        reject(new DOMException("taken back", "AbortError"));
      };
      worker.onmessage = ({ data }: MessageEvent<FromWorker>): void => {
        if (data.id !== id) return;
        if ("part" in data) {
          part?.(data.part);
          return;
        }
        signal?.removeEventListener("abort", end);
        if ("answer" in data) resolve(data.answer);
        else reject(new Refused(data.error, data.status));
        // A defect leaves a module behind that may be in any state.
        if ("error" in data && data.status >= 500) {
          worker.terminate();
          this.give(this.start());
        } else this.give(worker);
      };
      if (signal?.aborted) {
        this.give(worker);
        reject(new DOMException("taken back", "AbortError"));
        return;
      }
      signal?.addEventListener("abort", end, { once: true });
      const moved = request.data instanceof Uint8Array ? [request.data.buffer] : [];
      worker.postMessage({ id, question, request } satisfies ToWorker, moved);
    });
  }

  private async take(): Promise<Simulating> {
    for (;;) {
      const found = this.idle.pop();
      if (found) return found;
      if (this.count < this.most) {
        this.count += 1;
        return this.start();
      }
      await new Promise<void>((free) => this.waiting.push(free));
    }
  }

  private give(worker: Simulating): void {
    this.idle.push(worker);
    this.waiting.shift()?.();
  }
}
