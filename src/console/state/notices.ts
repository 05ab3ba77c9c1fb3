import type { App } from "./app.ts";
import type { Notice } from "./state.ts";

/** Shown at once; the oldest give way. */
const MAX_NOTICES = 5;
/** Milliseconds that good news stay; bad ones stay until they are put away. */
const GOOD_NEWS_MS = 8_000;

let nextId = 1;

export function notify(app: App, tone: Notice["tone"], text: string): void {
  const notice = { id: nextId, tone, text };
  nextId += 1;
  app.state.notices = [...app.state.notices.slice(1 - MAX_NOTICES), notice];
  app.changed();
  if (tone !== "bad") void app.sleep(GOOD_NEWS_MS).then(() => putAway(app, notice.id));
}

export function putAway(app: App, id: number): void {
  app.state.notices = app.state.notices.filter((notice) => notice.id !== id);
  app.changed();
}
