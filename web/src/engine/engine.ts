// The simulator as a WebAssembly module (`crates/wasm`): requests in JSON, answers in bytes.

import { Refused } from "../api.ts";

export type Question = "begin" | "compare" | "part" | "packets" | "capture" | "same_bytes";

export interface Asked {
  /** JSON, or the name of a file. */
  text: string;
  /** What is behind it: a file, or parts of a comparison. */
  data?: File | Uint8Array<ArrayBuffer>;
  /** Of the parts of a comparison, which are simulated: the first, and every so many after it. */
  share?: { first: number; step: number };
}

type Exports = Record<Question | "input" | "output" | "output_length", (length?: number) => number> & {
  memory: WebAssembly.Memory;
};

export class Engine {
  private constructor(private readonly exports: Exports) {}

  /** An engine that answers with these settings. */
  static async of(module: WebAssembly.Module, settings: unknown): Promise<Engine> {
    const { exports } = await WebAssembly.instantiate(module, {});
    const engine = new Engine(exports as unknown as Exports);
    engine.ask("begin", JSON.stringify(settings));
    return engine;
  }

  /** The answer to a request, and to bytes behind it; throws Refused with the sentence of a refusal. */
  ask(question: Question, request: string, data?: Uint8Array): ArrayBuffer {
    const bytes = new TextEncoder().encode(data ? `${request}\0` : request);
    const at = this.exports.input(bytes.length + (data?.length ?? 0));
    const room = new Uint8Array(this.exports.memory.buffer, at);
    room.set(bytes);
    if (data) room.set(data, bytes.length);
    let refused: number;
    try {
      refused = this.exports[question]();
    } catch {
      throw new Refused(this.text(), 500);
    }
    if (refused) throw new Refused(this.text(), 400);
    return this.output().slice().buffer;
  }

  private output(): Uint8Array {
    const { memory, output, output_length } = this.exports;
    return new Uint8Array(memory.buffer, output(), output_length());
  }

  private text(): string {
    return new TextDecoder().decode(this.output());
  }
}

/** What a page sends to a worker: first how it begins, then requests. */
export type ToWorker =
  | { packed: string; settings: unknown }
  | { module: WebAssembly.Module; settings: unknown }
  | { id: number; question: Question; request: Asked };

/** What a worker sends back to a request. */
export type FromWorker =
  | { id: number; part: ArrayBuffer }
  | { id: number; answer: ArrayBuffer }
  | { id: number; error: string; status: number };

/** Bytes that were written in base64. A loop: `Uint8Array.from` takes ten times as long. */
export function decoded(text: string): Uint8Array<ArrayBuffer> {
  const letters = atob(text.trim());
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = letters.charCodeAt(at);
  return bytes;
}
