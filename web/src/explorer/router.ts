// Shows the view that the URL names, keeps URL and state equal, and notifies the view of changes.

import { Api, Refused, type Backend } from "../api.ts";
import { local } from "../engine/local.ts";
import type { About } from "../protocol.ts";
import { read, same, written, type State } from "../state.ts";
import { el, fill } from "../ui/dom.ts";
import { Theme } from "../ui/theme.ts";
import { Address } from "./address.ts";
import type { App, View } from "./view.ts";

export class Router implements App {
  state: State;
  private shown: View | undefined;
  private readonly main = el("main", { id: "main", tabindex: -1 });
  private readonly tabs = el("nav", { "aria-label": "Views" });
  private readonly live = el("p", { class: "unseen", role: "status", "aria-live": "polite" });
  private readonly address = new Address();
  private readonly theme = new Theme(() => this.shown?.update());

  constructor(
    readonly about: About,
    readonly api: Backend,
    private readonly views: readonly View[],
  ) {
    this.state = this.fromUrl();
    addEventListener("popstate", () => this.follow());
    addEventListener("hashchange", () => this.follow());
  }

  get dark(): boolean {
    return this.theme.dark;
  }

  /** Builds the page in `root` and shows the view that the URL names; `note` stands at its end. */
  begin(root: HTMLElement, note = ""): void {
    const skip = el("a", { class: "skip", href: "#main" }, "Skip to content");
    skip.addEventListener("click", (event) => {
      event.preventDefault();
      this.main.focus();
    });
    const name = el("h1", {}, "flowstart", el("small", {}, this.about.version));
    fill(root, skip, el("header", {}, name, this.tabs, this.theme.button), this.main, this.live);
    if (note) root.append(el("footer", { class: "hint" }, note));
    history.replaceState(null, "", `#${written(this.state)}`);
    this.display();
  }

  go(change: Partial<State>, entry: "push" | "replace"): void {
    const next = { ...this.state, ...change };
    this.state = next;
    if (entry === "push") this.address.push(`#${written(next)}`);
    else this.address.replace(`#${written(next)}`);
    this.display();
  }

  say(words: string): void {
    this.live.textContent = words;
  }

  private fromUrl(): State {
    const first = this.views[0]?.name ?? "";
    const usual: State = { view: first, given: this.about.first, own: {} };
    const found = read(location.hash, usual);
    return this.views.some((view) => view.name === found.view) ? found : { ...found, view: first };
  }

  private follow(): void {
    this.address.forget();
    const found = this.fromUrl();
    if (same(found, this.state)) return;
    this.state = found;
    this.display();
  }

  private display(): void {
    const view = this.views.find((one) => one.name === this.state.view);
    if (!view) return;
    this.link();
    if (view === this.shown) {
      view.update();
      return;
    }
    this.shown?.hide();
    this.shown = view;
    document.title = `${view.title} – flowstart`;
    this.main.className = view.name;
    fill(this.main);
    view.show(this.main, this);
  }

  /** Every tab leads to its view with the same path and traffic. */
  private link(): void {
    if (!this.tabs.childElementCount) this.tabs.append(...this.views.map((view) => this.tab(view)));
    for (const [at, view] of this.views.entries()) {
      const tab = this.tabs.children[at] as HTMLAnchorElement;
      tab.href = `#${written(this.target(view))}`;
      if (view.name === this.state.view) tab.setAttribute("aria-current", "page");
      else tab.removeAttribute("aria-current");
    }
  }

  private target(view: View): State {
    if (view.name === this.state.view) return this.state;
    return { view: view.name, given: this.state.given, own: {} };
  }

  private tab(view: View): HTMLElement {
    const tab = el("a", {}, view.title);
    tab.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.go(this.target(view), "push");
    });
    return tab;
  }
}

const ALONE =
  "Simulated in this browser; nothing is sent. `flowstart explore` on your machine adds ranges, " +
  "maps, replays of captures, papers and startups in Python.";

/**
 * Requests the choices and begins; a failure is a sentence on the page. A page that simulates by
 * itself has those views that need no server.
 */
export async function begin(root: HTMLElement, views: readonly View[]): Promise<void> {
  try {
    const alone = local(document);
    const api = alone ?? new Api(new URLSearchParams(location.search).get("token") ?? "");
    const other = alone ? "server" : "page";
    const shown = views.filter((view) => view.answered !== other);
    new Router(await api.get<About>("/api/about"), api, shown).begin(root, alone ? ALONE : "");
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    fill(root, el("p", { class: "refusal", role: "alert" }, error.message));
  }
}
