// One path, one transfer, one startup next to another: controls, panels, values and the table.

import { aborted, Newest, type Framed } from "../../api.ts";
import { looks, type Look } from "../../charts/colours.ts";
import type { Span } from "../../charts/panel.ts";
import { exits } from "../../charts/panels.ts";
import { picture, type LineName, type Picture } from "../../charts/picture.ts";
import { Readout } from "../../charts/readout.ts";
import { Timeline } from "../../charts/timeline.ts";
import type { CompareAnswer, CompareRequest, Given, IntervalsAnswer } from "../../protocol.ts";
import { text, written } from "../../state.ts";
import { el, fill } from "../../ui/dom.ts";
import { quantity, seconds } from "../../ui/text.ts";
import { Actions } from "./actions.ts";
import { Controls } from "../controls.ts";
import { measured } from "../measured.ts";
import { Player } from "./play.ts";
import { Results } from "./results.ts";
import { view, type App } from "../view.ts";

/** How long a state has to stand still before what takes longer is asked for. */
const STILL_MS = 400;
/** How long an answer may take before the page shows that it simulates. */
const SLOW_MS = 200;
/** Keys that are held down move a slider again within this time: that is one step of the history. */
const PAUSE_MS = 600;

interface Question {
  body: CompareRequest;
  /** What is looked at; null for all of the time. */
  span: Span | null;
  /** When a person did what led to it. */
  since: number;
}

type Answer = Framed<CompareAnswer>;

class Explore {
  private readonly timeline: Timeline;
  private readonly controls: Controls;
  private readonly readout = new Readout((lit) => this.timeline.highlight(lit));
  private readonly results = new Results((lit) => this.timeline.highlight(lit));
  private readonly actions: Actions;
  private readonly headline = el("p", { class: "headline" });
  private readonly busy = el("progress", { "aria-label": "Simulating", hidden: true });
  private readonly notes = el("ul", { class: "warnings" });
  private readonly legend = el("p", { class: "legend" });
  private readonly verdict = el("ul", { class: "verdict" });
  private readonly player: Player;
  private readonly play = el("button", { type: "button" }, "Play packets");
  private readonly output = el("div", { class: "output" });
  private readonly requests: Newest<Question, Answer>;
  private readonly slow: Newest<Given, IntervalsAnswer>;
  private still: ReturnType<typeof setTimeout> | undefined;
  private slowly: ReturnType<typeof setTimeout> | undefined;
  private asked = "";
  /** When something was drawn last, or the wait for it began to show. */
  private drawn = 0;
  /** What the packets that are shown are of. */
  private played: string | null = null;
  private touched = 0;
  private dragging = false;
  /** When a slider last moved. */
  private moved = -Infinity;
  private answer: CompareAnswer | undefined;
  /** Intervals and what they are of: zooming and other colours do not change them. */
  private sure: { of: string; answer: IntervalsAnswer } | undefined;
  private shown: { picture: Picture; looks: Map<string, Look> } | undefined;

  constructor(private readonly app: App) {
    this.timeline = new Timeline({
      zoom: (span) => this.zoom(span),
      point: (at_s, spoken) => this.point(at_s, spoken),
    });
    this.controls = new Controls(app.about, (given, how) => this.change(given, how));
    this.actions = new Actions(this.timeline.panels, (words) => app.say(words));
    this.requests = new Newest(
      (question, signal) =>
        app.api.frame<CompareAnswer>("/api/compare", question.body, signal, (share, soFar) => {
          void this.fill(question, share, soFar);
        }),
      (answer, question) => this.take(answer, question),
      (error) => this.fail(error),
    );
    this.slow = new Newest(
      (given, signal) => app.api.post<IntervalsAnswer>("/api/intervals", { given }, signal),
      (answer, given) => {
        this.sure = { of: key(given), answer };
        this.tables(given);
      },
      () => undefined,
    );
    this.player = new Player(app, {
      choose: (startup) => this.playing(startup),
      point: (at_s) => this.timeline.point(at_s),
    });
    this.play.addEventListener("click", () => {
      this.playing(app.state.own["play"] ? null : (app.state.given.startup?.[0] ?? null));
    });
  }

