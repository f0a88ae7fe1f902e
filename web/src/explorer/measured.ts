// How long it takes from what a person does to the frame that shows it, as a measure of the
// browser's own (`performance.getEntriesByName("slider-to-frame")`).

const MEASURE = "slider-to-frame";

/** Call it when a picture was drawn: the measure ends once the browser has made the frame. */
export function measured(since: number): void {
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      performance.measure(MEASURE, { start: since, end: performance.now() });
    };
    port2.postMessage(null);
  });
}
