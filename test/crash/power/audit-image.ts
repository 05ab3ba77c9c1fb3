/** Starts a gateway on what a power cut left, and says which of the promises it does not keep. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { listAttemptsOf, listOpenAttempts } from "../../../src/store/attempts.ts";
import { findKeyRecord } from "../../../src/store/idempotency.ts";
import { closeStore, openStore, type Store } from "../../../src/store/open.ts";
import { findOperation } from "../../../src/store/operations.ts";
import { tradeByHand } from "../../simulation/by-hand.ts";
import type { Chance } from "../../simulation/chance.ts";
import { type Dialogue, fieldOf } from "../../simulation/clients.ts";
import { askDirectly } from "../../simulation/front.ts";
import { directly, type Sent } from "../../simulation/network.ts";
import type { GatewayProcess } from "../../simulation/process.ts";
import { PARTIES } from "../../simulation/template.ts";
import type { Execution } from "../../simulation/venue.ts";
import { EVERY_ATTEMPT } from "../../support/every-row.ts";
import type { Files } from "./crash-image.ts";
import { openScene, type Recorded, type Scene, startGateway } from "./life.ts";

/** What orders come to, by id: status, filled size and exchange id, and how many intents the image had kept of each. */
export type Ends = ReadonlyMap<string, { end: string; intents: number }>;

export type Audited = {
  findings: string[];
  ends: Ends;
  /** Orders' outcomes that clients were told and that the cut took. */
  takenOutcomes: number;
};

/** Everything is settled within this time of the start, milliseconds. */
const SETTLED_WITHIN_MS = 120_000;
/** But an operation that nothing can prove: it is given up ten minutes after its seal. */
const GIVEN_UP_WITHIN_MS = 11 * 60_000;
const STEP_MS = 1_000;
/** The owners trade by hand now and then, milliseconds. */
const BY_HAND_EVERY_MS = 10_000;
const OPERATIONS: ReadonlySet<string> = new Set(["leverage", "isolated_margin", "twap", "twap_cancel"]);
/** Between the end of one gateway and the start of the next, milliseconds. */
const DOWN_MS = 500;

/** `reference`: what orders came to where nothing was lost; null for that one itself. */
export async function auditImage(
  life: Recorded,
  image: { path: string; files: Files },
  reference: Ends | null,
  chance: Chance,
): Promise<Audited> {
  writeFiles(image.files);
  const findings: string[] = [];
  const kept = openStore(image.path);
  findings.push(...auditRows(kept, life));
  const takenOutcomes = countTaken(kept, life);
  const intents = countIntents(kept, life);
  closeStore(kept);
  const scene = openScene(chance, life.endMs + DOWN_MS, life.world);
  scene.network.setFate(() => directly(5));
  const { process, store } = startGateway(scene, {
    path: image.path,
    doom: null,
    isNormalPlanted: false,
    onMark: () => undefined,
  });
  const unsettled = await settle(scene, process);
  if (unsettled.length > 0) findings.push(`not settled in time: ${unsettled.join(", ")}`);
  const ends = await readEnds(scene, process, { life, intents });
  findings.push(...auditEnds(life, ends, reference), ...(await auditRepeats(scene, process, life)), ...scene.errors);
  process.die("kill", 0);
  closeStore(store);
  return { findings, ends, takenOutcomes };
}

function writeFiles(files: Files): void {
  for (const [path, content] of files) {
    mkdirSync(dirname(path), { recursive: true });
    rmSync(path, { force: true });
    rmSync(`${path}-shm`, { force: true });
    if (content.length > 0) writeFileSync(path, content);
  }
}

