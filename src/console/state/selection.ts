/** Open orders that are chosen: canceling many of them is asked about once. */
import type { ApiOrder } from "../api/resources.ts";
import type { App } from "./app.ts";
import { newSelection } from "./forms.ts";
import type { State } from "./state.ts";

/** Those that are open still. */
export function chosenOrders({ openOrders, forms }: State): ApiOrder[] {
  return (openOrders.value ?? []).filter(({ id }) => forms.selection.ids.has(id));
}

export function choose(app: App, id: string, isChosen: boolean): void {
  const { selection } = app.state.forms;
  const ids = new Set(selection.ids);
  if (isChosen) ids.add(id);
  else ids.delete(id);
  selection.ids = ids;
  app.changed();
}

export function chooseAll(app: App, isChosen: boolean): void {
  const ids = isChosen ? (app.state.openOrders.value ?? []).map(({ id }) => id) : [];
  app.state.forms.selection.ids = new Set(ids);
  app.changed();
}

export function askToCancel(app: App): void {
  app.state.forms.selection.isAsking = true;
  app.changed();
}

export function closeAsking(app: App): void {
  Object.assign(app.state.forms.selection, { isAsking: false, failures: [] });
  app.changed();
}

/** Cancels that are under way at a time: the gateway's quota takes forty at once. */
const AT_ONCE = 5;

type Cancel = (app: App, order: ApiOrder, failed: (words: string) => void) => Promise<void>;

/** Each under its own Idempotency-Key; what went wrong stays in the dialog, with what is still chosen. */
export async function cancelChosen(app: App, cancel: Cancel): Promise<void> {
  const { selection } = app.state.forms;
  if (selection.isBusy) return;
  const waiting = chosenOrders(app.state);
  const failures: string[] = [];
  Object.assign(selection, { isBusy: true, failures });
  app.changed();
  async function work(): Promise<void> {
    for (let order = waiting.shift(); order !== undefined; order = waiting.shift()) {
      const before = failures.length;
      await cancel(app, order, (words) => failures.push(words));
      if (failures.length === before) choose(app, order.id, false);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  selection.isBusy = false;
  if (failures.length === 0 && app.state.forms.selection === selection) app.state.forms.selection = newSelection();
  app.changed();
}
