/** A few letters for each name, all different: `hystart-plus-plus` as `hpp`. */
export function abbreviated(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const initials = name.split(/[^A-Za-z0-9]+/).map((word) => word[0] ?? "").join("");
    const short = [initials, name.slice(0, 2), name.slice(0, 3), name.slice(0, 4), name].find((one) => one && !taken.has(one)) ?? name;
    taken.add(short);
    return short;
  });
}