/** Before anything is settled: what has been acknowledged is there. */
function auditRows(store: Store, life: Recorded): string[] {
  const findings: string[] = [];
  const integrity = JSON.stringify(store.$client.prepare("PRAGMA integrity_check").all());
  if (integrity !== '[{"integrity_check":"ok"}]') findings.push(`integrity: ${integrity}`);
  for (const sent of life.sent) {
    const { signer, nonce } = nonceOf(sent);
    const rows = store.$client
      .prepare(`SELECT id FROM ${EVERY_ATTEMPT} WHERE signer = ? AND nonce = ?`)
      .all(signer, nonce);
    if (rows.length !== 1) findings.push(`lost intent: nonce ${nonce} was sent, and ${rows.length} rows know of it`);
  }
  for (const { dialogue, body, status } of toldWrites(life))
    findings.push(...auditTold(store, dialogue, { body, status }));
  return findings;
}

function nonceOf({ body }: Sent): { signer: string; nonce: number } {
  // Bodies of `fakeSigners`: who signed stands in the signature.
  const parsed = JSON.parse(body) as { nonce: number; signature: { r: string } };
  return { signer: `0x${parsed.signature.r.slice(-40)}`, nonce: parsed.nonce };
}

type ToldWrite = { dialogue: Dialogue; status: number; body: string };

function toldWrites({ clients }: Recorded): ToldWrite[] {
  return clients.dialogues.flatMap((dialogue) =>
    dialogue.turns.flatMap(({ outcome }) =>
      outcome?.kind === "answer" && outcome.status < 300
        ? [{ dialogue, status: outcome.status, body: outcome.body }]
        : [],
    ),
  );
}

function auditTold(store: Store, { wish }: Dialogue, told: { body: string; status: number }): string[] {
  const id = fieldOf(told.body, "id") ?? "";
  const record = findKeyRecord(store, wish.party.account.id, wish.key);
  if (record === null) return [`lost intent: ${wish.key} was answered ${told.status}, and nothing knows of it`];
  if (fieldOf(told.body, "object") !== "operation") return [];
  const operation = findOperation(store, id);
  if (operation === null) return [`lost intent: ${wish.key} is no operation any more`];
  if (told.status === 202) return [];
  const isSame =
    operation.status === fieldOf(told.body, "status") && operation.exchangeId === fieldOf(told.body, "exchange_id");
  return isSame && record.answer?.body === told.body ? [] : [`lost outcome: ${wish.key} was ${told.body}`];
}

function countIntents(store: Store, life: Recorded): Map<string, number> {
  const ids = toldWrites(life).map(({ body }) => fieldOf(body, "id") ?? "");
  return new Map(ids.map((id) => [id, listAttemptsOf(store, id).length]));
}

function countTaken(store: Store, life: Recorded): number {
  const keys = toldWrites(life).flatMap(({ dialogue: { wish }, status }) => (status === 202 ? [] : [wish]));
  return new Set(keys.filter((wish) => findKeyRecord(store, wish.party.account.id, wish.key)?.answer === null)).size;
}

/** Kinds of the attempts that were still open when they should have been settled. */
async function settle({ timeline, venue }: Scene, process: GatewayProcess): Promise<string[]> {
  const { store, state } = process.gateway.deps;
  for (let atMs = STEP_MS; atMs <= GIVEN_UP_WITHIN_MS; atMs += STEP_MS) {
    await timeline.runUntil(atMs);
    // Without that the histories stand still, and say nothing of what was refused and lost.
    if (atMs % BY_HAND_EVERY_MS === 0) tradeByHand(venue, PARTIES);
    if (state.phase !== "ready" && atMs < SETTLED_WITHIN_MS) continue;
    const open = listOpenAttempts(store).map(({ kind }) => kind);
    if (open.length === 0) return [];
    if (atMs >= SETTLED_WITHIN_MS && open.some((kind) => !OPERATIONS.has(kind))) return open;
  }
  return ["an operation"];
}

/** Longest that an answer takes, milliseconds. */
const ANSWER_MS = 9_000;

