// A page that needs no server: it holds the simulator and all that there is to choose from.

import { Refused, type Backend } from "../api.ts";
import { unpack, type About } from "../protocol.ts";
import type { ToWorker } from "./engine.ts";
import { Pool } from "./pool.ts";

/** The script of a worker, which the build puts here. */
declare const WORKER_SCRIPT: string;

/** Where a page without a server reads a capture. */
export const READ = "/read";

/** The elements of the page that hold its data. */
const ENGINE = "engine";
const CHOICES = "choices";
const SAMPLE = "sample";

interface Choices {
  about: About;
  /** What a state may have, as the engine reads it. */
  settings: unknown;
}

/** What answers the page by itself; undefined where it has no engine. */
export async function local(page: Document): Promise<Local | undefined> {
  const engine = page.getElementById(ENGINE)?.textContent;
  const choices = page.getElementById(CHOICES)?.textContent;
  if (!engine || !choices) return undefined;
  const { about, settings } = JSON.parse(choices) as Choices;
  const module = await WebAssembly.compile(await unpacked(engine));
  const script = URL.createObjectURL(new Blob([WORKER_SCRIPT], { type: "text/javascript" }));
  const start = (): Worker => {
    const worker = new Worker(script);
    worker.postMessage({ module, settings } satisfies ToWorker);
    return worker;
  };
  return new Local(about, new Pool(start, navigator.hardwareConcurrency || 1));
}

/** The capture that the page holds as an example; undefined where it has none. */
export function sample(page: Document): File | undefined {
  const element = page.getElementById(SAMPLE);
  const text = element?.textContent;
  if (!text) return undefined;
  return new File([decoded(text)], element.dataset["name"] ?? SAMPLE);
}

export class Local implements Backend {
  constructor(
    private readonly about: About,
    private readonly pool: Pick<Pool, "ask">,
  ) {}

  async get<T>(path: string): Promise<T> {
    if (path === "/api/about") return this.about as T;
    throw elsewhere();
  }

  async post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
    if (path !== "/api/packets") throw elsewhere();
    const answer = await this.pool.ask("packets", JSON.stringify(body), signal);
    return JSON.parse(new TextDecoder().decode(answer)) as T;
  }

  async frame<T>(path: string, body: unknown, signal?: AbortSignal): Promise<{ head: T; tail: DataView }> {
    if (path !== "/api/compare") throw elsewhere();
    return unpack<T>(await this.pool.ask("compare", JSON.stringify(body), signal));
  }

  async upload<T>(path: string, file: Blob, signal?: AbortSignal): Promise<T> {
    if (path !== READ || !(file instanceof File)) throw elsewhere();
    const answer = await this.pool.ask("capture", file, signal);
    return JSON.parse(new TextDecoder().decode(answer)) as T;
  }
}

function elsewhere(): Refused {
  return new Refused("this page has no server: `flowstart explore` on your machine has it", 0);
}

/** Bytes that were compressed with gzip and written in base64. */
async function unpacked(text: string): Promise<ArrayBuffer> {
  const stream = new Blob([decoded(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

function decoded(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
}
