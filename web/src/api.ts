// Requests to the server: JSON there, JSON or a frame back. A refusal is an error whose message is
// the server's sentence.

import { unpack, type Refusal } from "./protocol.ts";

/** The server refused, or could not be reached; the message is for people. */
export class Refused extends Error {
  constructor(
    message: string,
    /** HTTP's status; 0 where there was no answer. */
    readonly status: number,
  ) {
    super(message);
  }
}

/** An answer with a binary tail. */
export interface Framed<T> {
  head: T;
  tail: DataView;
}

/** Hears which share of an answer is there, and may have what there is so far. */
export type Partly<T> = (share: number, soFar: () => Promise<Framed<T>>) => void;

/** What answers the page: a server, or the page itself. */
export interface Backend {
  get<T>(path: string, signal?: AbortSignal): Promise<T>;
  post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T>;
  frame<T>(path: string, body: unknown, signal?: AbortSignal, partly?: Partly<T>): Promise<Framed<T>>;
  /** Sends a file unchanged. */
  upload<T>(path: string, file: Blob, signal?: AbortSignal): Promise<T>;
}

export class Api implements Backend {
  constructor(
    private readonly token: string,
    private readonly ask: typeof fetch = (input, init) => fetch(input, init),
  ) {}

  async get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return (await (await this.send(path, { method: "GET" }, signal)).json()) as T;
  }

  async post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
    return (await (await this.send(path, asJson(body), signal)).json()) as T;
  }

  async frame<T>(path: string, body: unknown, signal?: AbortSignal): Promise<Framed<T>> {
    return unpack<T>(await (await this.send(path, asJson(body), signal)).arrayBuffer());
  }

  /** Sends a file unchanged. */
  async upload<T>(path: string, file: Blob, signal?: AbortSignal): Promise<T> {
    return (await (await this.send(path, { method: "POST", body: file }, signal)).json()) as T;
  }

  private async send(path: string, init: RequestInit, signal?: AbortSignal): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("X-Flowstart-Token", this.token);
    let answer: Response;
    try {
      answer = await this.ask(path, { ...init, headers, ...(signal && { signal }) });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new Refused("no answer: has `flowstart explore` ended?", 0);
    }
    if (!answer.ok) throw new Refused(await sentence(answer), answer.status);
    return answer;
  }
}

/** Whether an error only reports a request that was taken back. */
export function aborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

function asJson(body: unknown): RequestInit {
  return {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
}

async function sentence(answer: Response): Promise<string> {
  try {
    return ((await answer.json()) as Refusal).error;
  } catch {
    return `the server answered with status ${answer.status}`;
  }
}

/**
 * Keeps one request in flight; of those that are asked for meanwhile, only the newest is sent next.
 * What has been in flight for longer than `patience_ms` when a newer one comes is taken back.
 */
export class Newest<Q, A> {
  private next: Q | undefined;
  private flying: { since: number; control: AbortController } | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly run: (question: Q, signal: AbortSignal) => Promise<A>,
    private readonly done: (answer: A, question: Q) => void,
    private readonly failed: (error: unknown, question: Q) => void,
    private readonly patience_ms = 400,
  ) {}

  get busy(): boolean {
    return this.flying !== undefined;
  }

  ask(question: Q): void {
    if (!this.flying) {
      void this.start(question);
      return;
    }
    this.next = question;
    const waited = performance.now() - this.flying.since;
    const { control } = this.flying;
    this.timer ??= setTimeout(() => control.abort(), Math.max(0, this.patience_ms - waited));
  }

  /** Takes back what is in flight and what waits. */
  cancel(): void {
    this.next = undefined;
    this.flying?.control.abort();
  }

  private async start(question: Q): Promise<void> {
    const control = new AbortController();
    this.flying = { since: performance.now(), control };
    let answer: A;
    try {
      answer = await this.run(question, control.signal);
    } catch (error) {
      this.land();
      if (!control.signal.aborted) this.failed(error, question);
      this.follow();
      return;
    }
    this.land();
    // The server works on the next while this one is drawn.
    this.follow();
    if (!control.signal.aborted) this.done(answer, question);
  }

  private follow(): void {
    const next = this.next;
    this.next = undefined;
    if (next !== undefined && !this.flying) void this.start(next);
  }

  private land(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.flying = undefined;
  }
}