  build(root: HTMLElement): void {
    const help = "Drag in a panel, or pinch, to zoom; double click to show all. Keys in a panel: ← → move the cursor, + − zoom, Page Up and Page Down move the part that is shown, Escape shows all.";
    const bar = el("div", { class: "bar" }, this.play, this.timeline.buttons.element, this.actions.element);
    const table = el("div", { class: "table" }, this.results.element, this.legend, this.verdict);
    const hint = el("p", { class: "hint" }, help);
    const { player, timeline, readout } = this;
    this.output.append(this.headline, this.busy, bar, this.notes, player.element, timeline.element, hint, readout.element, table);
    root.append(this.controls.element, this.output);
    this.timeline.fit();
    this.update();
  }

  /** Asks for what the state says, unless it was asked for. */
  update(): void {
    const { state } = this.app;
    const looked = looks(state.given.startup ?? [], this.app.dark);
    this.controls.set(state.given, looked);
    const span = spanOf(state.own);
    this.recolour(looked);
    this.show(looked);
    const asked = question(state.given, span);
    if (asked === this.asked) return;
    this.asked = asked;
    const body = { given: state.given, columns: this.timeline.columns, ...this.asking(span) };
    this.requests.ask({ body, span, since: this.touched || performance.now() });
    this.slowly ??= setTimeout(() => {
      this.busy.hidden = false;
      this.drawn = performance.now();
    }, SLOW_MS);
    this.touched = 0;
    this.slow.cancel();
    clearTimeout(this.still);
  }

  end(): void {
    this.landed();
    this.player.stop();
    this.requests.cancel();
    this.slow.cancel();
    clearTimeout(this.still);
  }

  /** The delivery rate at the left edge needs the round trip before it. */
  private asking(span: Span | null): Partial<Span> {
    if (!span) return {};
    const path = this.app.about.paths.find((one) => one.name === this.app.state.given["path"]);
    const rtt = text(this.app.state.given, "rtt") || (path?.given["rtt"] ?? "");
    const before_s = Math.min(quantity(rtt)?.value ?? 0, span.to_s - span.from_s);
    return { from_s: Math.max(0, span.from_s - before_s), to_s: span.to_s };
  }

  /** The first step of a slider makes an entry in the history, and the others replace it. */
  private change(given: Given, how: "drag" | "done"): void {
    this.touched = performance.now();
    const own = without(this.app.state.own, "from", "to");
    const on = this.dragging || (how === "drag" && this.touched - this.moved < PAUSE_MS);
    if (how === "drag") this.moved = this.touched;
    this.app.go({ given, own }, on ? "replace" : "push");
    this.dragging = how === "drag";
  }

  /** Nothing is simulated any more. */
  private landed(): void {
    clearTimeout(this.slowly);
    this.slowly = undefined;
    this.busy.hidden = true;
    this.busy.removeAttribute("value");
  }

  private take(answer: Answer, question: Question): void {
    if (!this.requests.busy) this.landed();
    const given = this.draw(answer, question);
    measured(question.since);
    this.still = setTimeout(() => this.rest(given), STILL_MS);
  }

