// Bundles the page of the explorer and the script of the reports into the Python package, or, with
// --test or --browser, the tests in that folder into one below `built`.

import { build } from "esbuild";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const common = { bundle: true, target: "es2022", logLevel: "warning", absWorkingDir: here };

const tests = ["test", "browser"].find((folder) => process.argv.includes(`--${folder}`));

if (tests !== undefined) {
  const names = readdirSync(join(here, tests)).filter((name) => name.endsWith(".ts"));
  await build({
    ...common,
    entryPoints: names.map((name) => join(tests, name)),
    outdir: join("built", tests),
    platform: "node",
    format: "esm",
    external: ["puppeteer-core", "axe-core"],
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
