// A web worker that answers requests with the simulator.

import { Refused } from "../api.ts";
import { Engine, type FromWorker, type ToWorker } from "./engine.ts";

let engine: Promise<Engine> | undefined;

async function answered({ data }: MessageEvent<ToWorker>): Promise<void> {
  if ("module" in data) {
    engine = Engine.of(data.module, data.settings);
    return;
  }
  const { id, question, request } = data;
  try {
    const answer = (await engine)?.ask(question, request);
    if (answer) send({ id, answer }, [answer]);
  } catch (error) {
    const status = error instanceof Refused ? error.status : 500;
    send({ id, error: error instanceof Error ? error.message : String(error), status }, []);
  }
}

function send(message: FromWorker, moved: ArrayBuffer[]): void {
  (self as unknown as Worker).postMessage(message, moved);
}

addEventListener("message", (event: MessageEvent<ToWorker>) => void answered(event));