  /** Shows how much of an answer that takes long is there, and now and then what there is. */
  private async fill(question: Question, share: number, soFar: () => Promise<Answer>): Promise<void> {
    if (this.busy.hidden) return;
    this.busy.value = share;
    if (share === 1 || performance.now() - this.drawn < SLOW_MS) return;
    this.drawn = performance.now();
    try {
      this.draw(await soFar(), question);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Shows an answer; what it is of. */
  private draw({ head, tail }: Answer, { body, span }: Question): Given {
    this.drawn = performance.now();
    this.answer = head;
    const shown = picture(head, tail, span);
    const given = this.spelled(body.given, head.startups, span);
    const looked = looks(head.startups, this.app.dark);
    this.shown = { picture: shown, looks: looked };
    this.output.classList.remove("stale");
    this.controls.refuse(null);
    this.headline.textContent = head.headline;
    fill(this.notes, ...head.warnings.map((words) => el("li", {}, words)));
    this.tables(given);
    this.readout.show(shown, looked, null);
    // Text in a canvas has the browser lay out the page: once, after all else has changed.
    this.timeline.show(shown, spanOfPicture(shown), looked, this.app.dark);
    const { headline, command, scenario } = head;
    const { dark } = this.app;
    const exported = { headline, picture: shown, span: spanOfPicture(shown), looks: looked, dark };
    this.actions.set({ command, scenario, shown: exported });
    clearTimeout(this.still);
    return given;
  }

  /**
   * What was asked with its startups by name: a link may say `all`, or none. The state follows, and
   * is not asked again.
   */
  private spelled(given: Given, startups: string[], span: Span | null): Given {
    if (startups.join() === given.startup?.join()) return given;
    const named = { ...given, startup: startups };
    if (this.asked === question(given, span)) {
      this.asked = question(named, span);
      this.app.go({ given: named }, "replace");
    }
    return named;
  }

  /** The state is constant: there is time for words and for intervals. */
  private rest(given: Given): void {
    this.timeline.describe();
    if (this.app.state.own["play"]) this.show(looks(given.startup ?? [], this.app.dark));
    if (this.answer) this.app.say(summary(this.answer));
    if (this.sure?.of !== key(given)) this.slow.ask(given);
  }

  /** The table, with intervals where they are there, and what they make of it. */
  private tables(given: Given): void {
    const { answer, shown, sure } = this;
    if (!answer || !shown) return;
    const found = sure?.of === key(given) ? sure.answer : undefined;
    const marks = exits(shown.picture);
    const rows = (given.startup ?? []).map((startup) => ({
      startup,
      look: shown.looks.get(startup),
      exit: marks.find((one) => one.trace.startup === startup)?.number,
    }));
    this.results.show(found?.table ?? answer.table, rows);
    this.legend.textContent = found?.legend ?? answer.legend;
    fill(this.verdict, ...(found?.verdict ?? []).map((words) => el("li", {}, words)));
  }

  private fail(error: unknown): void {
    if (aborted(error)) return;
    this.landed();
    this.controls.refuse(error instanceof Error ? error.message : String(error));
    this.output.classList.add("stale");
  }

  private recolour(looked: Map<string, Look>): void {
    const { shown, answer } = this;
    const before = shown && JSON.stringify([...shown.looks]);
    const names = shown?.picture.traces.every((trace) => looked.has(trace.startup));
    if (!shown || !answer || !names || before === JSON.stringify([...looked])) return;
    this.shown = { ...shown, looks: looked };
    this.timeline.show(shown.picture, spanOfPicture(shown.picture), looked, this.app.dark);
    this.player.recolour(looked);
    this.readout.forget();
    this.readout.show(shown.picture, looked, null);
    this.tables(this.app.state.given);
  }

  private playing(startup: string | null): void {
    const rest = without(this.app.state.own, "play");
    if (!startup) this.play.focus();
    this.app.go({ own: startup ? { ...rest, play: startup } : rest }, "push");
  }

  /** Opens, closes or renews the packets, once the state has stood still. */
  private show(looked: Map<string, Look>): void {
    const { given, own } = this.app.state;
    const wanted = own["play"] && looked.has(own["play"]) ? own["play"] : null;
    this.play.setAttribute("aria-expanded", String(wanted !== null));
    const played = wanted && written({ view: wanted, given, own: {} });
    if (played === this.played || (wanted && this.dragging)) return;
    this.played = played;
    this.player.open(given, wanted, looked);
  }

  private zoom(span: Span | null): void {
    this.touched = performance.now();
    const rest = without(this.app.state.own, "from", "to");
    if (span) this.timeline.stretch(span);
    const own = span ? { ...rest, from: digits(span.from_s), to: digits(span.to_s) } : rest;
    this.app.go({ own }, "push");
  }

  private point(at_s: number | null, spoken: LineName | null): void {
    this.readout.point(at_s);
    if (spoken && at_s !== null) this.app.say(this.readout.spoken(spoken, at_s));
  }
}

function spanOf(own: Record<string, string>): Span | null {
  const [from_s, to_s] = [Number(own["from"] ?? "0"), Number(own["to"])];
  return to_s > from_s && from_s >= 0 ? { from_s, to_s } : null;
}

/** What lines are of, as a text that can be compared. */
function question(given: Given, span: Span | null): string {
  return written({ view: "", given, own: span ? { from: `${span.from_s}`, to: `${span.to_s}` } : {} });
}

/** What intervals are of, as a text that can be compared. */
function key(given: Given): string {
  return written({ view: "", given, own: {} });
}

function spanOfPicture({ from_s, to_s }: Picture): Span {
  return { from_s, to_s };
}

/** Microseconds are finer than any pixel. */
function digits(value_s: number): string {
  return String(Number(value_s.toFixed(6)));
}

function without(own: Record<string, string>, ...names: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(own).filter(([name]) => !names.includes(name)));
}

/** The table in short, for screen readers. */
function summary(answer: CompareAnswer): string {
  const ends = answer.trajectories.map((one) => `${one.startup} ${seconds(one.end_s)}`);
  return `${answer.headline}. Ends: ${ends.join("; ")}`;
}

export const explore = view("explore", "Explore", (app) => new Explore(app), "either");
