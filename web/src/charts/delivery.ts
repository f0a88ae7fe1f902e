// The delivery rate as acknowledgements show it: what they reported in the last round trip, in order
// or above a hole. A repaired hole adds its own bytes only, not all that was held behind it. It
// is the same measure for every startup, whether or not its stack estimates rates.

import type { Steps } from "./steps.ts";

/** Into how many parts a round trip is divided. */
const PARTS = 16;

/**
 * Bits per second over the round trip, `rtt_bins` long, that ends at each bin. Where the line does
 * not begin at time zero (`cut`), there is nothing before its first round trip has passed.
 */
export function deliveryRate(delivered: Steps, rtt_bins: number, bin_s: number, cut: boolean): Steps {
  const { bins, values } = delivered;
  const first = (bins[0] ?? 0) + (cut ? Math.ceil(rtt_bins) : 0);
  const last = bins[bins.length - 1] ?? -1;
  const step = Math.max(1, Math.floor(rtt_bins / PARTS));
  const count = rtt_bins >= 1 ? Math.max(0, Math.floor((last - first) / step) + 1) : 0;
  const found = { bins: new Uint16Array(count), values: new Float32Array(count) };
  let [now, then] = [0, 0];
  for (let at = 0; at < count; at += 1) {
    const bin = first + at * step;
    while (now + 1 < bins.length && (bins[now + 1] as number) <= bin) now += 1;
    while (then + 1 < bins.length && (bins[then + 1] as number) <= bin - rtt_bins) then += 1;
    const gained = (values[now] as number) - (values[then] as number);
    found.bins[at] = bin;
    // A sender may forget after a timeout what it knows of arrivals above a hole.
    found.values[at] = (Math.max(0, gained) * 8) / (rtt_bins * bin_s);
  }
  return found;
}
