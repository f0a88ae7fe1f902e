// The first round trips slowly: play, pause, step and a scrubber over single packets of one flow.

import { aborted } from "../../api.ts";
import type { Look } from "../../charts/colours.ts";
import type { Given, PacketsAnswer, PacketsRequest } from "../../protocol.ts";
import { el, fill, id } from "../../ui/dom.ts";
import { seconds } from "../../ui/text.ts";
import { counts, moments } from "./packets.ts";
import { Scene } from "./scene.ts";
import type { App } from "../view.ts";

/** Seconds that a round trip takes on the screen. */
const SPEEDS = [2, 5, 10, 20, 60];
const USUAL_SPEED = 5;
const MOST = 2000;
/** Positions of the scrubber. */
const FINE = 2000;
/** Where motion is not wanted, so many pictures a round trip, one each second. */
const STILLS = 12;

export interface Watched {
  /** Another startup's packets are to be shown; null closes. */
  choose(startup: string | null): void;
  /** The time that is shown has moved. */
  point(at_s: number): void;
}

export class Player {
  readonly element = el("section", { class: "play", "aria-label": "Packets on the path", hidden: true });
  private readonly scene = new Scene();
  private readonly words = el("p", { class: "now" });
  private readonly startup = el("select", { id: id("startup") });
  private readonly speed = el("select", { id: id("speed") });
  private readonly toggle = el("button", { type: "button" }, "Play");
  private readonly scrubber = el("input", { type: "range", min: 0, max: FINE, value: 0, "aria-label": "Time" });
  private readonly still = matchMedia("(prefers-reduced-motion: reduce)");
  private all: PacketsAnswer | undefined;
  private times: number[] = [];
  private look: Look | undefined;
  private now_s = 0;
  private running: number | undefined;
  private request: AbortController | undefined;

  constructor(
    private readonly app: App,
    private readonly watched: Watched,
  ) {
    for (const time of SPEEDS) this.speed.append(new Option(`${time} s per RTT`, String(time)));
    this.speed.value = String(USUAL_SPEED);
    this.startup.addEventListener("change", () => watched.choose(this.startup.value));
    this.toggle.addEventListener("click", () => (this.running === undefined ? this.run() : this.stop()));
    this.scrubber.addEventListener("input", () => {
      this.stop();
      this.at((Number(this.scrubber.value) / FINE) * this.end_s);
    });
    new ResizeObserver(() => this.draw()).observe(this.scene.canvas);
    this.element.append(this.bar(), this.scene.canvas, this.scrubber, this.words);
  }

  /** Shows a startup's packets; null closes. */
  open(given: Given, startup: string | null, looks: ReadonlyMap<string, Look>): void {
    this.element.hidden = startup === null;
    this.request?.abort();
    this.stop();
    if (startup === null) return;
    const names = given.startup ?? [];
    fill(this.startup, ...names.map((name) => new Option(name, name)));
    this.startup.value = startup;
    this.look = looks.get(startup);
    void this.load({ given, startup, most: MOST });
  }

  /** The colours have changed. */
  recolour(looks: ReadonlyMap<string, Look>): void {
    this.look = looks.get(this.startup.value);
    this.draw();
  }

  stop(): void {
    if (this.running !== undefined) cancelAnimationFrame(this.running);
    this.running = undefined;
    this.toggle.textContent = "Play";
  }

  private bar(): HTMLElement {
    const step = (label: string, name: string, by: 1 | -1): HTMLElement => {
      const made = el("button", { type: "button", "aria-label": name, title: name }, label);
      made.addEventListener("click", () => this.step(by));
      return made;
    };
    const close = el("button", { type: "button" }, "Close");
    close.addEventListener("click", () => this.watched.choose(null));
    const key = "■ data, ▲ retransmission, ○ ACK, ◆ SYN, × dropped";
    return el(
      "div",
      { class: "bar" },
      this.toggle,
      step("◂", "Step back", -1),
      step("▸", "Step", 1),
      el("label", { for: this.startup.id }, "Startup"),
      this.startup,
      el("label", { for: this.speed.id }, "Speed"),
      this.speed,
      el("span", { class: "key" }, key),
      close,
    );
  }

  private async load(body: PacketsRequest): Promise<void> {
    const control = new AbortController();
    this.request = control;
    try {
      this.all = await this.app.api.post<PacketsAnswer>("/api/packets", body, control.signal);
    } catch (error) {
      if (!aborted(error)) this.words.textContent = error instanceof Error ? error.message : "";
      return;
    }
    this.times = moments(this.all);
    this.at(Math.min(this.now_s, this.end_s));
  }

  private get end_s(): number {
    return this.times.at(-1) ?? 0;
  }

  private at(time_s: number): void {
    this.now_s = Math.min(this.end_s, Math.max(0, time_s));
    this.scrubber.value = String(this.end_s ? (FINE * this.now_s) / this.end_s : 0);
    this.scrubber.setAttribute("aria-valuetext", seconds(this.now_s));
    this.draw();
    this.watched.point(this.now_s);
  }

  private draw(): void {
    if (!this.all || !this.look || this.element.hidden) return;
    this.scene.draw(this.all, this.now_s, this.look, this.app.dark);
    this.words.textContent = sentence(this.all, this.now_s);
  }

  /** To the next time, or the last, at which anything happens to a packet. */
  private step(by: 1 | -1): void {
    this.stop();
    const next =
      by > 0
        ? this.times.find((time) => time > this.now_s + 1e-9)
        : this.times.findLast((time) => time < this.now_s - 1e-9);
    this.at(next ?? (by > 0 ? this.end_s : 0));
    if (this.all) this.app.say(sentence(this.all, this.now_s));
  }

  private run(): void {
    if (!this.all) return;
    if (this.now_s >= this.end_s) this.at(0);
    this.toggle.textContent = "Pause";
    let last = performance.now();
    const turn = (now: number): void => {
      const passed = (now - last) / 1000;
      if (this.still.matches ? passed >= 1 : passed > 0) {
        last = now;
        this.at(this.now_s + this.ahead(passed));
      }
      if (this.now_s >= this.end_s) this.stop();
      else this.running = requestAnimationFrame(turn);
    };
    this.running = requestAnimationFrame(turn);
  }

  /** How far the time advances; at most a tenth of a second's worth after the page was hidden. */
  private ahead(passed_s: number): number {
    const rtt_s = this.all?.rtt_s ?? 1;
    if (this.still.matches) return rtt_s / STILLS;
    return (Math.min(passed_s, 0.1) * rtt_s) / Number(this.speed.value);
  }
}

function sentence(all: PacketsAnswer, now_s: number): string {
  const found = counts(all, now_s);
  const cut = all.cut ? ` The first ${all.kind.length} packets are shown.` : "";
  return (
    `${seconds(now_s)}: data before the queue ${found.before}, in it ${found.queue}, behind it ${found.behind}; ` +
    `ACKs on the reverse path ${found.acks}; sent so far ${found.sent}, of which retransmitted ` +
    `${found.retransmitted}; dropped ${found.dropped}.${cut}`
  );
}
