// A page that needs no server: it holds the simulator and all that there is to choose from.

import { Refused, type Backend, type Framed, type Partly } from "../api.ts";
import { unpack, type About, type CompareRequest, type Given } from "../protocol.ts";
import { text } from "../state.ts";
import { quantity } from "../ui/text.ts";
import { decoded, type ToWorker } from "./engine.ts";
import { Pool } from "./pool.ts";

/** The script of a worker, which the build puts here. */
declare const WORKER_SCRIPT: string;

/** Where a page without a server reads a capture. */
export const READ = "/read";

/** The elements of the page that hold its data. */
const ENGINE = "engine";
const CHOICES = "choices";
const SAMPLE = "sample";
/** What is simulated in the time that it takes several workers to begin and to hand over. */
const FEW_BYTES = 20e6;

interface Choices {
  about: About;
  /** What a state may have, as the engine reads it. */
  settings: unknown;
}

/** What answers the page by itself; undefined where it has no engine. */
export function local(page: Document): Local | undefined {
  const packed = page.getElementById(ENGINE)?.textContent;
  const choices = page.getElementById(CHOICES)?.textContent;
  if (!packed || !choices) return undefined;
  const { about, settings } = JSON.parse(choices) as Choices;
  const script = URL.createObjectURL(new Blob([WORKER_SCRIPT], { type: "text/javascript" }));
  let module: Promise<WebAssembly.Module> | undefined;
  const start = (): Worker => {
    const worker = new Worker(script);
    if (module) void module.then((found) => worker.postMessage({ module: found, settings } satisfies ToWorker));
    else {
      worker.postMessage({ packed, settings } satisfies ToWorker);
      module = new Promise((resolve) => {
        worker.addEventListener("message", ({ data }) => resolve(data.module), { once: true });
      });
    }
    return worker;
  };
  // Its worker, which nothing ends before it is asked, unpacks the module while the page is built.
  const whole = new Pool(start, 1);
  return new Local(about, new Pool(start, navigator.hardwareConcurrency || 1), whole);
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
    private readonly pool: Pick<Pool, "ask" | "most">,
    /** Makes answers, some of parts while others are simulated; it keeps the tables for zooming. */
    private readonly whole: Pick<Pool, "ask">,
  ) {}

  async get<T>(path: string): Promise<T> {
    if (path === "/api/about") return this.about as T;
    throw elsewhere();
  }

  async post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
    if (path !== "/api/packets") throw elsewhere();
    const answer = await this.pool.ask("packets", { text: JSON.stringify(body) }, signal);
    return JSON.parse(new TextDecoder().decode(answer)) as T;
  }

  /** The runs are shared among the workers, unless they are short. */
  async frame<T>(path: string, body: unknown, signal?: AbortSignal, partly?: Partly<T>): Promise<Framed<T>> {
    if (path !== "/api/compare") throw elsewhere();
    const { given } = body as CompareRequest;
    const request = JSON.stringify(body);
    const parts: Uint8Array[] = [];
    const soFar = async (): Promise<Framed<T>> =>
      unpack<T>(await this.whole.ask("compare", { text: request, data: joined(parts) }, signal));
    if (isShort(given)) return soFar();
    const found = (part: ArrayBuffer): void => {
      parts.push(new Uint8Array(part));
      partly?.(parts.length / (parts[0]?.[1] ?? 1), soFar);
    };
    const step = Math.min(this.pool.most, given.startup?.length || 1);
    const share = (first: number): Promise<unknown> =>
      this.pool.ask("part", { text: request, share: { first, step } }, signal, found);
    await Promise.all(Array.from({ length: step }, (_, first) => share(first)));
    return soFar();
  }

  async upload<T>(path: string, file: Blob, signal?: AbortSignal): Promise<T> {
    if (path !== READ || !(file instanceof File)) throw elsewhere();
    const answer = await this.pool.ask("capture", { text: file.name, data: file }, signal);
    return JSON.parse(new TextDecoder().decode(answer)) as T;
  }
}

function isShort(given: Given): boolean {
  const size = quantity(text(given, "size"));
  const count = Number(given["flows"] ?? 1) * (given.startup?.length ?? 1);
  return size?.unit.endsWith("b") === true && size.value * count <= FEW_BYTES;
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function elsewhere(): Refused {
  return new Refused("this page has no server: `flowstart explore` on your machine has it", 0);
}
