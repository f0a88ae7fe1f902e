// One figure of a paper: what was published until it is run, then the figure, its set-ups, and
// published next to measured.

import type { Figure, Measured, Paper, Published, Setup } from "../../answers.ts";
import { download } from "../../charts/export.ts";
import type { Grid } from "../../protocol.ts";
import { el, fill } from "../../ui/dom.ts";
import { grid } from "../../ui/grid.ts";
import { Following } from "../following.ts";
import type { App } from "../view.ts";

export class FigureView {
  readonly element = el("article");
  private readonly following: Following<{ figure: Measured }>;
  private readonly run = el("button", { type: "button" }, "Run it");
  /** What was published, and once it was run what is measured. */
  private readonly result = el("div");
  /** Begun because the figure was opened: it ends when the figure is left. */
  private unasked = false;

  constructor(
    private readonly app: App,
    paper: Paper,
    private readonly figure: Figure,
    private readonly jobs: Map<string, string>,
  ) {
    this.following = new Following(app.api, {
      found: (found) => this.show(found.figure),
      ended: (job) => this.over(job.state === "done"),
    });
    this.run.addEventListener("click", () => {
      this.unasked = false;
      void this.start();
    });
    const long = "It takes seconds to minutes, and can be cancelled; runs are kept, so that a second time is instant.";
    const runs = figure.quick ? null : el("span", { class: "hint" }, long);
    this.element.append(
      el("h2", {}, `${figure.figure} of “${paper.title}”`),
      el("p", { class: "hint" }, paper.source),
      el("p", {}, figure.question),
      el("p", {}, this.run, " ", runs),
      this.following.element,
      this.result,
    );
    fill(this.result, ...this.published());
    const job = jobs.get(figure.id);
    if (job) this.follow(job);
    else if (figure.quick) {
      this.unasked = true;
      void this.start();
    }
  }

  end(): void {
    this.following.stop();
    if (!this.unasked) return;
    this.following.cancel();
    this.jobs.delete(this.figure.id);
  }

  private follow(job: string): void {
    this.run.disabled = true;
    this.following.follow(job);
  }

  private over(done: boolean): void {
    this.unasked = false;
    this.run.disabled = false;
    this.run.textContent = done ? "Run it again" : "Run it";
  }

  private published(): Node[] {
    const { published } = this.figure;
    if (!published.length) return [el("p", {}, "The paper published no value here: a study of what it leaves open.")];
    return [el("h2", {}, "Published"), grid(publishedGrid(published))];
  }

  private async start(): Promise<void> {
    this.run.disabled = true;
    fill(this.result, ...this.published());
    const job = await this.following.start("/api/papers/run", { id: this.figure.id });
    if (job) this.jobs.set(this.figure.id, job);
    else this.over(false);
  }

  private show(found: Measured): void {
    const answers = el("ul", { class: "verdict" }, ...found.answers.map((words) => el("li", {}, words)));
    const misses = found.misses.rows.length ? [el("h3", {}, "Why values are missed"), grid(found.misses)] : [];
    fill(
      this.result,
      ...found.pictures.map(picture),
      answers,
      found.readings ? el("p", {}, found.readings) : null,
      ...this.setups(found),
      ...(found.targets ? [el("h2", {}, "Published and simulated"), grid(found.targets)] : []),
      ...misses,
      ...found.tables.map(table),
      el("h3", {}, "Again"),
      el("code", {}, found.command),
    );
    this.app.say(found.answers.join(" "));
  }

  private setups(found: Measured): Node[] {
    const more = found.total_setups - found.setups.length;
    const rest = more > 0 ? el("p", { class: "hint" }, `and ${more} more, which the command runs too`) : null;
    const list = el("ol", { class: "setups" }, ...found.setups.map((one) => this.setup(one)));
    return [el("h2", {}, "Its set-ups"), list, ...(rest ? [rest] : [])];
  }

  private setup(one: Setup): HTMLElement {
    const { given } = one;
    const file = el("button", { type: "button" }, "Scenario file");
    file.addEventListener("click", () => download("scenario.toml", new Blob([one.scenario], { type: "application/toml" })));
    const open = el("button", { type: "button" }, "Open in Explore");
    open.addEventListener("click", () => given && this.app.go({ view: "explore", given, own: watched(one) }, "push"));
    open.hidden = !given;
    const note = one.note ?? (one.why ? `Does not open in the explore view. ${one.why}` : "");
    return el("li", {}, one.words, " ", open, " ", file, el("small", {}, one.startups.join(", ")), note ? el("small", {}, note) : null);
  }
}

/** Published values, those of one kind under a heading, as the table of measured ones has them. */
function publishedGrid(published: readonly Published[]): Grid {
  const columns = ["target", "class", "expected", "tolerance"].map((title) => ({ title, number: false }));
  const groups: Record<string, string> = {};
  let above = "";
  for (const [at, one] of published.entries()) {
    const heading = `${one.figure}: ${one.what}${one.unit && `, ${one.unit}`}`;
    if (heading !== above) groups[at] = above = heading;
  }
  const rows = published.map((one) => [one.id, one.class === "printed" ? "" : one.class, one.expected, one.tolerance]);
  return { title: "", columns, rows, groups, marked: [] };
}

/** The time that the figure's flow is watched, as the explore view keeps it. */
function watched({ until_s }: Setup): Record<string, string> {
  return until_s === null ? {} : { from: "0", to: String(until_s) };
}

function picture(one: Measured["pictures"][number]): HTMLElement {
  const image = el("img", { alt: one.caption, src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(one.svg)}` });
  return el("figure", {}, image, el("figcaption", {}, one.caption));
}

function table(one: Measured["tables"][number]): HTMLElement {
  const cut = one.total > one.rows.length ? el("p", { class: "hint" }, `The first ${one.rows.length} of ${one.total} rows; -o DIR of the command writes all.`) : null;
  return el("details", {}, el("summary", {}, one.title), cut, grid({ ...one, title: "" }));
}
