// Five steps through a startup: each opens a path in the explore view, with a question and its answer.

import { written } from "../state.ts";
import type { Given } from "../protocol.ts";
import { el } from "../ui/dom.ts";
import { view } from "./view.ts";
import "./views.css";

export interface Step {
  title: string;
  given: Given;
  question: string;
  answer: string;
  /** Cells of the table that the answer has; a test compares them with a run. */
  cells: string[];
}

const PATH: Given = { rate: "50Mbps", rtt: "80ms" };

export const STEPS: readonly Step[] = [
  {
    title: "Window",
    given: { ...PATH, size: "1MB", startup: ["slow-start"] },
    question: "How fast does the congestion window grow?",
    answer:
      "It doubles with every round trip: 10 packets, then 20, 40, 80, 160 and 320. The transfer of " +
      "1 MB takes 616.1 ms. The bottleneck needs 166 ms of them, and idles while the sender waits " +
      "for ACKs.",
    cells: ["616.1 ms"],
  },
  {
    title: "Queue",
    given: { ...PATH, size: "1MB", startup: ["slow-start"] },
    question: "No round trip has more than 320 packets, less than the BDP of 333. Why is there a queue?",
    answer:
      "Two packets leave for each ACK, twice as fast as the bottleneck transmits them. Up to 161 " +
      "packets wait, half of the largest round. Pacing would spread them.",
    cells: ["161"],
  },
  {
    title: "Loss",
    given: { ...PATH, size: "10MB", startup: ["slow-start"] },
    question: "How many packets are dropped when the buffer overflows?",
    answer:
      "946. The sender learns of the first drop a round trip later, and doubles its window in the " +
      "meantime. All of them are sent again.",
    cells: ["946"],
  },
  {
    title: "Exit",
    given: { ...PATH, size: "10MB", startup: ["slow-start", "hystart"] },
    question: "What changes if the sender ends slow start before a loss?",
    answer:
      "HyStart ends it at 490 packets, when a train of ACKs has lasted for half the round trip. It " +
      "loses 34 packets, slow start 946. Both take 2.108 s, since from then on the bottleneck is " +
      "never idle.",
    cells: ["490", "34", "946", "2.108 s"],
  },
  {
    title: "Competing flow",
    given: { ...PATH, size: "10MB", startup: ["slow-start"], flows: "2", stagger: "1s" },
    question: "A second flow begins after one second. Do both get the same rate?",
    answer:
      "No. The second flow finds a full queue, loses packets early and ends slow start with a window " +
      "of 25. The first flow is complete after 2.134 s. Then the second is alone, but CUBIC grows " +
      "slowly: it uses 17 % of the link. It takes 10.56 s, and the mean of both is 6.346 s.",
    cells: ["10.56 s", "6.346 s"],
  },
];

function shown(step: Step, number: number): HTMLElement {
  const link = `#${written({ view: "explore", given: step.given, own: {} })}`;
  return el(
    "li",
    {},
    el("h2", {}, `${number}. ${step.title}`),
    el("p", {}, step.question, " ", el("a", { href: link }, "Open it in the explore view")),
    el("details", {}, el("summary", {}, "Answer"), el("p", {}, step.answer)),
  );
}

class Tour {
  build(root: HTMLElement): void {
    const steps = STEPS.map((step, at) => shown(step, at + 1));
    root.append(el("div", { class: "page whole" }, el("ol", { class: "tour" }, ...steps)));
  }

  update(): void {
    // Nothing here depends on the state.
  }

  end(): void {
    // Nothing is under way.
  }
}

export const tour = view("tour", "Tour", () => new Tour(), "either");
