/** One action broken off at one byte, followed until it is settled. */
import { fieldOf } from "../../simulation/clients.ts";
import type { Answered } from "../../simulation/front.ts";
import { EVERY_ATTEMPT } from "../../support/every-row.ts";
import { type Bench, TooBusy } from "./bench.ts";
import type { Fault, Post } from "./fault-proxy.ts";
import { attemptKind, type Kind, type Prepared, prepare } from "./kinds.ts";

export type CaseResult = {
  findings: string[];
  /** Nothing false was told, and nothing learned: the clock was too fast for a busy machine, and it is to be run again. */
  isInconclusive: boolean;
  /** What the client was answered at first, and how it ended. */
  ending: string;
  /** Of the POST that was broken off. */
  post: Post | null;
};

/** Cases that a busy machine could not send in time, in a row. */
const MAX_TRIES = 10;
/** Between two of them, milliseconds of the fast clock: what a read that came too late has closed opens again. */
const BETWEEN_TRIES_MS = 15_000;

type About = { fault: Fault | null; nth: number };

export async function runCase(bench: Bench, kind: Kind, about: About): Promise<CaseResult> {
  bench.proxy.arm([]);
  try {
    return await breakOff(bench, kind, { ...about, prepared: await prepare(bench, kind, about.nth) });
  } catch (error) {
    if (!(error instanceof TooBusy)) throw error;
    return { findings: [error.message], isInconclusive: true, ending: "", post: null };
  }
}

async function breakOff(bench: Bench, kind: Kind, about: About & { prepared: Prepared }): Promise<CaseResult> {
  const { fault, nth, prepared } = about;
  const { last: lastAttempt } = attemptsAfter(bench, 0);
  const noopsBefore = countNoopsSigned(bench);
  const errorsBefore = bench.errors.length;
  let key = "";
  let first: Answered | null = null;
  let refusal = "nothing";
  for (let attempt = 0; first === null && attempt < MAX_TRIES; attempt += 1) {
    if (attempt > 0) await bench.clock.sleep(BETWEEN_TRIES_MS);
    key = `${kind}-${nth}-${attempt}`;
    bench.proxy.arm(kind === "noop" ? [{ way: "request", offset: 0 }, fault] : [fault]);
    const answer = await bench.ask(key, prepared.ask);
    // Nothing of it has left: the clock was too fast for a busy machine. A case before this one asks for its number still.
    if (answer.status <= 202 || bench.proxy.posts.some(isAction)) first = answer;
    else refusal = `${answer.status} ${answer.body}`;
  }
  if (first === null || first.status > 202) {
    const words = first === null ? `${refusal}, and nothing left` : `${first.status} ${first.body}`;
    return { findings: [`answered ${words}`], isInconclusive: first === null, ending: "", post: null };
  }
  const findings: string[] = [];
  const isSettled = await bench.settled();
  const posts = [...bench.proxy.posts];
  const told = await bench.read(first.body);
  const notAsTold = prepared.verify(told);
  findings.push(...auditPosts(bench, posts, { kind, lastAttempt, noopsBefore }));
  findings.push(...(await auditRepeat(bench, prepared, { key, first: first.body, posts: posts.length })));
  findings.push(...bench.errors.slice(errorsBefore));
  const status = fieldOf(told, "status");
  // Noop and reads went unanswered, too: that it is not known, or cannot be proven, is the truth.
  // As it should be, and not settled yet: the clock was too fast for a busy machine.
  const isLate = !isSettled && notAsTold.length === 0;
  const isInconclusive = findings.length === 0 && (status === "unknown" || isLate);
  return {
    findings: [...findings, ...notAsTold, ...(isSettled ? [] : ["not settled in time"])],
    isInconclusive,
    ending: `${first.status}, then ${status}`,
    post: posts[kind === "noop" ? 1 : 0] ?? null,
  };
}

function isAction({ body }: Post): boolean {
  return !body.includes('"type":"noop"');
}

type Sums = { last: number; count: number };

function attemptsAfter({ store }: Bench, id: number): Sums {
  const sums = "SELECT coalesce(max(id), 0) AS last, count(*) AS count";
  return (
    store.$client.prepare<Sums, [number]>(`${sums} FROM ${EVERY_ATTEMPT} WHERE id > ?`).get(id) ?? {
      last: 0,
      count: 0,
    }
  );
}

/** By the audit log: one that takes what a refusal has left unused stands in no attempt's own count. */
function countNoopsSigned({ store }: Bench): number {
  const counted = "SELECT count(*) AS count FROM audit WHERE event = 'sign_noop'";
  return store.$client.prepare<{ count: number }, []>(counted).get()?.count ?? 0;
}

/** Everything that left is on record, and no action left twice: not even its first bytes. */
function auditPosts(
  bench: Bench,
  posts: readonly Post[],
  about: { kind: Kind; lastAttempt: number; noopsBefore: number },
): string[] {
  const { count } = attemptsAfter(bench, about.lastAttempt);
  // A case before this one that is not settled yet asks for its number still.
  const noops = countNoopsSigned(bench) - about.noopsBefore;
  const findings: string[] = [];
  if (posts.length > count + noops) findings.push(`${posts.length} POSTs, of which ${count + noops} are on record`);
  const actions = posts.filter(isAction).map(({ body }) => body);
  if (new Set(actions).size !== actions.length) findings.push("the same action was posted twice");
  // A cancel stays armed: it is signed anew while its order is live. Nothing else is.
  const most = attemptKind(about.kind) === "cancel" ? count : 1;
  if (actions.length > most) findings.push(`${actions.length} actions were posted for one request`);
  return findings;
}

async function auditRepeat(
  bench: Bench,
  { ask }: Prepared,
  before: { key: string; first: string; posts: number },
): Promise<string[]> {
  const again = await bench.ask(before.key, ask);
  const findings: string[] = [];
  if (!again.isReplay) findings.push("the repeated key is not answered as a repeat");
  if (fieldOf(again.body, "id") !== fieldOf(before.first, "id")) findings.push("the repeated key has another resource");
  if (bench.proxy.posts.length > before.posts) findings.push("the repeated key sent something");
  return findings;
}
