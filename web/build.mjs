// Bundles the page of the explorer and the script of the reports into the Python package, or, with
// --test or --browser, the tests in that folder into one below `built`.

import { build } from "esbuild";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const common = { bundle: true, target: "es2022", logLevel: "warning", absWorkingDir: here };

/** The script of the page's workers, as a text within the page's. */
async function workerScript() {
  const { outputFiles } = await build({
    ...common,
    entryPoints: ["src/engine/worker.ts"],
    format: "iife",
    minify: true,
    write: false,
  });
  return outputFiles[0].text;
}

const define = { WORKER_SCRIPT: JSON.stringify(await workerScript()) };
const tests = ["test", "browser"].find((folder) => process.argv.includes(`--${folder}`));

if (tests !== undefined) {
  const names = readdirSync(join(here, tests)).filter((name) => name.endsWith(".ts"));
  await build({
    ...common,
    define,
    entryPoints: names.map((name) => join(tests, name)),
    outdir: join("built", tests),
    platform: "node",
    format: "esm",
    external: ["puppeteer-core", "axe-core"],
  });
} else {
  const notice = notices();
  await build({
    ...common,
    define,
    banner: { js: notice, css: notice },
    entryPoints: { explorer: "src/explorer/main.ts", report: "src/report/main.ts" },
    outdir: "../python/flowstart/render/page",
    format: "iife",
    minify: true,
    legalComments: "inline",
  });
}

// The licences of what is bundled, which ask to be kept with every copy.
function notices() {
  const names = Object.keys(JSON.parse(readFileSync(join(here, "package.json"), "utf8")).dependencies);
  const text = (name) => readFileSync(join(here, "node_modules", name, "LICENSE"), "utf8").trim();
  return names.map((name) => `/*! Contains ${name}:\n\n${text(name)}\n*/`).join("\n");
}
