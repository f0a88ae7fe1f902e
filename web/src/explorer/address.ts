// Writes the URL. Browsers refuse more than some tens of changes in ten seconds, and a slider makes
// more: replacements wait until nothing has come for a moment.

const PAUSE_MS = 250;

export class Address {
  private waiting: string | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    addEventListener("pagehide", () => this.flush());
  }

  /** Makes an entry in the browser's history, unless the URL is that already. */
  push(hash: string): void {
    this.flush();
    if (hash !== location.hash) history.pushState(null, "", hash);
  }

  /** Changes the newest entry, soon. */
  replace(hash: string): void {
    this.waiting = hash;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), PAUSE_MS);
  }

  /** The browser has gone elsewhere. */
  forget(): void {
    this.waiting = undefined;
  }

  private flush(): void {
    clearTimeout(this.timer);
    if (this.waiting !== undefined) history.replaceState(null, "", this.waiting);
    this.waiting = undefined;
  }
}
