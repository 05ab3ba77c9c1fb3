/** One's own orders as lines in the chart: drawn where they stand, and dragged to where they might. */
import type uPlot from "uplot";
import type { ApiOrder } from "../api/resources.ts";
import { ink } from "../parts/chart.ts";

export type ChartLevel = { order: ApiOrder; price: number; words: string };

/** The line of an order: at its price, a trigger's at its trigger price. */
export function levelOf(order: ApiOrder): ChartLevel {
  const { side, size, price, trigger } = order;
  const kind = trigger === undefined ? side : trigger.kind === "stop_loss" ? "stop" : "profit";
  return { order, price: Number(trigger?.price ?? price), words: `${kind} ${size}` };
}

/** How far beyond the last price the chart makes room for lines, as a fraction: more would press the candles flat. */
const ROOM = 0.02;

export function isNearPrice({ price }: ChartLevel, last: number): boolean {
  return Math.abs(price - last) <= last * ROOM;
}

/** The line that is being dragged, and the price at which it is; only one chart is dragged in at a time. */
let held: { level: ChartLevel; price: number } | null = null;

/** Whether a line is being dragged: the chart is not drawn anew until it is dropped. */
export function isDragging(): boolean {
  return held !== null;
}

const LABEL_PX = 11;

export function drawLevels(plot: uPlot, levels: readonly ChartLevel[]): void {
  for (const level of levels) {
    if (held?.level.order.id === level.order.id) continue;
    line(plot, level, "accent");
  }
  if (held === null) return;
  const to = { price: held.price, words: `${held.level.words} to ${held.price.toPrecision(FIGURES)}` };
  line(plot, to, "warn");
}

/** Significant figures of a price. */
const FIGURES = 5;

function line(plot: uPlot, { price, words }: Pick<ChartLevel, "price" | "words">, colour: "accent" | "warn"): void {
  const { ctx, bbox } = plot;
  const y = plot.valToPos(price, "y", true);
  if (y < bbox.top || y > bbox.top + bbox.height) return;
  ctx.save();
  ctx.strokeStyle = ink(colour);
  ctx.fillStyle = ink(colour);
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.font = `${LABEL_PX * devicePixelRatio}px system-ui, sans-serif`;
  // The axes were drawn before, and have left their own alignment.
  ctx.textAlign = "left";
  ctx.textBaseline = "alphabetic";
  ctx.fillText(words, bbox.left + 4 * devicePixelRatio, y - 3 * devicePixelRatio);
  ctx.restore();
}

/** How near to a line a mouse has to be to take it, CSS pixels. */
const REACH_PX = 6;

/** Lets a mouse or a pen drag lines; a finger scrolls, and has the button in the table. `dropped` is called with the price of the drop. */
export function makeDraggable(
  plot: uPlot,
  levels: readonly ChartLevel[],
  dropped: (order: ApiOrder, price: number) => void,
): void {
  const { over } = plot;
  const under = (y: number) => levels.find(({ price }) => Math.abs(plot.valToPos(price, "y") - y) <= REACH_PX) ?? null;
  over.addEventListener("pointermove", ({ offsetY }) => {
    over.classList.toggle("taking", held !== null || under(offsetY) !== null);
    if (held === null) return;
    held.price = plot.posToVal(Math.min(Math.max(offsetY, 0), over.clientHeight), "y");
    plot.redraw();
  });
  over.addEventListener("pointerdown", (event) => {
    const level = event.pointerType === "touch" || event.button !== 0 ? null : under(event.offsetY);
    if (level === null) return;
    event.preventDefault();
    over.setPointerCapture(event.pointerId);
    held = { level, price: level.price };
  });
  const end = (isDropped: boolean) => {
    const was = held;
    held = null;
    if (was === null) return;
    plot.redraw();
    const movedPx = Math.abs(plot.valToPos(was.price, "y") - plot.valToPos(was.level.price, "y"));
    if (isDropped && movedPx > 1) dropped(was.level.order, was.price);
  };
  over.addEventListener("pointerup", () => end(true));
  over.addEventListener("pointercancel", () => end(false));
}
