// Lines that hold a value until the next: looking up, measuring and drawing them. A value that is
// not a number means that there is nothing from there on, until the next.

/** Bins of time, ascending, and the values that hold from there on. */
export interface Steps {
  bins: Uint16Array;
  values: Float32Array;
}

/** The value that holds at a bin; null before the first, and where there is nothing. */
export function valueAt(steps: Steps, bin: number): number | null {
  let low = 0;
  let high = steps.bins.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps.bins[middle] as number) <= bin) low = middle + 1;
    else high = middle;
  }
  const value = low ? (steps.values[low - 1] as number) : NaN;
  return Number.isNaN(value) ? null : value;
}

/** The greatest value; 0 of none. */
export function greatest(steps: Steps): number {
  let most = 0;
  for (const value of steps.values) if (value > most) most = value;
  return most;
}

/** What a line is drawn into: a canvas' path, or a text. */
export interface Sink {
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
}

/** Draws steps until `end`, a bin; values that do not differ make no corners. */
export function draw(
  steps: Steps,
  end: number,
  x: (bin: number) => number,
  y: (value: number) => number,
  sink: Sink,
): void {
  const { bins, values } = steps;
  let last = NaN;
  for (let at = 0; at < bins.length; at += 1) {
    const height = y(values[at] as number);
    if (height === last || (height !== height && last !== last)) continue;
    const across = x(bins[at] as number);
    if (last === last) sink.lineTo(across, last);
    if (last === last && height === height) sink.lineTo(across, height);
    else if (height === height) sink.moveTo(across, height);
    last = height;
  }
  if (last === last) sink.lineTo(x(Math.max(end, bins[bins.length - 1] as number)), last);
}

/** Round numbers from `from` to `to`, about as many as `wanted`. */
export function ticks(from: number, to: number, wanted: number): number[] {
  const rough = (to - from) / Math.max(1, wanted);
  if (!(rough > 0) || !Number.isFinite(rough)) return [from];
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step = decade * ([1, 2, 5, 10].find((one) => one * decade >= rough * 0.999) ?? 10);
  const found: number[] = [];
  for (let at = Math.ceil(from / step - 1e-9); at * step <= to * (1 + 1e-9); at += 1) {
    found.push(Number((at * step).toPrecision(12)));
  }
  return found;
}
