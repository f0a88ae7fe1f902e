// What the replay of a capture came to: what to choose, the networks' paths, and transfers.

import type { CaptureReplay, Network, OpenedTransfer, Transfers } from "../../answers.ts";
import { aborted, Newest } from "../../api.ts";
import { el, fill, id } from "../../ui/dom.ts";
import { grid } from "../../ui/grid.ts";
import { ABSENT, bytes, rate, seconds } from "../../ui/text.ts";
import { Changes } from "./changes.ts";
import type { App } from "../view.ts";

const EVERYTHING = "all sizes";
/** So many transfers are answered at once. */
const PAGE = 100;

interface Question {
  job: string;
  class: string;
  network?: string;
  first: number;
}

export class ReplayView {
  readonly element = el("div");
  private readonly sizes = el("select", { id: id("class") });
  private readonly networks = el("select", { id: id("network") });
  private readonly list = el("div");
  private readonly opened = el("div", { "aria-live": "polite" });
  private readonly refusal = el("p", { class: "refusal", role: "alert" });
  private readonly requests: Newest<Question, Transfers>;
  private readonly changes: Changes;

  constructor(
    private readonly app: App,
    private readonly job: string,
    private readonly found: CaptureReplay,
  ) {
    this.requests = new Newest(
      (question, signal) => app.api.post<Transfers>("/api/captures/transfers", question, signal),
      (transfers) => this.show(transfers),
      (error) => this.fail(error),
    );
    this.changes = new Changes(app, found);
    this.element.append(...this.answers(), ...this.paths(), ...this.transfers(), ...this.more());
  }

  /** Shows the transfers of the class and network that the state names. */
  update(): void {
    this.changes.update();
    const { own } = this.app.state;
    const known = (select: HTMLSelectElement, value: string): string =>
      [...select.options].some((one) => one.value === value) ? value : "";
    this.sizes.value = known(this.sizes, own["class"] ?? "") || EVERYTHING;
    this.networks.value = known(this.networks, own["network"] ?? "");
    const first = Math.max(0, Math.floor(Number(own["first"] ?? "0")) || 0);
    const question: Question = { job: this.job, class: this.sizes.value, first };
    this.requests.ask(this.networks.value ? { ...question, network: this.networks.value } : question);
  }

  private answers(): Node[] {
    const { found } = this;
    const verdict = el("div", { class: "recommended" }, el("strong", {}, "What to choose"), items(found.verdict));
    const legend = el("p", { class: "legend" }, found.legend);
    return [
      el("h2", {}, "Replay"),
      el("p", { class: "headline" }, found.headline),
      items([...found.warnings, ...found.failures], "warnings"),
      verdict,
      this.changes.element,
      el("h2", {}, "Completion times"),
      grid(found.times),
      legend,
    ];
  }

  private paths(): Node[] {
    const columns = ["network", "rate there", "back", "RTT", "buffer there", "back", "transfers"];
    const { networks } = this.found;
    const table = {
      title: "",
      columns: columns.map((title, at) => ({ title, number: at > 0 })),
      rows: networks.map(pathCells),
      groups: {},
      marked: [],
    };
    const shown = grid(table, (name, at) => {
      const button = el("button", { type: "button", class: "link" }, name);
      const network = networks[at];
      if (network) button.title = `rate: ${network.rate_method}\nbuffer: ${network.buffer_method}`;
      button.addEventListener("click", () => this.put({ network: name }));
      return button;
    });
    return [el("h2", {}, "Networks and their paths"), shown, el("p", { class: "hint" }, `${this.found.sources} Behind a buffer that is assumed: its minimum and maximum.`)];
  }

  private transfers(): Node[] {
    const { classes, networks } = this.found;
    this.sizes.append(...classes.map((one) => new Option(`${one.size_class} (${one.transfers})`, one.size_class)));
    this.networks.append(new Option("all networks", ""), ...networks.map((one) => new Option(`${one.name} (${one.transfers})`, one.name)));
    this.sizes.addEventListener("change", () => this.put({ class: this.sizes.value }));
    this.networks.addEventListener("change", () => this.put({ network: this.networks.value }));
    const bar = el("div", { class: "options" }, el("label", { for: this.sizes.id }, "Size "), this.sizes, el("label", { for: this.networks.id }, "Network "), this.networks);
    return [el("h2", {}, "Transfers"), bar, this.refusal, this.opened, this.list];
  }

