// Which startup is shown where several are alike: maps have one colour for them wherever that can be.

/** Startups by the number of cells in which they are within the margin, in decreasing order. */
export function leading(cells: readonly { within: number[] }[]): number[] {
  const counts = new Map<number, number>();
  for (const cell of cells) {
    for (const at of cell.within) counts.set(at, (counts.get(at) ?? 0) + 1);
  }
  return [...counts].sort(([one, a], [other, b]) => b - a || one - other).map(([at]) => at);
}

/** The places of values within a margin of the minimum. */
export function alike(values: readonly number[], margin: number): number[] {
  const least = Math.min(...values);
  return values.flatMap((value, at) => (value <= (1 + margin) * least ? [at] : []));
}
