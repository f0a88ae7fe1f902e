import assert from "node:assert/strict";
import { test } from "node:test";
import { parse, write } from "../src/ui/startups.ts";

test("a startup with parameters is taken apart and written as it was", () => {
  for (const written of ["hystart", "limited-slow-start:max_ssthresh=100", "search:a=1,b=x=y"]) {
    assert.equal(write(parse(written)), written);
  }
  assert.deepEqual([...parse("search:a=1,b=2").params], [["a", "1"], ["b", "2"]]);
});

test("a parameter that is emptied has its default again", () => {
  const { name, params } = parse("search:a=1,b=2");
  assert.equal(write({ name, params: params.set("a", "") }), "search:b=2");
  assert.equal(write({ name, params: new Map([["a", ""]]) }), "search");
});

test("the class in a Python file is no parameter", () => {
  assert.deepEqual(parse("./mine.py:Mine"), { name: "./mine.py:Mine", params: new Map() });
});