  private more(): Node[] {
    const { further, deployment, limits, command } = this.found;
    const deployed = deployment.map((lines) => el("code", {}, lines.join("\n")));
    for (const code of deployed) code.style.whiteSpace = "pre";
    return [
      ...further.map((one) => grid(one)),
      ...(deployed.length ? [el("h2", {}, "Next"), ...deployed] : []),
      el("h2", {}, "What is not in these numbers"),
      items(limits),
      el("h2", {}, "Again"),
      el("code", {}, command),
    ];
  }

  private put(change: Record<string, string>): void {
    const { first: _, ...own } = this.app.state.own;
    this.app.go({ own: { ...own, ...change } }, "push");
  }

  private show({ total, first, variants, transfers }: Transfers): void {
    this.refusal.textContent = "";
    const columns = ["transfer", "network", "size", ...variants].map((title, at) => ({ title, number: at > 1 }));
    const rows = transfers.map((one) => [`${one.transfer}`, one.network, bytes(one.size_bytes), ...one.fct_s.map(time)]);
    const last = first + transfers.length;
    const title = total ? `Transfers ${first + 1} to ${last} of ${total}: completion times` : "No transfers";
    const table = grid({ title, columns, rows, groups: {}, marked: [] }, (name, at) => {
      const button = el("button", { type: "button", class: "link", "aria-label": `Open transfer ${name}` }, name);
      button.addEventListener("click", () => void this.open(transfers[at]?.transfer ?? 0));
      return button;
    });
    table.classList.add("tall");
    fill(this.list, table, this.pager(first, last, total));
  }

  private pager(first: number, last: number, total: number): HTMLElement {
    const to = (label: string, at: number, possible: boolean): HTMLElement => {
      const button = el("button", { type: "button", disabled: !possible }, label);
      button.addEventListener("click", () => this.app.go({ own: { ...this.app.state.own, first: String(Math.max(0, at)) } }, "push"));
      return button;
    };
    return el("div", { class: "options", hidden: total <= PAGE }, to("Earlier", first - PAGE, first > 0), to("Later", last, last < total));
  }

  private async open(transfer: number): Promise<void> {
    try {
      const found = await this.app.api.post<OpenedTransfer>("/api/captures/transfer", { job: this.job, transfer });
      fill(this.opened, this.transfer(found));
      this.opened.scrollIntoView({ block: "nearest" });
    } catch (error) {
      this.fail(error);
    }
  }

  private transfer(found: OpenedTransfer): HTMLElement {
    const rows = found.variants.map((name, at) => [name, time(found.together_s[at]), time(found.alone_s[at])]);
    const columns = [
      { title: "startup", number: false },
      { title: "with all connections of the path", number: true },
      { title: "its connection alone", number: true },
    ];
    const button = el("button", { type: "button" }, "Open in Explore");
    button.addEventListener("click", () => this.app.go({ view: "explore", given: found.given, own: {} }, "push"));
    const where = `Transfer ${found.transfer} of connection ${found.connection} with ${found.network}: ${bytes(found.size_bytes)}, ${seconds(found.start_s)} after the capture's first`;
    return el("div", { class: "recommended" },
      el("h3", {}, where),
      grid({ title: "", columns, rows, groups: {}, marked: [] }),
      el("p", {}, button),
      el("p", { class: "hint" }, found.words),
    );
  }

  private fail(error: unknown): void {
    if (!aborted(error)) this.refusal.textContent = error instanceof Error ? error.message : String(error);
  }
}

/** A network's row: ≈ marks what is assumed, with the band of buffers behind it. */
function pathCells(one: Network): string[] {
  const about = (field: string, words: string): string => (one.assumed.includes(field) ? `≈ ${words}` : words);
  const buffer = (field: "buffer" | "reverse_buffer"): string => {
    const own = one.path[field] ?? one.path["buffer"] ?? ABSENT;
    const packets = one.bands.map((band) => Number.parseInt(band[field], 10)).filter(Number.isFinite);
    const band = packets.length && one.assumed.includes(field) ? ` (${Math.min(...packets)} … ${Math.max(...packets)})` : "";
    return about(field, own + band);
  };
  return [
    one.name,
    about("rate", rate(one.rates_bps[0])),
    about("reverse_rate", rate(one.rates_bps[1])),
    roundTrip(one.path["rtt"] ?? ABSENT),
    buffer("buffer"),
    buffer("reverse_buffer"),
    String(one.transfers),
  ];
}

function roundTrip(written: string): string {
  const found = /^(\d+)us$/.exec(written);
  return found ? seconds(Number(found[1]) / 1e6) : written;
}

function time(value: number | null | undefined): string {
  return value == null ? ABSENT : seconds(value);
}

function items(words: readonly string[], name = ""): HTMLElement {
  return el("ul", { class: name || undefined, hidden: !words.length }, ...words.map((one) => el("li", {}, one)));
}
