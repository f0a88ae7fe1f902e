// A web worker that answers requests with the simulator.

import { Refused } from "../api.ts";
import { decoded, Engine, type Asked, type FromWorker, type ToWorker } from "./engine.ts";

let begin: (engine: Promise<Engine>) => void;
const engine = new Promise<Engine>((resolve) => (begin = resolve));

async function answered({ data }: MessageEvent<ToWorker>): Promise<void> {
  if ("settings" in data) {
    const module = "module" in data ? data.module : await compiled(data.packed);
    if ("packed" in data) postMessage({ module });
    begin(Engine.of(module, data.settings));
    return;
  }
  const { id, question, request } = data;
  try {
    const found = await engine;
    if (request.share) parts(found, id, request.text, request.share);
    const bytes = request.data instanceof File ? await request.data.arrayBuffer() : request.data;
    const answer = request.share ? new ArrayBuffer() : found.ask(question, request.text, bytes && new Uint8Array(bytes));
    send({ id, answer }, [answer]);
  } catch (error) {
    const status = error instanceof Refused ? error.status : 500;
    send({ id, error: error instanceof Error ? error.message : String(error), status }, []);
  }
}

/** The module of bytes that were compressed with gzip and written in base64. */
function compiled(packed: string): Promise<WebAssembly.Module> {
  const bytes = new Response(decoded(packed)).body?.pipeThrough(new DecompressionStream("gzip"));
  const headers = { "Content-Type": "application/wasm" };
  return WebAssembly.compileStreaming(new Response(bytes, { headers }));
}

/** Sends each part of a share once it is simulated. */
function parts(found: Engine, id: number, request: string, { first, step }: Required<Asked>["share"]): void {
  for (let number = first; ; number += step) {
    const part = found.ask("part", `${number}\0${request}`);
    if (!part.byteLength) return;
    send({ id, part }, [part]);
  }
}

function send(message: FromWorker, moved: ArrayBuffer[]): void {
  (self as unknown as Worker).postMessage(message, moved);
}

addEventListener("message", (event: MessageEvent<ToWorker>) => void answered(event));
