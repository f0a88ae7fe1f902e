// What is looked at, as the part of the URL after `#`: `#explore?rate=50Mbps&startup=hystart`. Names
// and values are those of the flags of `flowstart compare`; what concerns a view alone begins with
// `view.`.

import type { Given } from "./protocol.ts";

export interface State {
  /** Which view: `explore`, `map`, … */
  view: string;
  given: Given;
  /** What the view keeps for itself: zoom, a measure, a row. */
  own: Record<string, string>;
}

const OWN = "view.";

/** The text after `#` that encodes a state. */
export function written(state: State): string {
  const pairs: [string, string][] = [];
  for (const [flag, value] of Object.entries(state.given)) {
    if (value === undefined || value === "") continue;
    for (const one of Array.isArray(value) ? value : [String(value)]) pairs.push([flag, one]);
  }
  for (const [name, value] of Object.entries(state.own)) pairs.push([OWN + name, value]);
  const query = pairs.map(([name, value]) => `${escaped(name)}=${escaped(value)}`).join("&");
  return query ? `${state.view}?${query}` : state.view;
}

/** The state that a text after `#` encodes; what it leaves open is as in `usual`. */
export function read(hash: string, usual: State): State {
  const text = hash.replace(/^#/, "");
  const [view = "", query] = split(text);
  if (query === undefined) return { ...usual, view: view || usual.view };
  const given: Given = {};
  const own: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(query.replaceAll("+", "%2B"))) {
    if (name.startsWith(OWN)) own[name.slice(OWN.length)] = value;
    else if (name === "startup") given.startup = [...(given.startup ?? []), value];
    else given[name] = value;
  }
  return { view: view || usual.view, given, own };
}

/** Whether two states ask for the same. */
export function same(one: State, other: State): boolean {
  return written(one) === written(other);
}

/** `given` with other values; undefined and empty ones are left out. */
export function but(given: Given, change: Given): Given {
  const all = Object.entries({ ...given, ...change });
  return Object.fromEntries(
    all.filter(([, value]) => value !== undefined && value !== ""),
  ) as Given;
}

/** A flag's value as a text; empty where it is not given or has several. */
export function text(given: Given, flag: string): string {
  const value = given[flag];
  return value === undefined || Array.isArray(value) ? "" : String(value);
}

function split(hash: string): [string, string | undefined] {
  const at = hash.indexOf("?");
  return at < 0 ? [hash, undefined] : [hash.slice(0, at), hash.slice(at + 1)];
}

/** Only what a hash cannot hold is escaped, so that people can read it. */
function escaped(value: string): string {
  return encodeURIComponent(value).replace(/%(3A|2C|2F|3D|40)/gi, (code) =>
    decodeURIComponent(code),
  );
}
