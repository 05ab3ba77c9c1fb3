import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { revocationTypedData } from "../../wire/grant-data.ts";
import { request } from "../api/request.ts";
import type { ListedApiKey } from "../api/resources.ts";
import { ageOf, dateAndTime, NOTHING, shortId, time } from "../figures/format.ts";
import { dialog } from "../parts/dialog.ts";
import { isChecked } from "../parts/fields.ts";
import { ownersWord } from "../parts/owners-word.ts";
import { section, whenLoaded } from "../parts/section.ts";
import { type Column, table } from "../parts/table.ts";
import type { App } from "../state/app.ts";
import { newSigning, type RevocationForm } from "../state/forms.ts";
import { notify } from "../state/notices.ts";
import { readKeys } from "../state/read.ts";
import { ownerOf, signOut } from "../state/session.ts";
import { standingKey } from "../state/standing.ts";
import { botLimits, botOf } from "./bot-limits.ts";
import { hooksSection, newHookSection } from "./hooks.ts";
import { limitedKeySection } from "./limited-key.ts";
import { newKeySection } from "./new-key.ts";
import { proposals } from "./proposals.ts";

function columnsOf(app: App): readonly Column<ListedApiKey>[] {
  const own = app.state.session?.me.key_hash;
  return [
    { name: "Bot", cell: botOf },
    {
      name: "Key hash",
      cell: ({ key_hash: hash }) =>
        html`<code title=${hash}>${shortId(hash)}</code>${hash === own ? " (this page's)" : ""}`,
    },
    { name: "Scopes", rank: 2, cell: ({ scopes }) => scopes.join(", ") },
    { name: "Created", rank: 2, cell: ({ created_at: at }) => dateAndTime(at) },
    {
      name: "Last seen",
      rank: 2,
      cell: ({ last_used_at: at }) => (at === null || at === undefined ? NOTHING : `${ageOf(at, app.state.nowMs)} ago`),
    },
    { name: "State", cell: ({ state }) => state ?? "active" },
    { name: "", cell: (key) => revokeButton(app, key) },
  ];
}

function revokeButton(app: App, key: ListedApiKey): unknown {
  if (key.state !== undefined && key.state !== "active") return nothing;
  function open(): void {
    app.state.forms.revocation = { key, cancelsOrders: false, signing: newSigning() };
    app.changed();
  }
  return html`<button type="button" aria-label=${`Revoke ${shortId(key.key_hash)}`} @click=${open}>Revoke</button>`;
}

export function keysScreen(app: App): TemplateResult {
  return html`
    ${proposals(app)}
    ${section(
      "Bots",
      whenLoaded(app.state.keys, (keys) => bots(app, keys)),
      heldAsOf(app),
    )}
    ${section(
      "Keys without limits",
      whenLoaded(app.state.keys, (keys) =>
        table({
          caption: "Keys without limits",
          columns: columnsOf(app),
          rows: keys.filter(({ limits }) => limits === null),
          id: ({ key_hash: hash }) => hash,
          empty: "No key.",
        }),
      ),
      "hashes only: the gateway never holds a key",
    )}
    ${hooksSection(app)}
    ${limitedKeySection(app)}
    ${newHookSection(app)}
    ${newKeySection(app)}`;
}

/** No event tells that rails were narrowed: they are as they were read last. */
function heldAsOf({ state: { keys, nowMs } }: App): string {
  const words = "each held to what its owner has signed, and to what was narrowed since";
  return keys.readAtMs === null ? words : `${words}; as of ${time(new Date(keys.readAtMs).toISOString(), nowMs)}`;
}

/** By name, those that trade before those that are gone; what holds for a bot stands below the first of its keys. */
function bots(app: App, keys: readonly ListedApiKey[]): TemplateResult {
  const rank = ({ limits, state }: ListedApiKey) => `${state === "active" ? 0 : 1} ${limits?.bot ?? ""}`;
  const rows = keys.filter(({ limits }) => limits !== null).sort((one, other) => rank(one).localeCompare(rank(other)));
  const first = new Map(rows.toReversed().map((key) => [key.limits?.bot, key]));
  return table({
    caption: "Bots",
    columns: columnsOf(app),
    rows,
    id: ({ key_hash: hash }) => hash,
    empty: "No bot has a key. Below one is made, held to what you sign.",
    below: (key) => (first.get(key.limits?.bot) === key ? botLimits(app, key) : null),
  });
}

export function revokeDialog(app: App): TemplateResult {
  const { revocation } = app.state.forms;
  return dialog("Revoke API key", revocation === null ? null : content(app, revocation), () => close(app));
}

function close(app: App): void {
  app.state.forms.revocation = null;
  app.changed();
}

function content(app: App, own: RevocationForm): TemplateResult {
  const { key: seen } = own;
  const { now: key } = standingKey(app.state, seen);
  function choose(event: Event): void {
    own.cancelsOrders = isChecked(event);
    app.changed();
  }
  return html`
    <p class="words">For good, from the next request on: ${key.limits === null ? "a key without limits" : html`a key of the bot <strong>${key.limits.bot}</strong>`}, <code>${shortId(key.key_hash)}</code>, ${key.scopes.join(", ")}.</p>
    <p class="words"><label class="check"><input type="checkbox" name="cancelOrders" .checked=${live(own.cancelsOrders)} @change=${choose} />
      Cancel what it has placed and could make a position larger. What can only reduce stays; without this, all of it does.</label></p>
    ${ownersWord(app, {
      signing: own.signing,
      owner: ownerOf(app),
      purpose: "revoke the key",
      withdrawn: () => standingKey(app.state, seen).changed,
      write: (audience) => revocationTypedData({ audience, accountId: key.account, keyHash: key.key_hash }),
      signed: (signature) => revoke(app, own, signature),
    })}`;
}

async function revoke(app: App, { key, cancelsOrders, signing }: RevocationForm, signature: string): Promise<void> {
  const signed = { account: key.account, key_hash: key.key_hash, signature };
  const [path, sent] = cancelsOrders
    ? ["/v1/api-keys/revocations", { ...signed, cancel_orders: true }]
    : ["/v1/api-keys/revoke", signed];
  const answer = await request<unknown>({ method: "POST", path, bearer: null, body: JSON.stringify(sent) });
  if (answer.kind !== "ok") {
    signing.failure = answer.kind === "lost" ? "No answer. Sign again: revoking twice does no harm." : answer.message;
    return;
  }
  notify(app, "good", `Revoked ${shortId(key.key_hash)}.`);
  close(app);
  if (key.key_hash === app.state.session?.me.key_hash) signOut(app);
  else await readKeys(app);
}
