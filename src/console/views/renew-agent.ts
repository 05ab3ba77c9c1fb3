/** The next agent key: made by the gateway, allowed by the owner's signature; the old one serves until then. */
import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import type { ToSign } from "../../wire/wallet-form.ts";
import { request } from "../api/request.ts";
import type { AgentRenewal, AgentRenewalOutcome } from "../api/resources.ts";
import { dateAndTime } from "../figures/format.ts";
import { facts, section } from "../parts/section.ts";
import { newSigning, type Signing, signingPanel } from "../parts/signing.ts";
import { LIVES } from "../setup/approval-steps.ts";
import type { App } from "../state/app.ts";
import { notify } from "../state/notices.ts";
import { ownerOf } from "../state/owner.ts";
import { readStatus } from "../state/read.ts";

type Renewing = {
  /** Whose it is: another session begins anew. */
  account: string;
  /** Null until the gateway has answered. */
  renewal: AgentRenewal | null;
  failure: string | null;
  validDays: string;
  signing: Signing;
};

let renewing: Renewing | null = null;

/** Nothing where there is nothing to renew yet. */
export function renewalSection(app: App, isSoon: boolean): TemplateResult | typeof nothing {
  const account = app.state.session?.me.account ?? "";
  if (!isSoon || renewing?.account !== account) renewing = null;
  if (!isSoon) return nothing;
  if (renewing === null) {
    renewing = { account, renewal: null, failure: null, validDays: "90", signing: newSigning() };
    void look(app, renewing);
  }
  return section("Renew the agent", renewal(app, renewing));
}

function renewal(app: App, state: Renewing): TemplateResult {
  const { renewal: found, failure } = state;
  if (failure !== null) {
    return html`<p class="late" role="alert">${failure}</p>
      <button type="button" @click=${() => void look(app, state)}>Ask again</button>`;
  }
  if (found === null) return html`<p class="note">Asking the gateway…</p>`;
  if (found.waiting === null) {
    return html`<p class="words">The gateway makes the next key within ten minutes.</p>
      <button type="button" @click=${() => void look(app, state)}>Ask again</button>`;
  }
  const end = found.signing?.valid_until ?? null;
  return html`
    <p class="words">The gateway has made a new key. It trades once your wallet has allowed it, and can neither withdraw nor
      transfer. ${found.signing === null ? "" : html`Until then <code>${found.signing.name}</code> goes on signing${end === null ? "" : `, to ${dateAndTime(end)} at the longest`}; after that it never signs again.`}</p>
    ${facts([
      ["Name", found.waiting.name],
      ["Agent's address", html`<code>${found.waiting.address}</code>`],
    ])}
    <label class="inline">Allowed for
      <select name="validDays" @change=${(event: Event) => choose(app, state, event)}>${LIVES.map(([days, words]) => html`<option value=${days} .selected=${live(days === state.validDays)}>${words}</option>`)}</select>
    </label>
    ${signingPanel(app, {
      signing: state.signing,
      owner: ownerOf(app),
      purpose: "allow the agent",
      typedData: (chainId) => toSign(app, state, chainId),
      signed: (signature) => send(app, state, signature),
    })}`;
}

function choose(app: App, state: Renewing, { target }: Event): void {
  if (!(target instanceof HTMLSelectElement)) return;
  Object.assign(state, { validDays: target.value, signing: newSigning() });
  app.changed();
}

async function look(app: App, state: Renewing, query = ""): Promise<AgentRenewal | null> {
  const bearer = app.state.session?.apiKey ?? null;
  const answer = await request<AgentRenewal>({ method: "GET", path: `/v1/agent-renewal${query}`, bearer });
  if (answer.kind === "ok") Object.assign(state, { renewal: answer.body, failure: null });
  else state.failure = answer.message;
  app.changed();
  return answer.kind === "ok" ? answer.body : null;
}

/** Made anew for the wallet's chain and the days that were chosen; what was shown goes back with the signature. */
async function toSign(app: App, state: Renewing, chainId: string | null): Promise<ToSign | { failure: string }> {
  const chain = chainId === null ? "" : `&chain_id=${BigInt(chainId)}`;
  const found = await look(app, state, `?valid_days=${state.validDays}${chain}`);
  return found?.approval?.typed_data ?? { failure: state.failure ?? "There is nothing to sign any more." };
}

async function send(app: App, state: Renewing, signature: string): Promise<void> {
  const { account, renewal: found } = state;
  if (found?.approval === null || found === null || found.waiting === null) return;
  const { nonce, chain_id, valid_until } = found.approval;
  const body = JSON.stringify({ account, agent: found.waiting.address, nonce, chain_id, valid_until, signature });
  const call = { method: "POST" as const, path: "/v1/agent-renewal", bearer: null, body };
  const answer = await request<AgentRenewalOutcome>(call);
  if (answer.kind === "ok" && answer.body.status === "succeeded") {
    await readStatus(app);
    return notify(app, "good", `${found.waiting.name} signs from now on.`);
  }
  const words =
    answer.kind === "ok"
      ? [answer.body.error, answer.body.what_to_do].filter((each) => each !== null).join(" ")
      : answer.message;
  Object.assign(state, { signing: { ...newSigning(), failure: words } });
  app.changed();
}
