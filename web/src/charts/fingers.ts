// Fingers on a panel: one moves the cursor, two zoom and move the part that is shown. Up and down, the
// page scrolls as ever.

import type { Span } from "./panel.ts";

/** Fingers closer than this share of the panel do not say how far to zoom. */
const CLOSE = 0.03;

export interface Fingered {
  /** What is shown. */
  span(): Span;
  /** Where time is drawn, from left to right on the screen. */
  extent(): { left: number; width: number };
  point(at_s: number): void;
  /** Two fingers are moving. */
  stretch(span: Span): void;
  /** They are lifted. */
  zoom(span: Span): void;
}

/** Follows the fingers on an element, whose style must leave sideways movements to it. */
export function follow(element: HTMLElement, fingered: Fingered): void {
  const down = new Map<number, number>();
  let begun: { span: Span; places: number[] } | null = null;
  let reached: Span | null = null;
  const share = (event: PointerEvent): number => {
    const { left, width } = fingered.extent();
    return (event.clientX - left) / Math.max(1, width);
  };
  const begin = (): void => {
    begun = down.size === 2 ? { span: fingered.span(), places: [...down.values()] } : null;
  };
  element.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "touch") return;
    down.set(event.pointerId, share(event));
    begin();
  });
  element.addEventListener("pointermove", (event) => {
    if (!down.has(event.pointerId)) return;
    down.set(event.pointerId, share(event));
    const span = begun ? pinched(begun.span, begun.places, [...down.values()]) : null;
    if (span) fingered.stretch((reached = span));
    else if (down.size === 1 && !reached) fingered.point(timeAt(fingered.span(), share(event)));
  });
  const lift = (event: PointerEvent): void => {
    if (!down.delete(event.pointerId)) return;
    begin();
    if (down.size || !reached) return;
    fingered.zoom(reached);
    reached = null;
  };
  element.addEventListener("pointerup", lift);
  element.addEventListener("pointercancel", lift);
}

function timeAt({ from_s, to_s }: Span, place: number): number {
  return from_s + Math.min(1, Math.max(0, place)) * (to_s - from_s);
}

/**
 * The span in which the times that were under two fingers are under them where they are now; places
 * are shares of the panel. Null where the fingers are too close.
 */
export function pinched(span: Span, before: readonly number[], now: readonly number[]): Span | null {
  const [a = 0, b = 0] = before;
  const [c = 0, d = 0] = now;
  if (Math.abs(b - a) < CLOSE || (d - c) * Math.sign(b - a) < CLOSE) return null;
  const wide = ((span.to_s - span.from_s) * (b - a)) / (d - c);
  const from_s = Math.max(0, span.from_s + a * (span.to_s - span.from_s) - c * wide);
  return { from_s, to_s: from_s + wide };
}
