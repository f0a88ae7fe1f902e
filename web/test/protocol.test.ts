import assert from "node:assert/strict";
import { test } from "node:test";
import { points, unpack, type Line } from "../src/protocol.ts";

test("an answer is its JSON and a tail of numbers that begins at a multiple of four", () => {
  const text = new TextEncoder().encode('{"line":{"bins":8,"values":0,"count":2}}');
  const begin = (4 + text.length + 3) & ~3;
  const buffer = new ArrayBuffer(begin + 12);
  const view = new DataView(buffer);
  view.setUint32(0, text.length, true);
  new Uint8Array(buffer).set(text, 4);
  view.setFloat32(begin, 1.5, true);
  view.setFloat32(begin + 4, 2.5, true);
  view.setUint16(begin + 8, 3, true);
  view.setUint16(begin + 10, 7, true);
  const { head, tail } = unpack<{ line: Line }>(buffer);
  const { bins, values } = points(head.line, tail);
  assert.deepEqual([...bins], [3, 7]);
  assert.deepEqual([...values], [1.5, 2.5]);
});
