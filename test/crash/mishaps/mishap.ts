/** What befalls a machine, each as a scene of its own: what is said, what is sent, and how it ends without help. */
import { askUntilKnown, type Client } from "../clients.ts";
import { compareNow, compareSettled, readRows } from "../compare.ts";
import { readExchange } from "../exchange-log.ts";
import { type Program, type Started, start, waitUntilReady } from "../processes.ts";
import type { Executable, Scene } from "../scene.ts";
import type { Wish } from "../wishes.ts";

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

/** The machine is well again: every key ends as the exchange has it, and the gateway stops when it is asked to. */
export async function expectTruth(stage: Stage, scene: Scene, about: { served: Served; wishes: readonly Wish[] }) {
  const { served, wishes } = about;
  const open = await askUntilKnown(served.client, wishes);
  const [log, rows] = [await readExchange(scene), readRows(scene.dataDirectory)];
  const settled = await compareSettled(served.client, wishes, log, rows);
  const findings = [...compareNow(wishes, log, rows), ...settled, ...open.map(({ key }) => `${key} is open`)];
  stage.expect(`all ${wishes.length} keys end in the truth ${findings.join("; ")}`, findings.length === 0);
  stage.expect("it stops when it is asked to", (await served.gateway.kill("SIGTERM")) === 0);
}
