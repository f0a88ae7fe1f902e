import assert from "node:assert/strict";
import { test } from "node:test";
import { Api, Newest, Refused } from "../src/api.ts";

const settled = () => new Promise((done) => setTimeout(done, 0));

test("of what is asked while a request is in flight only the newest is sent next", async () => {
  const sent: number[] = [];
  const done: number[] = [];
  const landings: (() => void)[] = [];
  const queue = new Newest<number, number>(
    (question) => {
      sent.push(question);
      return new Promise((resolve) => landings.push(() => resolve(question)));
    },
    (answer) => done.push(answer),
    (error) => assert.fail(String(error)),
  );
  for (const question of [1, 2, 3, 4]) queue.ask(question);
  assert.deepEqual(sent, [1]);
  landings[0]?.();
  await settled();
  assert.deepEqual(sent, [1, 4]);
  landings[1]?.();
  await settled();
  assert.deepEqual(done, [1, 4]);
  assert.equal(queue.busy, false);
});

test("a request that takes long is taken back when a newer one waits, without an error", async () => {
  const done: number[] = [];
  const queue = new Newest<number, number>(
    (question, signal) =>
      new Promise((resolve, reject) => {
        if (question === 2) resolve(2);
        signal.addEventListener("abort", () => reject(new DOMException("", "AbortError")));
      }),
    (answer) => done.push(answer),
    (error) => assert.fail(String(error)),
    5,
  );
  queue.ask(1);
  queue.ask(2);
  await new Promise((after) => setTimeout(after, 30));
  assert.deepEqual(done, [2]);
});

test("a refusal becomes an error with the server's sentence, and the next request is sent", async () => {
  const answers = [
    new Response('{"error": "rate = 5: a unit is missing"}', { status: 422 }),
    new Response('{"fine": true}'),
  ];
  const tokens: (string | null)[] = [];
  const api = new Api("secret", (_, init) => {
    tokens.push(new Headers(init?.headers).get("X-Flowstart-Token"));
    return Promise.resolve(answers.shift() ?? assert.fail("no third request"));
  });
  await assert.rejects(api.post("/api/compare", {}), new Refused("rate = 5: a unit is missing", 422));
  assert.deepEqual(await api.post("/api/compare", {}), { fine: true });
  assert.deepEqual(tokens, ["secret", "secret"]);
});

test("a server that is gone is said in a sentence", async () => {
  const api = new Api("", () => Promise.reject(new TypeError("Failed to fetch")));
  await assert.rejects(api.get("/api/about"), /has `flowstart explore` ended/);
});
