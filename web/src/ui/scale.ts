// The positions of a slider: values in nearly equal factors, as people would write them.

import { quantity } from "./text.ts";

export interface Scale {
  /** What every position writes. */
  readonly texts: readonly string[];
  /** The position that is nearest to a written value; null where it cannot be compared. */
  position(written: string): number | null;
}

const FINE = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8];
const COARSE = [1, 1.5, 2, 3, 5, 7];

export const RATE = scale(decades(1e5, 1e10, FINE).map((value) => unit(value, [["Gbps", 1e9], ["Mbps", 1e6], ["kbps", 1e3]])));
export const RTT = scale(decades(1e-3, 1, FINE).map((value) => unit(value, [["s", 1], ["ms", 1e-3]])));
export const SIZE = scale(decades(1e4, 1e8, FINE).map((value) => unit(value, [["MB", 1e6], ["kB", 1e3]])));
export const LOSS = scale(["0%", ...decades(1e-4, 0.1, COARSE).map((value) => unit(value, [["%", 1e-2]]))]);
export const BUFFER = scale(decades(0.1, 10, COARSE).map((value) => `${plain(value)}bdp`));
export const FLOWS = scale(["1", "2", "3", "4", "6", "8", "12", "16", "24", "32"]);

/** A scale with these positions, which ascend. */
export function scale(texts: readonly string[]): Scale {
  const values = texts.map((text) => quantity(text));
  return {
    texts,
    position(written) {
      const wanted = quantity(written);
      if (!wanted || !values.some((one) => comparable(one, wanted))) return null;
      const away = values.map((one) => distance(one?.value ?? 0, wanted.value));
      return away.indexOf(Math.min(...away));
    },
  };
}

type Quantity = ReturnType<typeof quantity>;

/** Packets and bandwidth-delay products do not compare; units of one kind do. */
function comparable(one: Quantity, other: Quantity): boolean {
  const kind = (unit = "") => (/bps$/.test(unit) ? "rate" : /s$/.test(unit) ? "time" : /b$/.test(unit) ? "bytes" : unit);
  return kind(one?.unit) === kind(other?.unit);
}

/** In factors; nothing is as far from all else as it can be. */
function distance(one: number, other: number): number {
  if (one === other) return 0;
  return one && other ? Math.abs(Math.log(one / other)) : Number.MAX_VALUE;
}

function decades(from: number, to: number, mantissas: readonly number[]): number[] {
  const found: number[] = [];
  for (let decade = from; decade < to * 0.999; decade *= 10) {
    found.push(...mantissas.map((mantissa) => mantissa * decade));
  }
  return [...found, to];
}

function unit(value: number, units: [string, number][]): string {
  const [name, size] = units.find(([, one]) => value >= one * 0.999) ?? units.at(-1) ?? ["", 1];
  return plain(value / size) + name;
}

function plain(value: number): string {
  return String(Number(value.toPrecision(4)));
}
