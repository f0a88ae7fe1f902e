// What texts of tables are worth when they are sorted and filtered, and how numbers are written:
// as `text.py` writes them.

import { ABSENT, bytes, rate, seconds } from "../ui/text.ts";

/** `toLocaleString` would make one for every number. */
const WHOLE = new Intl.NumberFormat("en-US");
const UNITS: Record<string, number> = {
  s: 1,
  ms: 1e-3,
  µs: 1e-6,
  B: 1,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  bps: 1,
  kbps: 1e3,
  Mbps: 1e6,
  Gbps: 1e9,
  "%": 1e-2,
};
const NUMBER = /^[≈≤≥<>]?\s*([+−-]?)(\d[\d,]*(?:\.\d+)?|∞)(?:e([+-]?\d+))?\s*([%a-zA-Zµ]*)/u;
export type Value = string | number | boolean | null;

/** The number with which a text begins, in its unit's base (seconds, bytes, bit/s, shares); null
 * where it begins with none. */
export function worth(text: string): number | null {
  const found = NUMBER.exec(text.trim());
  if (!found) return null;
  const [, sign, digits = "", exponent, unit = ""] = found;
  const size = digits === "∞" ? Infinity : Number(`${digits.replaceAll(",", "")}e${exponent ?? 0}`);
  return (sign === "" || sign === "+" ? 1 : -1) * size * (UNITS[unit] ?? 1);
}

/** Whether a text means that there is no value. */
export function isAbsent(text: string): boolean {
  return text.trim() === "" || text.trim() === ABSENT;
}

/** The order of two texts of a column: numbers by their size, before words. */
export function byText(one: string, other: string): number {
  return byValue(worth(one) ?? one, worth(other) ?? other);
}

/** The order of two values: numbers first, then words, then what is absent. */
export function byValue(one: Value, other: Value): number {
  const rank = (value: Value) => (value === null ? 2 : typeof value === "string" ? 1 : 0);
  if (rank(one) !== rank(other)) return rank(one) - rank(other);
  if (typeof one === "string" && typeof other === "string") return one < other ? -1 : one > other ? 1 : 0;
  return Number(one) - Number(other) || 0;
}

/** Whether a text has all words that were typed, in whatever order and case. */
export function holds(text: string, words: string): boolean {
  return holder(words)(text.toLowerCase());
}

/** A test for many texts, which are in lower case already. */
export function holder(words: string): (low: string) => boolean {
  const all = words.toLowerCase().split(/\s+/);
  return (low) => all.every((word) => low.includes(word));
}

/** A value of a column in its unit: `616.1 ms`, `1 MB`, `1,335`, `yes`. */
export function shown(value: Value, unit: string | null): string {
  if (value === null) return ABSENT;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return value;
  if (unit === "seconds") return seconds(value);
  if (unit === "bytes") return bytes(value);
  if (unit === "bits per second") return rate(value);
  if (Number.isInteger(value)) return WHOLE.format(value);
  return trimmed(value);
}

/** Four significant digits at most. */
function trimmed(value: number): string {
  if (value === 0) return "0";
  const written = value.toFixed(Math.max(0, 3 - Math.floor(Math.log10(Math.abs(value)))));
  const short = written.includes(".") ? written.replace(/\.?0+$/, "") : written;
  return short.replace("-", "−");
}
