/** What befalls a machine, each as a scene of its own: what is said, what is sent, and how it ends without help. */
import type { Client } from "../clients.ts";
import { compareNow, compareSettled, readRows } from "../compare.ts";
import { readExchange } from "../exchange-log.ts";
import { type Program, type Started, start, waitUntilReady } from "../processes.ts";
import type { Executable, Scene } from "../scene.ts";
import { settleAll } from "../settle-all.ts";
import type { Wish, Wishes } from "../wishes.ts";

export type Stage = {
  /** As it is shipped. */
  shipped: Executable;
  /** The same, but that it stops or dies at a named step. */
  doomed: Executable;
  expect(what: string, isTrue: boolean): void;
};

export type Mishap = {
  name: string;
  /** What the machine lacks for it; null when it can be run. */
  lacks(): string | null;
  run(stage: Stage): Promise<void>;
};

export type Served = { gateway: Started; client: Client };

/** A gateway that takes writes. */
export async function serve(scene: Scene, program: Program): Promise<Served> {
  const gateway = await start(program);
  if ("endedEarly" in gateway) throw new Error(`it did not start: ${gateway.endedEarly}`);
  const client = { baseUrl: gateway.facts["base_url"] ?? "", apiKey: scene.apiKey };
  if (!(await waitUntilReady(gateway))) throw new Error(`it ended before it was ready: ${await gateway.log}`);
  return { gateway, client };
}

export function lastCode({ heard }: Wish): string | null {
  const last = heard.at(-1);
  return last === undefined || last.status < 300 ? null : JSON.parse(last.body).error.code;
}

/** What the exchange has taken so far must be recorded, and nothing executed twice. */
export async function expectNothingUnrecorded({ expect }: Stage, scene: Scene, wishes: readonly Wish[]): Promise<void> {
  const findings = compareNow(wishes, await readExchange(scene), readRows(scene.dataDirectory));
  expect(`nothing was sent that is not recorded ${findings.join("; ")}`, findings.length === 0);
}

/** Longest that a key may stay open when all is well again, milliseconds. */
const SETTLED_WITHIN_MS = 60_000;

/** The machine is well again: every key ends as the exchange has it, and the gateway stops when it is asked to. */
export async function expectTruth(stage: Stage, scene: Scene, about: { served: Served; wishes: Wishes }) {
  const { served, wishes } = about;
  const open = await settleAll(served.client, wishes, { clients: 1, withinMs: SETTLED_WITHIN_MS });
  const unanswered = open.filter(({ heard }) => heard.at(-1)?.status !== 202);
  const [log, rows] = [await readExchange(scene), readRows(scene.dataDirectory)];
  const settled = await compareSettled(served.client, wishes.all, log, rows);
  const findings = [
    ...compareNow(wishes.all, log, rows),
    ...settled,
    ...unanswered.map(({ key, heard }) => `${key} is open: ${heard.at(-1)?.body}`),
  ];
  stage.expect(`all ${wishes.all.length} keys end in the truth ${findings.join("; ")}`, findings.length === 0);
  stage.expect("it stops when it is asked to", (await served.gateway.kill("SIGTERM")) === 0);
}
