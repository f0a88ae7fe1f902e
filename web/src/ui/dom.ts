// Elements in few words.

type Child = Node | string | null | undefined;
type Attributes = Record<string, string | number | boolean | undefined | ((event: Event) => void)>;

/** An element; attributes that are functions are listeners, true is an attribute without value. */
export function el<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== undefined && value !== false) made.setAttribute(key, String(value));
  }
  for (const child of children) if (child !== null && child !== undefined) made.append(child);
  return made;
}

/** Another id at every call, for labels. */
export function id(stem: string): string {
  counter += 1;
  return `${stem}-${counter}`;
}
let counter = 0;

/** Puts other children into an element. */
export function fill(parent: Element, ...children: Child[]): void {
  parent.replaceChildren(...children.filter((child): child is Node | string => child != null));
}
