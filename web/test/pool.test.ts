import assert from "node:assert/strict";
import { test } from "node:test";
import { Refused } from "../src/api.ts";
import type { FromWorker } from "../src/engine/engine.ts";
import { Pool, type Simulating } from "../src/engine/pool.ts";

/** A worker that answers when it is told to. */
class Fake implements Simulating {
  onmessage: Worker["onmessage"] = null;
  ended = false;
  private id = 0;

  postMessage(message: { id: number }): void {
    this.id = message.id;
  }

  terminate(): void {
    this.ended = true;
  }

  answer(rest: { answer: ArrayBuffer } | { error: string; status: number }): void {
    const data = { id: this.id, ...rest } as FromWorker;
    this.onmessage?.call(this as unknown as Worker, { data } as MessageEvent);
  }
}

function pool(most: number): { found: Pool; workers: Fake[] } {
  const workers: Fake[] = [];
  const start = (): Fake => {
    workers.push(new Fake());
    return workers.at(-1) as Fake;
  };
  return { found: new Pool(start, most), workers };
}

const settled = () => new Promise((done) => setTimeout(done, 0));

test("a request waits where all workers are busy", async () => {
  const { found, workers } = pool(1);
  const first = found.ask("compare", "a");
  const second = found.ask("compare", "b");
  await settled();
  workers[0]?.answer({ answer: new ArrayBuffer(1) });
  assert.equal((await first).byteLength, 1);
  await settled();
  workers[0]?.answer({ answer: new ArrayBuffer(2) });
  assert.equal((await second).byteLength, 2);
  assert.equal(workers.length, 1);
});

test("a request that is taken back ends its worker, and the next one has another", async () => {
  const { found, workers } = pool(1);
  const control = new AbortController();
  const first = found.ask("compare", "a", control.signal);
  await settled();
  control.abort();
  await assert.rejects(first, { name: "AbortError" });
  assert.equal(workers[0]?.ended, true);
  const second = found.ask("compare", "b");
  await settled();
  workers[1]?.answer({ answer: new ArrayBuffer(2) });
  assert.equal((await second).byteLength, 2);
});

test("a refusal keeps the worker, and a defect does not", async () => {
  const { found, workers } = pool(1);
  const refused = found.ask("compare", "a");
  await settled();
  workers[0]?.answer({ error: "--rate: `5`", status: 400 });
  await assert.rejects(refused, (error) => error instanceof Refused && error.status === 400);
  assert.equal(workers[0]?.ended, false);
  const failed = found.ask("compare", "b");
  await settled();
  workers[0]?.answer({ error: "a defect", status: 500 });
  await assert.rejects(failed, { message: "a defect" });
  assert.equal(workers[0]?.ended, true);
  assert.equal(workers.length, 2);
});
