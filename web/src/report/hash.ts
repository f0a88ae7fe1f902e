// What of a report is looked at, as the part of its URL after `#`: `#1.sort=2,down&rows.find=loss`.
// A hash without `=` is the name of a place in the page, and left to the browser.

type Listener = () => void;

export function parsed(hash: string): Map<string, string> {
  const text = hash.replace(/^#/, "");
  return new Map(text.includes("=") ? new URLSearchParams(text) : []);
}

export function written(state: ReadonlyMap<string, string>): string {
  return new URLSearchParams([...state]).toString();
}

export class Hash {
  private state = parsed(location.hash);
  private readonly listeners: Listener[] = [];

  constructor() {
    addEventListener("hashchange", () => {
      this.state = parsed(location.hash);
      this.tell();
    });
  }

  get(name: string): string {
    return this.state.get(name) ?? "";
  }

  /** The values whose names begin with a stem, by the rest of their names. */
  under(stem: string): Map<string, string> {
    const own = [...this.state].filter(([name]) => name.startsWith(stem));
    return new Map(own.map(([name, value]) => [name.slice(stem.length), value]));
  }

  /** Sets values, an empty one to none. While somebody types, the page's history does not grow. */
  set(changes: Record<string, string>, typing = false): void {
    const next = new Map(this.state);
    for (const [name, value] of Object.entries(changes)) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    const text = written(next);
    if (text === written(this.state)) return;
    this.state = next;
    const place = text ? `#${text}` : location.href.replace(/#.*$/, "");
    if (typing) history.replaceState(null, "", place);
    else history.pushState(null, "", place);
    this.tell();
  }

  /** `listener` is called now and after every change. */
  follow(listener: Listener): void {
    this.listeners.push(listener);
    listener();
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}
