import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const page = "../python/flowstart/render/page";

for (const file of ["explorer.js", "explorer.css", "report.js", "report.css"]) {
  test(`${file} carries the licence of what is bundled`, () => {
    const text = readFileSync(`${page}/${file}`, "utf8");
    assert.match(text, /Contains uplot:\s+The MIT License/);
    assert.match(text, /The above copyright notice and this permission notice shall be included/);
  });
}
