// The figures of five papers: what was published, and what is measured on request.

import type { Figure, Paper } from "../../answers.ts";
import { Refused } from "../../api.ts";
import { written } from "../../state.ts";
import { el, fill } from "../../ui/dom.ts";
import { grid } from "../../ui/grid.ts";
import { FigureView } from "./figure.ts";
import { view, type App } from "../view.ts";
import "../views.css";

/** So many figures of a paper are named as those to begin with. */
const FIRST = 3;

class Papers {
  private readonly nav = el("nav", { "aria-label": "Papers and figures" });
  private readonly page = el("div", { class: "page" });
  private papers: Paper[] = [];
  private shown: FigureView | undefined;
  private name = "";

  constructor(
    private readonly app: App,
    private readonly jobs: Map<string, string>,
  ) {}

  async build(root: HTMLElement): Promise<void> {
    root.append(el("div", { class: "papers" }, this.nav, this.page));
    fill(this.page, el("p", { class: "hint" }, "Reading the list of papers…"));
    try {
      const { papers } = await this.app.api.get<{ papers: Paper[] }>("/api/papers");
      this.papers = papers;
      const chosen = this.app.state.own["figure"];
      this.nav.append(...papers.map((paper, at) => this.entry(paper, opens(paper, at, chosen))));
      this.update();
    } catch (error) {
      fill(this.page, el("p", { class: "refusal", role: "alert" }, error instanceof Refused ? error.message : String(error)));
    }
  }

  update(): void {
    const name = this.app.state.own["figure"] ?? "";
    for (const link of this.nav.querySelectorAll("a")) {
      if (link.dataset["figure"] === name) this.mark(link);
      else link.removeAttribute("aria-current");
    }
    if (!this.papers.length || (name === this.name && this.page.dataset["ready"])) return;
    this.name = name;
    this.page.dataset["ready"] = "yes";
    this.shown?.end();
    this.shown = undefined;
    const paper = this.papers.find((one) => one.figures.some((figure) => figure.id === name));
    const figure = paper?.figures.find((one) => one.id === name);
    if (figure && narrow()) for (const one of this.nav.querySelectorAll("details")) one.open = false;
    if (paper && figure) {
      this.shown = new FigureView(this.app, paper, figure, this.jobs);
      fill(this.page, this.shown.element);
    } else {
      fill(this.page, ...this.introduction(name));
    }
  }

  private mark(link: HTMLElement): void {
    link.setAttribute("aria-current", "true");
    const list = link.closest("details");
    if (list && !narrow()) list.open = true;
  }

  end(): void {
    this.shown?.end();
  }

  private introduction(name: string): HTMLElement[] {
    const unknown = name ? el("p", { class: "refusal", role: "alert" }, `There is no figure ${name}; choose one of the list.`) : null;
    const words = el("p", {}, "Every figure and table of five papers on how a connection starts, published and simulated values on the same path. Short experiments run when they are opened; each setup opens in the explore view.");
    return [unknown, words, ...this.papers.map((paper) => this.summary(paper))].filter((one) => one !== null);
  }

  private summary(paper: Paper): HTMLElement {
    const { figures, assumptions } = paper;
    const values = figures.reduce((sum, one) => sum + one.published.length, 0);
    const quick = figures.filter((one) => one.quick && one.published.length);
    const first = quick.slice(0, FIRST).map((one) => el("li", {}, this.link(one)));
    const assumed = el("details", {}, el("summary", {}, "What it leaves open, and what is assumed"), grid(assumptions));
    return el("section", { class: "paper" },
      el("h2", {}, paper.title),
      el("p", { class: "hint" }, paper.source),
      el("p", {}, `${figures.length} figures, tables and studies with ${values} published values; ${quick.length} take some seconds. To begin with:`),
      el("ul", {}, ...first),
      assumptions.rows.length ? assumed : null,
    );
  }

  private entry(paper: Paper, open: boolean): HTMLElement {
    const list = el("ul", {}, ...paper.figures.map((figure) => el("li", {}, this.link(figure))));
    return el("details", { open }, el("summary", {}, paper.title, el("small", {}, paper.source)), list);
  }

  private link(figure: Figure): HTMLElement {
    const state = { ...this.app.state, own: { figure: figure.id } };
    const count = figure.published.length;
    const published = count ? `${count} published ${count === 1 ? "value" : "values"}` : "nothing published";
    const link = el("a", { href: `#${written(state)}` }, `${figure.figure} · ${figure.id}`, el("small", {}, figure.question), el("small", {}, `${published}${figure.quick ? ", quick to run" : ""}`));
    link.dataset["figure"] = figure.id;
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.app.go({ own: { figure: figure.id } }, "push");
    });
    return link;
  }
}

/** Whether a paper's list is open: that of the chosen figure, or the first. */
function opens(paper: Paper, at: number, chosen: string | undefined): boolean {
  return chosen ? paper.figures.some((one) => one.id === chosen) : at === 0 && !narrow();
}

/** In a narrow window the list is above the figure, and folds away from it. */
function narrow(): boolean {
  return matchMedia("(max-width: 760px)").matches;
}

/** The jobs of figures that were run, which are looked at again when a person comes back. */
const jobs = new Map<string, string>();
export const papers = view("papers", "Papers", (app) => new Papers(app, jobs));
