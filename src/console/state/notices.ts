import type { App } from "./app.ts";
import type { Toast } from "./state.ts";

/** Shown at once; the oldest give way. */
const MAX_NOTICES = 5;
/** Milliseconds that good news stay; bad ones stay until they are put away. */
const GOOD_NEWS_MS = 8_000;

export function notify(app: App, tone: Toast["tone"], text: string): void {
  const notice = { tone, text };
  app.state.notices = [...app.state.notices.slice(1 - MAX_NOTICES), notice];
  app.changed();
  if (tone !== "bad") void app.sleep(GOOD_NEWS_MS).then(() => putAway(app, notice));
}

export function putAway(app: App, notice: Toast): void {
  app.state.notices = app.state.notices.filter((one) => one !== notice);
  app.changed();
}
