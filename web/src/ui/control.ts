// Controls for one flag each: a label, what is written, and for some a slider below it.

import { el, id } from "./dom.ts";
import type { Scale } from "./scale.ts";

/** "drag" while a slider moves, "done" once a value is final. */
export type Change = (value: string, how: "drag" | "done") => void;

export interface Control {
  readonly flag: string;
  /** Its name on the page. */
  readonly label: string;
  readonly element: HTMLElement;
  /** Shows a value; empty where the usual one holds, which `usual` has. */
  set(value: string, usual?: string): void;
  /** Marks the value as refused. */
  refuse(refused: boolean): void;
}

/** Text that may be anything that the flag takes. */
export function textControl(flag: string, label: string, help: string, change: Change): Control {
  const input = field(flag);
  input.addEventListener("change", () => change(input.value.trim(), "done"));
  const element = row(label, input, help);
  return {
    flag,
    label,
    element,
    set: (value, usual = "") => put(input, value, usual),
    refuse: (refused) => input.setAttribute("aria-invalid", String(refused)),
  };
}

/** A slider, and the same value as a text that may lie between its positions or beyond them. */
export function slider(
  flag: string,
  label: string,
  help: string,
  scale: Scale,
  change: Change,
): Control {
  const input = field(flag);
  const range = el("input", {
    type: "range",
    min: 0,
    max: scale.texts.length - 1,
    step: 1,
    "aria-label": label,
  });
  const place = (written: string): void => {
    range.value = String(scale.position(written) ?? Math.floor(scale.texts.length / 2));
    range.setAttribute("aria-valuetext", written);
    range.classList.toggle("beyond", scale.position(written) === null);
  };
  range.addEventListener("input", () => {
    const written = scale.texts[Number(range.value)] ?? "";
    input.value = written;
    range.setAttribute("aria-valuetext", written);
    change(written, "drag");
  });
  range.addEventListener("change", () => change(input.value, "done"));
  input.addEventListener("change", () => change(input.value.trim(), "done"));
  return {
    flag,
    label,
    element: row(label, input, help, range),
    set(value, usual = "") {
      put(input, value, usual);
      if (document.activeElement !== range || input.value !== value) place(value || usual);
    },
    refuse: (refused) => input.setAttribute("aria-invalid", String(refused)),
  };
}

/** One of several names; a value that is none of them (one with parameters) is offered too. */
export function choice(
  flag: string,
  label: string,
  help: string,
  names: readonly { name: string; about?: string }[],
  empty: string,
  change: Change,
): Control {
  const select = el("select", { id: id(flag), name: flag });
  select.append(new Option(empty, ""));
  for (const { name, about } of names) {
    const option = new Option(name, name);
    if (about) option.title = about;
    select.append(option);
  }
  select.addEventListener("change", () => change(select.value, "done"));
  return {
    flag,
    label,
    element: row(label, select, help),
    set(value) {
      if (![...select.options].some((one) => one.value === value)) {
        select.append(new Option(value, value));
      }
      select.value = value;
    },
    refuse: (refused) => select.setAttribute("aria-invalid", String(refused)),
  };
}

function field(flag: string): HTMLInputElement {
  return el("input", { type: "text", id: id(flag), name: flag, spellcheck: "false", autocomplete: "off" });
}

/** What is being written is not taken out of a person's hands. */
function put(input: HTMLInputElement, value: string, usual: string): void {
  input.placeholder = usual;
  if (document.activeElement !== input || !input.value) input.value = value;
}

function row(label: string, field: HTMLElement, help: string, below?: HTMLElement): HTMLElement {
  const name = el("label", { for: field.id, title: help }, label);
  return el("div", { class: below ? "control wide" : "control", title: help }, name, field, below);
}

/** A refusal that calls the settings by their labels, not by the options of the command line. */
export function withLabels(sentence: string, controls: Iterable<Pick<Control, "flag" | "label">>): string {
  const labels = new Map([...controls].map((one) => [one.flag, one.label]));
  return sentence.replaceAll(/--([a-z][a-z-]*)/g, (option, flag: string) => labels.get(flag) ?? option);
}
