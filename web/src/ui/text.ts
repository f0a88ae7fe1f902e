// Numbers as the rest of the project writes them (`text.py`), and back.

export const ABSENT = "–";

/** A time: `1.234 s`, `56.7 ms`, `890 µs`. */
export function seconds(value: number): string {
  if (value === 0 || Math.abs(value) >= 1) return `${digits(value)} s`;
  if (Math.abs(value) * 1e3 >= 1) return `${digits(value * 1e3)} ms`;
  return `${digits(value * 1e6)} µs`;
}

/** A time at an axis: without the zeros at its end that a measured value has. */
export function moment(value: number): string {
  return seconds(value).replace(/(\.\d*?)0+ /, "$1 ").replace(". ", " ");
}

/** A number of bytes in decimal units: `100 kB`. */
export function bytes(value: number): string {
  return scaled(value, [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]], "B", 4);
}

/** A data rate: `5 Mbps`. */
export function rate(value: number): string {
  return scaled(value, [["Gbps", 1e9], ["Mbps", 1e6], ["kbps", 1e3]], "bps", 3);
}

/** A share: `71 %`. */
export function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

/** A number of packets, which may have a fraction. */
export function packets(value: number): string {
  return value >= 100 || Number.isInteger(value)
    ? Math.round(value).toLocaleString("en")
    : value.toFixed(1);
}

function scaled(value: number, units: [string, number][], rest: string, most: number): string {
  for (const [unit, scale] of units) {
    if (value >= scale) return `${Number((value / scale).toPrecision(most))} ${unit}`;
  }
  return `${Number(value.toPrecision(most))} ${rest}`;
}

/** Four significant digits, never in exponents. */
function digits(value: number): string {
  if (value === 0) return "0";
  const places = Math.max(0, 3 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(places, 20));
}

const UNITS: Record<string, number> = {
  bps: 1, kbps: 1e3, mbps: 1e6, gbps: 1e9,
  ns: 1e-9, us: 1e-6, "µs": 1e-6, ms: 1e-3, s: 1,
  b: 1, kb: 1e3, mb: 1e6, gb: 1e9, "%": 1e-2, bdp: 1, pkt: 1, "": 1,
};

/** What a written quantity is in its base unit, and the unit in small letters; null without one. */
export function quantity(written: string): { value: number; unit: string } | null {
  const found = /^\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-zµ%]*)\s*$/i.exec(written);
  const unit = found?.[2]?.toLowerCase() ?? "";
  const scale = UNITS[unit];
  return found && scale !== undefined ? { value: Number(found[1]) * scale, unit } : null;
}

/** `1`, `1 and 2`, `1, 2 and 3`. */
export function listed(words: readonly string[]): string {
  if (words.length < 2) return words[0] ?? "none";
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
