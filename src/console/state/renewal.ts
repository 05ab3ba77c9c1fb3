/** The next agent key: made by the gateway, allowed by the owner's signature; the old one serves until then. */
import type { WalletData } from "../../wire/wallet-form.ts";
import { request } from "../api/request.ts";
import type { AgentRenewal, AgentRenewalOutcome, Status } from "../api/resources.ts";
import type { App } from "./app.ts";
import { newSigning, type RenewalForm } from "./forms.ts";
import { notify } from "./notices.ts";
import { readStatus } from "./read.ts";

/** Milliseconds before the end of the agent's approval from which it is marked, and may be renewed. */
const SOON_MS = 14 * 24 * 60 * 60 * 1_000;

export function agentEndsSoon({ agent }: Status, nowMs: number): boolean {
  return agent === null || (agent.valid_until !== null && Date.parse(agent.valid_until) - nowMs < SOON_MS);
}

/** Asks for it once, where the screen that shows it is there and it is time. */
export function beginRenewal(app: App): void {
  const { route, session, status, forms } = app.state;
  const isSoon = status.value !== null && agentEndsSoon(status.value, app.nowMs());
  if (!isSoon) forms.renewal = null;
  if (!isSoon || session === null || route.screen !== "health" || forms.renewal !== null) return;
  forms.renewal = { renewal: null, failure: null, validDays: "90", signing: newSigning() };
  void askForRenewal(app, forms.renewal);
}

export async function askForRenewal(app: App, mine: RenewalForm, query = ""): Promise<AgentRenewal | null> {
  const bearer = app.state.session?.apiKey ?? null;
  const answer = await request<AgentRenewal>({ method: "GET", path: `/v1/agent-renewal${query}`, bearer });
  if (answer.kind === "ok") Object.assign(mine, { renewal: answer.body, failure: null });
  else mine.failure = answer.message;
  app.changed();
  return answer.kind === "ok" ? answer.body : null;
}

/** Made anew for the wallet's chain and the days that were chosen; what was shown goes back with the signature. */
export async function renewalToSign(
  app: App,
  mine: RenewalForm,
  chainId: string | null,
): Promise<WalletData | { failure: string }> {
  const chain = chainId === null ? "" : `&chain_id=${BigInt(chainId)}`;
  const found = await askForRenewal(app, mine, `?valid_days=${mine.validDays}${chain}`);
  return found?.approval?.typed_data ?? { failure: mine.failure ?? "There is nothing to sign any more." };
}

export async function sendRenewal(app: App, mine: RenewalForm, signature: string): Promise<void> {
  const account = app.state.session?.me.account;
  const { renewal: found } = mine;
  if (account === undefined || found?.approval === null || found === null || found.waiting === null) return;
  const { nonce, chain_id, valid_until } = found.approval;
  const body = JSON.stringify({ account, agent: found.waiting.address, nonce, chain_id, valid_until, signature });
  const call = { method: "POST" as const, path: "/v1/agent-renewal", bearer: null, body };
  const answer = await request<AgentRenewalOutcome>(call);
  if (answer.kind === "ok" && answer.body.status === "succeeded") {
    await readStatus(app);
    beginRenewal(app);
    return notify(app, "good", `${found.waiting.name} signs from now on.`);
  }
  const words =
    answer.kind === "ok"
      ? [answer.body.error, answer.body.what_to_do].filter((each) => each !== null).join(" ")
      : answer.message;
  Object.assign(mine, { signing: { ...newSigning(), failure: words } });
  app.changed();
}