async function ask(
  scene: Scene,
  process: GatewayProcess,
  ...[party, key, asked]: Parameters<typeof askDirectly> extends [unknown, ...infer Rest] ? Rest : never
): Promise<{ status: number; body: string }> {
  let answered: { status: number; body: string } | null = null;
  askDirectly(process, party, key, asked).then(
    (answer) => {
      answered = answer;
    },
    (error: unknown) => {
      answered = { status: 500, body: JSON.stringify({ error: String(error) }) };
    },
  );
  const untilMs = scene.timeline.nowMs() + ANSWER_MS;
  while (answered === null && scene.timeline.nowMs() < untilMs) {
    await scene.timeline.runUntil(scene.timeline.nowMs() + 10);
  }
  return answered ?? { status: 0, body: "{}" };
}

async function readEnds(
  scene: Scene,
  process: GatewayProcess,
  { life, intents }: { life: Recorded; intents: ReadonlyMap<string, number> },
): Promise<Ends> {
  const ends = new Map<string, { end: string; intents: number }>();
  for (const { dialogue, body } of toldWrites(life)) {
    const id = fieldOf(body, "id") ?? "";
    if (ends.has(id) || fieldOf(body, "object") !== "order") continue;
    const answer = await ask(scene, process, dialogue.wish.party, null, { kind: "get", id });
    const end = answer.status === 200 ? endOf(answer.body) : `HTTP ${answer.status}`;
    ends.set(id, { end, intents: intents.get(id) ?? 0 });
  }
  return ends;
}

function endOf(body: string): string {
  return ["status", "filled_size", "exchange_order_id"].map((name) => `${name} ${fieldOf(body, name)}`).join(", ");
}

const FINAL = ["filled", "canceled", "rejected"];

/** As they were told, where that was final, and as they came to where nothing was lost. */
function auditEnds(life: Recorded, ends: Ends, reference: Ends | null): string[] {
  const findings: string[] = [];
  for (const { dialogue, status, body } of toldWrites(life)) {
    if (status === 202 || !FINAL.includes(fieldOf(body, "status") ?? "")) continue;
    const end = ends.get(fieldOf(body, "id") ?? "")?.end;
    if (end !== undefined && end !== endOf(body))
      findings.push(`changed outcome: ${dialogue.wish.key} was ${endOf(body)}; now ${end}`);
  }
  for (const [id, { end, intents }] of reference ?? []) {
    const now = ends.get(id);
    // A cancel or modify that was stored but never sent, nor acknowledged, may be gone: then nobody goes on with it.
    if (now !== undefined && now.intents < intents) continue;
    if (now?.end !== end) findings.push(`other outcome: ${id} is ${now?.end}; with nothing lost ${end}`);
  }
  return findings;
}

/** Every client asks once more under its key: nothing that was placed is placed again. */
async function auditRepeats(scene: Scene, process: GatewayProcess, life: Recorded): Promise<string[]> {
  const findings: string[] = [];
  for (const { wish, ask: asked, turns } of life.clients.dialogues) {
    if (asked === null) continue;
    const answer = await ask(scene, process, wish.party, wish.key, asked);
    const told = turns.flatMap(({ outcome }) => (outcome?.kind === "answer" && outcome.status < 300 ? [outcome] : []));
    for (const { body } of told) {
      if (fieldOf(answer.body, "id") === fieldOf(body, "id")) continue;
      findings.push(`other resource: ${wish.key} was ${body}; now ${answer.status} ${answer.body}`);
    }
    const made = [...life.log, ...scene.venue.log].filter((execution) => isMadeBy(execution, wish.price));
    if (made.length > 1) findings.push(`executed ${made.length} times: ${wish.key} at ${wish.price}`);
  }
  return findings;
}

/** Every wish that places something has its own price. */
function isMadeBy({ input: { action }, reply, isAdmitted }: Execution, price: string | null): boolean {
  if (!isAdmitted || price === null || reply.status !== "ok") return false;
  const order = action.type === "order" ? action.orders[0] : null;
  const replacement = action.type === "batchModify" ? action.modifies[0]?.order : null;
  return (order ?? replacement)?.p === price;
}
