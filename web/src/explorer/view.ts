// What the parts of the page know of each other: a view fills the page below its head, and the app
// keeps what all views share.

import type { Backend } from "../api.ts";
import type { About } from "../protocol.ts";
import type { State } from "../state.ts";

export interface App {
  readonly about: About;
  readonly api: Backend;
  /** What is looked at: it equals the URL. */
  readonly state: State;
  /**
   * Changes the state and with it the URL; the view that is shown is notified by `update`. With "push"
   * the browser's back button returns to the state before, with "replace" it does not.
   */
  go(change: Partial<State>, entry: "push" | "replace"): void;
  /** Gives a sentence to screen readers, once nothing else is being read. */
  say(words: string): void;
  /** Whether the page is dark at present; `update` is called when that changes. */
  readonly dark: boolean;
}

export interface View {
  /** The word in the URL: `#map?…`. */
  name: string;
  /** The title of the tab. */
  title: string;
  /** What answers it: a server, the page itself, or either. */
  answered: Answered;
  /** Fills an empty element; called every time the view is chosen. */
  show(root: HTMLElement, app: App): void;
  /** The state or the theme has changed while the view is shown. */
  update(): void;
  /** Another view is chosen: ends requests and timers. The element is emptied afterwards. */
  hide(): void;
}

export type Answered = "server" | "page" | "either";

/** What a view is while it is shown. */
interface Shown {
  build(root: HTMLElement): void;
  update(): void;
  end(): void;
}

/** A view that is made anew every time it is chosen. */
export function view(
  name: string,
  title: string,
  make: (app: App) => Shown,
  answered: Answered = "server",
): View {
  let current: Shown | undefined;
  return {
    name,
    title,
    answered,
    show(root, app) {
      current = make(app);
      current.build(root);
    },
    update() {
      current?.update();
    },
    hide() {
      current?.end();
      current = undefined;
    },
  };
}
