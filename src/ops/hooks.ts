/** Makes and ends hooks. What may send orders is given away, so it is sealed, which takes the passphrase. */
import { type Hook, isHookName, MAX_HOOKS, MOST_MAX_AGE_S, MOST_SAME_WITHIN_S } from "../core/hook/hook.ts";
import { isNetwork } from "../core/rails/networks.ts";
import { newUuid } from "../core/uuid.ts";
import { MAX_SLIPPAGE_BPS } from "../core/worst-price.ts";
import { findApiKey } from "../store/api-keys.ts";
import { botOf } from "../store/bots.ts";
import { inTransaction } from "../store/commit.ts";
import { findHook, insertHook, listHooks, revokeHook } from "../store/hooks.ts";
import type { Store } from "../store/open.ts";
import { sha256Hex } from "../wire/sha256.ts";
import { type Operator, OperatorError } from "./operator.ts";

export type WantedHook = Omit<Hook, "id" | "accountId" | "secretHash" | "state" | "createdAtMs">;

const SECRET_BYTES = 32;
const ID_BYTES = 16;

/** The secret is in what this returns, and nowhere else ever after. */
export function createHook(operator: Operator, wanted: WantedHook) {
  requireForm(wanted);
  const secret = `hook_${Buffer.from(operator.randomBytes(SECRET_BYTES)).toString("hex")}`;
  const id = newUuid(operator.randomBytes(ID_BYTES));
  const createdAtMs = operator.clock.nowMs();
  return inTransaction(operator.store, (store) => {
    const { accountId, bot } = requireKey(store, wanted.keyHash);
    const secretHash = sha256Hex(secret);
    const hook: Hook = { ...wanted, id, accountId, secretHash, state: "active", createdAtMs };
    requireRoom(store, hook, bot);
    insertHook(store, hook, "operator");
    return { id, account: accountId, name: hook.name, bot, mode: hook.mode, market: hook.market, secret };
  });
}

function requireForm({ name, market, maxAgeMs, sameWithinMs, maxSlippageBps, sources }: WantedHook): void {
  const say = (what: string) => new OperatorError(what);
  if (!isHookName(name)) throw say("the name is 1 to 40 of a-z, 0-9 and -");
  if (market === "") throw say("name the market, or leave it out where each alert names one");
  if (!isWithinSeconds(maxAgeMs, 1, MOST_MAX_AGE_S)) throw say(`the greatest age is 1 to ${MOST_MAX_AGE_S} s`);
  if (!isWithinSeconds(sameWithinMs, 1, MOST_SAME_WITHIN_S))
    throw say(`the time in which alerts that say the same are one is 1 to ${MOST_SAME_WITHIN_S} s`);
  if (!Number.isInteger(maxSlippageBps) || maxSlippageBps < 1 || maxSlippageBps > MAX_SLIPPAGE_BPS)
    throw say(`the slippage is a whole number of basis points, 1 to ${MAX_SLIPPAGE_BPS}`);
  if (sources !== null && !sources.split(",").every(isNetwork))
    throw say("the sources are networks such as 203.0.113.7/32, joined by commas");
}

function isWithinSeconds(ms: number, least: number, most: number): boolean {
  return Number.isInteger(ms) && ms >= least * 1_000 && ms <= most * 1_000;
}

/** A hook is a bot: what it may do its owner has signed. */
function requireKey(store: Store, keyHash: string): { accountId: string; bot: string } {
  const key = findApiKey(store, keyHash);
  const bot = botOf(store, keyHash);
  if (key === null || key.state !== "active") throw new OperatorError("no key with this hash is registered and active");
  if (bot === null)
    throw new OperatorError("this key has no rails: a hook acts as a bot whose rails its owner has signed");
  if (!key.scopes.includes("trading:write")) throw new OperatorError("this key may not write");
  return { accountId: key.accountId, bot };
}

function requireRoom(store: Store, hook: Hook, bot: string): void {
  const others = listHooks(store, hook.accountId).filter(({ state }) => state === "active");
  if (others.length >= MAX_HOOKS) throw new OperatorError(`an account has at most ${MAX_HOOKS} hooks: revoke one`);
  if (others.some(({ name }) => name === hook.name)) throw new OperatorError(`there is a hook ${hook.name} already`);
  if (hook.mode !== "target" || hook.isRehearsal) return;
  // Each would undo what the other says.
  const rival = others.find(
    ({ mode, market, keyHash, isRehearsal }) =>
      mode === "target" &&
      !isRehearsal &&
      botOf(store, keyHash) === bot &&
      (market === null || hook.market === null || market === hook.market),
  );
  if (rival !== undefined)
    throw new OperatorError(`hook ${rival.name} says already what bot ${bot} is to hold there: one bot, one target`);
}

/** What it has been sent and has not carried out goes with it; orders stay. */
export function endHook(operator: Operator, { id }: { id: string }) {
  const atMs = operator.clock.nowMs();
  return inTransaction(operator.store, (store) => {
    const hook = findHook(store, id);
    if (hook === null) throw new OperatorError(`there is no hook ${id}`);
    if (hook.state === "active") revokeHook(store, hook, { actor: "operator", atMs });
    return { id, name: hook.name, state: "revoked" };
  });
}
