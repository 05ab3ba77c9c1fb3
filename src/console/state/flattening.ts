/** Closing what is held under a stop: the second step, which somebody asks for. */
import { request } from "../api/request.ts";
import type { ApiStop } from "../api/resources.ts";
import type { App } from "./app.ts";
import type { FlattenForm } from "./forms.ts";
import { readStops } from "./read.ts";

/** Basis points; what the gateway takes where nobody says another. */
const PROPOSED_BPS = "50";

/** A key with rails closes what is its bot's; what a plain key holds by itself nobody knows. */
export function mayFlatten({ state: { session, keys } }: App, stop: ApiStop): boolean {
  const me = session?.me;
  if (me === undefined || !me.scopes.includes("trading:write") || stop.cause !== "asked") return false;
  if (stop.scope === "account") return me.limits === null;
  const bot = keys.value?.find(({ key_hash: hash }) => hash === stop.key_hash)?.limits?.bot;
  return bot !== undefined && (me.limits === null || me.limits.bot === bot);
}

export function openFlatten(app: App, stop: ApiStop): void {
  app.state.forms.flatten = { stop, slippageBps: PROPOSED_BPS, isBusy: false, failure: null };
  app.changed();
}

export function closeFlatten(app: App): void {
  app.state.forms.flatten = null;
  app.changed();
}

/** Asked once: a person who hears no answer sees what goes on, and may ask again, which is the same while it does. */
export async function flattenNow(app: App, own: FlattenForm): Promise<void> {
  const { session } = app.state;
  if (session === null || own.isBusy) return;
  Object.assign(own, { isBusy: true, failure: null });
  app.changed();
  const answer = await request<ApiStop>({
    method: "POST",
    path: `/v1/stops/${own.stop.id}/flatten`,
    bearer: session.apiKey,
    body: JSON.stringify({ max_slippage_bps: Number(own.slippageBps) }),
  });
  own.isBusy = false;
  if (app.state.session !== session) return;
  if (answer.kind === "ok") app.state.forms.flatten = null;
  else
    own.failure =
      answer.kind === "lost"
        ? "No answer: it may have begun, and shows then. Asking again does no harm."
        : `Nothing was closed by this: ${answer.message}`;
  app.changed();
  await readStops(app);
}
