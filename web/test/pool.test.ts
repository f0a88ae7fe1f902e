import assert from "node:assert/strict";
import { test } from "node:test";
import { Refused } from "../src/api.ts";
import type { Asked, FromWorker, Question } from "../src/engine/engine.ts";
import { Local } from "../src/engine/local.ts";
import { Pool, type Simulating } from "../src/engine/pool.ts";
import type { About } from "../src/protocol.ts";

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

  answer(rest: { answer: ArrayBuffer } | { part: ArrayBuffer } | { error: string; status: number }): void {
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
  const first = found.ask("compare", { text: "a" });
  const second = found.ask("compare", { text: "b" });
  await settled();
  workers[0]?.answer({ answer: new ArrayBuffer(1) });
  assert.equal((await first).byteLength, 1);
  await settled();
  workers[0]?.answer({ answer: new ArrayBuffer(2) });
  assert.equal((await second).byteLength, 2);
  assert.equal(workers.length, 1);
});

test("the parts of a share come before its answer", async () => {
  const { found, workers } = pool(1);
  const parts: number[] = [];
  const share = { first: 0, step: 1 };
  const whole = found.ask("part", { text: "a", share }, undefined, (part) => parts.push(part.byteLength));
  await settled();
  workers[0]?.answer({ part: new ArrayBuffer(3) });
  workers[0]?.answer({ answer: new ArrayBuffer(1) });
  assert.equal((await whole).byteLength, 1);
  assert.deepEqual(parts, [3]);
});

test("a request that is taken back ends its worker, and the next one has another", async () => {
  const { found, workers } = pool(1);
  const control = new AbortController();
  const first = found.ask("compare", { text: "a" }, control.signal);
  await settled();
  control.abort();
  await assert.rejects(first, { name: "AbortError" });
  assert.equal(workers[0]?.ended, true);
  const second = found.ask("compare", { text: "b" });
  await settled();
  workers[1]?.answer({ answer: new ArrayBuffer(2) });
  assert.equal((await second).byteLength, 2);
});

test("a refusal keeps the worker, and a defect does not", async () => {
  const { found, workers } = pool(1);
  const refused = found.ask("compare", { text: "a" });
  await settled();
  workers[0]?.answer({ error: "--rate: `5`", status: 400 });
  await assert.rejects(refused, (error) => error instanceof Refused && error.status === 400);
  assert.equal(workers[0]?.ended, false);
  const failed = found.ask("compare", { text: "b" });
  await settled();
  workers[0]?.answer({ error: "a defect", status: 500 });
  await assert.rejects(failed, { message: "a defect" });
  assert.equal(workers[0]?.ended, true);
  assert.equal(workers.length, 2);
});

test("the runs of a comparison are shared among the workers", async () => {
  const asked: [Question, Asked][] = [];
  const ask = (question: Question, request: Asked, _?: AbortSignal, part?: (part: ArrayBuffer) => void) => {
    asked.push([question, request]);
    const first = request.share?.first ?? 3;
    for (let number = first; number < 3; number += 2) part?.(new Uint8Array([number, 3]).buffer);
    return Promise.resolve(new Uint8Array([2, 0, 0, 0, 123, 125, 0, 0]).buffer);
  };
  const shares: number[] = [];
  const page = new Local({} as About, { ask, most: 2 }, { ask });
  const body = { given: { size: "100MB", startup: ["a", "b", "c"] } };
  await page.frame("/api/compare", body, undefined, (share) => shares.push(share));
  const text = JSON.stringify(body);
  assert.deepEqual(asked, [
    ["part", { text, share: { first: 0, step: 2 } }],
    ["part", { text, share: { first: 1, step: 2 } }],
    ["compare", { text, data: new Uint8Array([0, 3, 2, 3, 1, 3]) }],
  ]);
  assert.deepEqual(shares, [1 / 3, 2 / 3, 1]);
});

test("short runs are simulated by one worker", async () => {
  const asked: Question[] = [];
  const ask = (question: Question) => {
    asked.push(question);
    return Promise.resolve(new Uint8Array([2, 0, 0, 0, 123, 125, 0, 0]).buffer);
  };
  const page = new Local({} as About, { ask, most: 2 }, { ask });
  await page.frame("/api/compare", { given: { size: "1MB", startup: ["a", "b"] } });
  assert.deepEqual(asked, ["compare"]);
});
