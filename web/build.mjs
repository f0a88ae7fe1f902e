// Bundles the page of the explorer and the script of the reports into the Python package, or, with
// --test, the tests of the page's logic into `built/test`.

import { build } from "esbuild";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const common = { bundle: true, target: "es2022", logLevel: "warning", absWorkingDir: here };

if (process.argv.includes("--test")) {
  const tests = readdirSync(join(here, "test")).filter((name) => name.endsWith(".test.ts"));
  await build({
    ...common,
    entryPoints: tests.map((name) => join("test", name)),
    outdir: "built/test",
    platform: "node",
    format: "esm",
  });
} else {
  await build({
    ...common,
    entryPoints: { explorer: "src/explorer/main.ts", report: "src/report/main.ts" },
    outdir: "../python/flowstart/render/page",
    format: "iife",
    minify: true,
    legalComments: "inline",
  });
}
