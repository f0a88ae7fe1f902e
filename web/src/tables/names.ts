// Columns' names in words, where a person chooses from them.

const WORDS: Record<string, string> = {
  fct: "FCT",
  rtt: "RTT",
  pkts: "packets",
};
/** The ends of columns' names that show their unit. */
const SUFFIX = /_(s|bytes|bps|pkts)$/;

/** `max_queue_pkts` as `max queue`. */
export function inWords(column: string): string {
  return column
    .replace(SUFFIX, "")
    .split("_")
    .map((word) => WORDS[word] ?? word)
    .join(" ");
}

/** The same with its unit: `max queue, packets`. */
export function withUnit(column: string, unit: string | null): string {
  const words = inWords(column);
  if (column === "slowdown") return `${words}, FCT ÷ ideal`;
  return unit && unit !== "ratio" && !words.includes(unit) ? `${words}, ${unit}` : words;
}
