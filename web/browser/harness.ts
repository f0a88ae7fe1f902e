// What the tests in browsers share: a running explorer, a browser, and a page that keeps what it
// complains of.

import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import puppeteer, { type Browser, type Page } from "puppeteer-core";

/** The root of the checkout; the tests run in `web`. */
export const ROOT = join(process.cwd(), "..");

/** The command under test. */
export const FLOWSTART = process.env["FLOWSTART"] ?? join(ROOT, ".venv/bin/flowstart");

/** Long enough for a busy machine. */
const START_MS = 20_000;

export interface Explorer {
  /** With the token in it. */
  url: string;
  /** From the start of the command to the line that names the URL. */
  startMs: number;
  stop(): Promise<void>;
}

/** Starts `flowstart explore` with these arguments besides. */
export async function explorer(...args: string[]): Promise<Explorer> {
  const begun = performance.now();
  const child = spawn(FLOWSTART, ["explore", "--no-open", ...args], { cwd: ROOT });
  const url = await named(child);
  const startMs = performance.now() - begun;
  const stop = async (): Promise<void> => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGINT");
    await ended;
  };
  return { url, startMs, stop };
}

/** The URL that the command prints. */
function named(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    const timer = setTimeout(() => reject(new Error(`no URL was printed: ${said}`)), START_MS);
    const listen = (chunk: Buffer): void => {
      said += chunk.toString();
      const found = /http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]+/.exec(said);
      if (found) {
        clearTimeout(timer);
        resolve(found[0]);
      }
    };
    child.stdout?.on("data", listen);
    child.stderr?.on("data", listen);
    child.once("exit", (code) => reject(new Error(`ended with ${code}: ${said}`)));
  });
}

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const FIREFOX = ["/usr/bin/firefox-esr", "/usr/bin/firefox"];

/** Where a browser is; undefined where there is none. */
export function installed(name: "chrome" | "firefox"): string | undefined {
  return (name === "chrome" ? CHROMIUM : FIREFOX).find((path) => existsSync(path));
}

/** Nothing that a browser wants of its maker. */
const QUIET = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export async function launch(name: "chrome" | "firefox" = "chrome"): Promise<Browser> {
  const executablePath = installed(name);
  if (executablePath === undefined) throw new Error(`${name} is not installed`);
  return puppeteer.launch({
    browser: name,
    executablePath,
    headless: true,
    args: name === "chrome" ? QUIET : [],
  });
}

/** A page, and every error that it has reported since. */
export async function opened(
  browser: Browser,
  size: { width: number; height: number } = { width: 1400, height: 1000 },
): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warn"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.setViewport(size);
  return { page, complaints };
}
