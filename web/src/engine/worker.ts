// A web worker that answers requests with the simulator.

import { Refused } from "../api.ts";
import { Engine, type Asked, type FromWorker, type Question, type ToWorker } from "./engine.ts";

let engine: Promise<Engine> | undefined;

async function answered({ data }: MessageEvent<ToWorker>): Promise<void> {
  if ("module" in data) {
    engine = Engine.of(data.module, data.settings);
    return;
  }
  const { id, question, request } = data;
  try {
    const answer = await answerTo(question, request);
    if (answer) send({ id, answer }, [answer]);
  } catch (error) {
    const status = error instanceof Refused ? error.status : 500;
    send({ id, error: error instanceof Error ? error.message : String(error), status }, []);
  }
}

/** A file is sent as its name, a byte of zero, and what it holds. */
async function answerTo(question: Question, request: Asked): Promise<ArrayBuffer | undefined> {
  if (typeof request === "string") return (await engine)?.ask(question, request);
  const file = new Uint8Array(await request.arrayBuffer());
  return (await engine)?.ask(question, `${request.name}\0`, file);
}

function send(message: FromWorker, moved: ArrayBuffer[]): void {
  (self as unknown as Worker).postMessage(message, moved);
}

addEventListener("message", (event: MessageEvent<ToWorker>) => void answered(event));
