import type { App } from "./app.ts";
import type { State, Toast } from "./state.ts";

/** Shown at once; the oldest give way. */
const MAX_NOTICES = 5;
/** Milliseconds that good news stay; bad ones stay until they are put away. */
const GOOD_NEWS_MS = 8_000;

export function notify(app: App, tone: Toast["tone"], text: string, isOver: Toast["isOver"] = null): void {
  const notice = { tone, text, isOver };
  app.state.notices = [...noticesNow(app.state).slice(1 - MAX_NOTICES), notice];
  app.changed();
  if (tone !== "bad") void app.sleep(GOOD_NEWS_MS).then(() => putAway(app, notice));
}

/** Without those that ask for what is past. */
export function noticesNow(state: State): Toast[] {
  return state.notices.filter(({ isOver }) => isOver?.(state) !== true);
}

export function putAway(app: App, notice: Toast): void {
  app.state.notices = app.state.notices.filter((one) => one !== notice);
  app.changed();
}
