// The startups that are compared: which, in which order, and with which parameters.

import type { Look } from "../charts/colours.ts";
import type { Algorithm } from "../protocol.ts";
import { el, fill, id } from "./dom.ts";
import { swatch } from "./swatch.ts";

/** A startup in writing: `name:key=value,key=value`. */
export interface Written {
  name: string;
  params: Map<string, string>;
}

export function parse(written: string): Written {
  const at = written.endsWith(".py") || written.includes(".py:") ? -1 : written.indexOf(":");
  if (at < 0) return { name: written, params: new Map() };
  const pairs = written.slice(at + 1).split(",");
  const params = pairs.map((pair): [string, string] => {
    const [key = "", ...value] = pair.split("=");
    return [key, value.join("=")];
  });
  return { name: written.slice(0, at), params: new Map(params) };
}

export function write({ name, params }: Written): string {
  const pairs = [...params].filter(([, value]) => value !== "").map(([key, value]) => `${key}=${value}`);
  return pairs.length ? `${name}:${pairs.join(",")}` : name;
}

export class StartupPicker {
  readonly element = el("div", { class: "startups" });
  private readonly chosen = el("ul", { class: "chosen", "aria-label": "Compared startups" });
  private readonly list = el("ul", { class: "catalog" });
  private names: readonly string[] = [];
  private readonly open = new Set<number>();
  private state = "";

  constructor(
    private readonly catalog: readonly Algorithm[],
    custom: readonly string[],
    private readonly change: (startups: string[]) => void,
  ) {
    const find = el("input", { type: "search", placeholder: "Filter", "aria-label": "Filter startups" });
    find.addEventListener("input", () => this.filter(find.value));
    const all = el("button", { type: "button" }, "All");
    // The answer has their names.
    all.addEventListener("click", () => this.change([...custom, "all"]));
    const head = el("div", { class: "row" }, find, all);
    const summary = el("summary", {}, `Choose startups (${catalog.length + custom.length})`);
    const more = el("details", {}, summary, head, this.list);
    for (const name of custom) this.list.append(this.offer(name, "startup in Python", ""));
    for (const one of catalog) this.list.append(this.offer(one.name, one.title, about(one)));
    this.element.append(this.chosen, more);
  }

  set(names: readonly string[], looks: ReadonlyMap<string, Look>): void {
    const state = JSON.stringify([names, [...looks]]);
    if (state === this.state) return;
    this.state = state;
    this.names = names;
    const focused = this.fields().indexOf(document.activeElement as HTMLElement);
    fill(this.chosen, ...names.map((name, at) => this.row(name, at, looks.get(name))));
    if (focused >= 0) (this.fields()[focused] ?? this.fields().at(-1))?.focus();
    for (const box of this.list.querySelectorAll("input")) {
      box.checked = names.some((name) => parse(name).name === box.value);
    }
  }

  /** What keys reach in the list; the focus stays at its place when the list is built anew. */
  private fields(): HTMLElement[] {
    return [...this.chosen.querySelectorAll<HTMLElement>("button, input")];
  }

  private offer(name: string, title: string, help: string): HTMLElement {
    const box = el("input", { type: "checkbox", value: name });
    box.addEventListener("change", () => {
      const others = this.names.filter((one) => parse(one).name !== name);
      this.change(box.checked ? [...this.names, name] : others);
    });
    return el("li", { title: help }, el("label", {}, box, name, el("small", {}, title)));
  }

  private filter(text: string): void {
    for (const item of this.list.children) {
      const hidden = !item.textContent.toLowerCase().includes(text.trim().toLowerCase());
      (item as HTMLElement).hidden = hidden;
    }
  }

  private row(name: string, at: number, look: Look | undefined): HTMLElement {
    const written = parse(name);
    const entry = this.catalog.find((one) => one.name === written.name);
    const item = el("li", {}, look ? swatch(look) : null, el("span", { class: "name" }, name));
    if (entry?.params.length) item.append(this.parameters(entry, written, at));
    const remove = el("button", { type: "button", class: "quiet", "aria-label": `Remove ${name}` }, "×");
    remove.disabled = this.names.length === 1;
    remove.addEventListener("click", () => this.change(this.names.filter((_, place) => place !== at)));
    item.append(remove);
    return item;
  }

  private parameters(entry: Algorithm, written: Written, at: number): HTMLElement {
    const button = el(
      "button",
      {
        type: "button",
        class: "quiet",
        title: "Parameters",
        "aria-label": `Parameters of ${this.names[at] ?? ""}`,
        "aria-expanded": String(this.open.has(at)),
      },
      "⋯",
    );
    const form = el("div", { class: "parameters" }, ...this.form(entry, written, at));
    form.hidden = !this.open.has(at);
    button.addEventListener("click", () => {
      form.hidden = !form.hidden;
      if (form.hidden) this.open.delete(at);
      else this.open.add(at);
      button.setAttribute("aria-expanded", String(!form.hidden));
    });
    const both = el("div", { class: "more" }, button, form);
    return both;
  }

  private form(entry: Algorithm, written: Written, at: number): HTMLElement[] {
    const fields = entry.params.map((param) => {
      const input = el("input", {
        type: "text",
        id: id(param.name),
        value: written.params.get(param.name) ?? "",
        placeholder: param.default,
      });
      input.addEventListener("change", () => {
        const params = new Map(written.params).set(param.name, input.value.trim());
        this.put(at, write({ name: written.name, params }));
      });
      const unit = param.unit ? ` (${param.unit})` : "";
      const label = el("label", { for: input.id }, param.name + unit);
      return el("div", { class: "control", title: param.meaning }, label, input);
    });
    const twice = el("button", { type: "button" }, "Add once more");
    twice.title = "Compare it with other parameters";
    twice.addEventListener("click", () => this.twice(entry, at));
    return [...fields, twice];
  }

  /** A startup is compared with itself under another value of its first parameter. */
  private twice(entry: Algorithm, at: number): void {
    const first = entry.params[0];
    if (!first || this.names.includes(entry.name)) {
      const params = new Map([[first?.name ?? "", first?.default ?? ""]]);
      this.change([...this.names, write({ name: entry.name, params })]);
      return;
    }
    this.change([...this.names.slice(0, at + 1), entry.name, ...this.names.slice(at + 1)]);
  }

  private put(at: number, name: string): void {
    const names = this.names.map((one, place) => (place === at ? name : one));
    // Only once the focus has moved on: the field that it moves to is built anew.
    setTimeout(() => this.change(names));
  }
}

function about(one: Algorithm): string {
  return `${one.summary}\nNeeds: ${one.needs}.\nBasis: ${one.certainty}.`;
}
