// Draws packets on their path: sender, the bottleneck's queue, receiver; data above, ACKs below.

import { ink, type Look } from "../../charts/colours.ts";
import type { PacketsAnswer } from "../../protocol.ts";
import { place, QUEUE_AT, type Kind, type Place } from "./packets.ts";

/** The highlight of a startup's colour. */
const AGAIN = { light: "#b3126a", dark: "#ff7fc0" };
const HEIGHT = 150;
const EDGE = 78;
const DATA_Y = 62;
const ACK_Y = 122;
const CELL = 7;
const ROWS = 6;

export class Scene {
  readonly canvas = document.createElement("canvas");

  constructor() {
    this.canvas.className = "scene";
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "Packets on the path, as in the sentence below");
  }

  draw(all: PacketsAnswer, now_s: number, look: Look, dark: boolean): void {
    const context = this.canvas.getContext("2d");
    const width = this.canvas.clientWidth;
    if (!context || !width) return;
    this.fit(width);
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    const pen = new Pen(context, width, look, dark);
    pen.ground();
    const queue: (Place & { on: "queue" })[] = [];
    for (let packet = 0; packet < all.kind.length; packet += 1) {
      const where = place(all, packet, now_s);
      if (where?.on === "queue") queue.push(where);
      else if (where) pen.packet(where);
    }
    pen.queue(queue.sort((one, other) => one.leaves_s - other.leaves_s).map((one) => one.kind));
  }

  private fit(width: number): void {
    const [wide, high] = [Math.round(width * devicePixelRatio), Math.round(HEIGHT * devicePixelRatio)];
    if (this.canvas.width === wide && this.canvas.height === high) return;
    this.canvas.width = wide;
    this.canvas.height = high;
  }
}

class Pen {
  private readonly paint;
  private readonly again: string;
  private readonly router: number;

  constructor(
    private readonly to: CanvasRenderingContext2D,
    private readonly width: number,
    private readonly look: Look,
    dark: boolean,
  ) {
    this.paint = ink(dark);
    this.again = dark ? AGAIN.dark : AGAIN.light;
    this.router = this.x(QUEUE_AT);
  }

  ground(): void {
    const { to, paint } = this;
    to.fillStyle = paint.page;
    to.fillRect(0, 0, this.width, HEIGHT);
    to.strokeStyle = paint.grid;
    to.lineWidth = 2;
    for (const y of [DATA_Y, ACK_Y]) {
      to.beginPath();
      to.moveTo(EDGE, y);
      to.lineTo(this.width - EDGE, y);
      to.stroke();
    }
    to.fillStyle = paint.text;
    to.font = "12px system-ui, sans-serif";
    to.textBaseline = "middle";
    this.host("sender", EDGE - 8, "right");
    this.host("receiver", this.width - EDGE + 8, "left");
    to.textAlign = "left";
    to.font = "11px system-ui, sans-serif";
    to.fillText("ACKs", this.router + 8, ACK_Y - 11);
  }

  packet(where: Exclude<Place, { on: "queue" }>): void {
    const lane = where.forward ? DATA_Y : ACK_Y;
    const x = this.x(where.at);
    if (where.on === "path") this.shape(where.kind, x, lane);
    else this.lost(x, lane + 8 + where.depth * (HEIGHT - lane - 12), 1 - where.depth);
  }

  /** The packets that wait, the next to leave at the right below. */
  queue(kinds: readonly Kind[]): void {
    const { to, paint, router } = this;
    const columns = Math.floor((router - EDGE - 16) / CELL);
    const shown = kinds.slice(0, columns * ROWS);
    for (const [at, kind] of shown.entries()) {
      const x = router - CELL * (0.5 + Math.floor(at / ROWS)) - 4;
      this.shape(kind, x, DATA_Y + 18 - CELL * (at % ROWS));
    }
    to.strokeStyle = paint.text;
    to.lineWidth = 1.5;
    to.strokeRect(router - 3, DATA_Y - 26, 6, 52);
    to.fillStyle = paint.text;
    to.textAlign = "center";
    to.fillText(`bottleneck, queue: ${kinds.length}`, Math.max(EDGE + 60, router), DATA_Y - 42);
  }

  private host(name: string, x: number, side: CanvasTextAlign): void {
    this.to.textAlign = side;
    this.to.fillText(name, x, (DATA_Y + ACK_Y) / 2);
    this.to.strokeStyle = this.paint.text;
    this.to.lineWidth = 1.5;
    const edge = side === "right" ? EDGE - 4 : this.width - EDGE;
    this.to.strokeRect(edge, DATA_Y - 12, 4, ACK_Y - DATA_Y + 24);
  }

  /** Data are squares, retransmissions triangles, ACKs rings, a SYN a diamond. */
  private shape(kind: Kind, x: number, y: number): void {
    const { to } = this;
    to.beginPath();
    if (kind === "ack") {
      to.arc(x, y, 2.6, 0, 2 * Math.PI);
      to.strokeStyle = this.paint.text;
      to.lineWidth = 1.3;
      to.stroke();
      return;
    }
    to.fillStyle = kind === "again" ? this.again : kind === "syn" ? this.paint.text : this.look.colour;
    if (kind === "data") to.rect(x - 2.5, y - 2.5, 5, 5);
    else polygon(to, x, y, kind === "again" ? TRIANGLE : DIAMOND);
    to.fill();
  }

  private lost(x: number, y: number, strength: number): void {
    const { to } = this;
    to.globalAlpha = 0.25 + 0.75 * strength;
    to.strokeStyle = this.again;
    to.lineWidth = 2;
    to.beginPath();
    to.moveTo(x - 4, y - 4);
    to.lineTo(x + 4, y + 4);
    to.moveTo(x - 4, y + 4);
    to.lineTo(x + 4, y - 4);
    to.stroke();
    to.globalAlpha = 1;
  }

  private x(at: number): number {
    return EDGE + at * (this.width - 2 * EDGE);
  }
}

const TRIANGLE: [number, number][] = [[0, -5], [5, 4], [-5, 4]];
const DIAMOND: [number, number][] = [[0, -5], [5, 0], [0, 5], [-5, 0]];

function polygon(to: CanvasRenderingContext2D, x: number, y: number, corners: [number, number][]): void {
  for (const [across, up] of corners) to.lineTo(x + across, y + up);
  to.closePath();
}
