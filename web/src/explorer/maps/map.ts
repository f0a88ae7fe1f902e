// Which startup is first where: over rate and round trip with all else as in the state, or in a sweep's folder.

import { view, type App } from "../view.ts";
import { el, fill, id } from "../../ui/dom.ts";
import { FolderView } from "./folder.ts";
import { PlaneView } from "./plane_view.ts";
import "../views.css";

/** What shows a map, of whichever kind. */
export interface Shown {
  readonly element: HTMLElement;
  update(): void;
  end(): void;
}

class MapView {
  private readonly root = el("div", { class: "map-root" });
  private readonly source = el("select", { id: id("source") });
  private shown: Shown | undefined;
  private number = "";

  constructor(private readonly app: App) {
    const { maps } = app.about;
    this.source.append(
      new Option("this path, over rate and round trip", ""),
      ...maps.map((name, at) => new Option(`the sweep in ${name}`, String(at))),
    );
    this.source.addEventListener("change", () => {
      app.go({ own: this.source.value ? { map: this.source.value } : {} }, "push");
    });
  }

  build(root: HTMLElement): void {
    const label = el("label", { for: this.source.id }, "Map of ");
    const bar = el("p", { class: "source" }, label, this.source);
    bar.hidden = this.app.about.maps.length === 0;
    root.append(bar, this.root);
    this.update();
  }

  update(): void {
    const wanted = this.app.state.own["map"] ?? "";
    const number = Number(wanted) < this.app.about.maps.length ? wanted : "";
    if (!this.shown || number !== this.number) {
      this.shown?.end();
      this.number = number;
      this.source.value = number;
      this.shown = number ? new FolderView(this.app, Number(number)) : new PlaneView(this.app);
      fill(this.root, this.shown.element);
    }
    this.shown.update();
  }

  end(): void {
    this.shown?.end();
  }
}

export const map = view("map", "Map", (app) => new MapView(app));
