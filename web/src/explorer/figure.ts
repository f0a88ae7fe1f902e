// One figure of a paper: published values, then measured ones beside them, and its set-ups.

import type { Figure, Measured, Paper, Setup } from "../answers.ts";
import { download } from "../charts/export.ts";
import { el, fill } from "../ui/dom.ts";
import { grid } from "../ui/grid.ts";
import { Following } from "./following.ts";
import type { App } from "./view.ts";

export class FigureView {
  readonly element = el("article");
  private readonly following: Following<{ figure: Measured }>;
  private readonly run = el("button", { type: "button" }, "Run it");
  private readonly result = el("div");

  constructor(
    private readonly app: App,
    paper: Paper,
    private readonly figure: Figure,
    private readonly jobs: Map<string, string>,
  ) {
    this.following = new Following(app.api, {
      found: (found) => this.show(found.figure),
      ended: () => {
        this.run.disabled = false;
      },
    });
    this.run.addEventListener("click", () => void this.start());
    const how = figure.quick ? "some seconds" : "seconds to minutes, and can be cancelled";
    const runs = `It takes ${how}; runs are kept, so that a second time is instant.`;
    this.element.append(
      el("h2", {}, `${figure.figure} of “${paper.title}”`),
      el("p", { class: "hint" }, paper.source),
      el("p", {}, figure.question),
      ...this.published(),
      el("p", {}, this.run, " ", el("span", { class: "hint" }, runs)),
      this.following.element,
      this.result,
    );
    const job = jobs.get(figure.id);
    if (job) this.following.follow(job);
  }

  end(): void {
    this.following.stop();
  }

  private published(): Node[] {
    const { published } = this.figure;
    if (!published.length) return [el("p", {}, "The paper published no value here: a study of what it leaves open.")];
    const columns = ["what", "published", "unit", "tolerance", "class"].map((title) => ({ title, number: false }));
    const rows = published.map((one) => [one.what, one.expected, one.unit, one.tolerance, one.class]);
    return [grid({ title: "Published", columns, rows, groups: {}, marked: [] })];
  }

  private async start(): Promise<void> {
    this.run.disabled = true;
    fill(this.result);
    const job = await this.following.start("/api/papers/run", { id: this.figure.id });
    if (job) this.jobs.set(this.figure.id, job);
    else this.run.disabled = false;
  }

  private show(found: Measured): void {
    const answers = el("ul", { class: "verdict" }, ...found.answers.map((words) => el("li", {}, words)));
    const misses = found.misses.rows.length ? [el("h3", {}, "Why values are missed"), grid(found.misses)] : [];
    fill(
      this.result,
      ...(found.targets ? [el("h2", {}, "Published beside measured"), grid(found.targets)] : []),
      answers,
      found.readings ? el("p", {}, found.readings) : null,
      ...found.pictures.map(picture),
      ...misses,
      ...this.setups(found),
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
