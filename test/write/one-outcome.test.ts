/** What comes by a hook or a tool makes nothing larger where the outcome of one order of its bot is not known. */
import { expect, test } from "bun:test";
import { placeOrder } from "../../src/actions/place-order.ts";
import type { OrderTerms } from "../../src/core/order.ts";
import { findAccount } from "../../src/store/accounts.ts";
import { findApiKey } from "../../src/store/api-keys.ts";
import { keyHash } from "../../src/wire/grant.ts";
import type { Caller } from "../../src/write/caller.ts";
import { hasOpenOutcome } from "../../src/write/one-outcome.ts";
import { BOT, fillAt, limitedRig, MARK, OTHER_BOT, register, textOf } from "../http/rails-rig.ts";
import { ACCOUNTS, type Rig } from "../http/rig.ts";

const TERMS: OrderTerms = {
  market: "BTC",
  side: "buy",
  size: "0.001",
  price: MARK,
  timeInForce: "ioc",
  reduceOnly: false,
  trigger: null,
};

let made = 0;

/** The code and words of a refusal, or the status of the answer. */
async function asked(rig: Rig, terms: Partial<OrderTerms>, unattended?: Caller["unattended"], apiKey = BOT) {
  const key = findApiKey(rig.deps.store, keyHash(apiKey));
  const account = findAccount(rig.deps.store, ACCOUNTS.main);
  if (key === null || account === null) throw new Error("no such key");
  const caller: Caller = { account, key, reader: { reader: "test" }, charge: () => undefined };
  made += 1;
  const of = { accountId: ACCOUNTS.main, idempotencyKey: `outcome-${made}`, fingerprint: `outcome-${made}` };
  const write = placeOrder(rig.deps, unattended === undefined ? caller : { ...caller, unattended }, {
    ...TERMS,
    ...terms,
    ...of,
  });
  const answered = write.then(
    ({ status }) => String(status),
    (error: Error) => error.message,
  );
  for (let waitedMs = 0; waitedMs < 9_000; waitedMs += 500) {
    if (await Promise.race([answered.then(() => true), rig.clock.advance(500).then(() => false)])) break;
  }
  return answered;
}

const ANY_TIME = { untilMs: null, wasStopped: () => false };

async function rigWithUnknown(): Promise<Rig> {
  const rig = await limitedRig({});
  rig.deps.exchange.send = async () => ({ kind: "unknown", reason: "the connection was reset" });
  expect(await asked(rig, {})).toBe("202");
  fillAt(rig, MARK);
  return rig;
}

test("it is refused until the outcome is known, and a request of the bot's own is not", async () => {
  const rig = await rigWithUnknown();
  expect(await asked(rig, {}, ANY_TIME)).toContain("of bot grid-1 in BTC is not known yet");
  expect(await asked(rig, { market: "ETH" }, ANY_TIME)).toBe("201");
  expect(await asked(rig, {})).toBe("201");
});

test("nor is what the operator has given up: that was his to decide", async () => {
  const rig = await rigWithUnknown();
  const { store } = rig.deps;
  store.$client.run("UPDATE orders SET released_at_ms = 1, attempt_state = 'done' WHERE status = 'unknown'");
  expect(await asked(rig, {}, ANY_TIME)).toBe("201");
});

test("another bot's unknown order is no concern of it", async () => {
  const rig = await rigWithUnknown();
  await register(rig, textOf(rig, { bot: "other-1" }, OTHER_BOT));
  expect(await asked(rig, {}, ANY_TIME, OTHER_BOT)).toBe("201");
});

test("what can only reduce passes", async () => {
  const rig = await limitedRig({}, [{ coin: "BTC", szi: "0.002" }]);
  fillAt(rig, MARK);
  expect(await asked(rig, { size: "0.002" })).toBe("201");
  rig.deps.exchange.send = async () => ({ kind: "unknown", reason: "the connection was reset" });
  expect(await asked(rig, {})).toBe("202");
  fillAt(rig, MARK);
  expect(await asked(rig, { side: "sell", reduceOnly: true }, ANY_TIME)).toBe("201");
});

test("what has grown too old by the moment at which it is stored is not sent", async () => {
  const rig = await limitedRig({});
  fillAt(rig, MARK);
  expect(await asked(rig, {}, { ...ANY_TIME, untilMs: rig.clock.nowMs() - 1 })).toContain("older by now");
  expect(await asked(rig, {}, { ...ANY_TIME, untilMs: rig.clock.nowMs() + 5_000 })).toBe("201");
});

test("what is open in another account keeps nobody waiting", async () => {
  const { deps } = await rigWithUnknown();
  const of = { accountId: ACCOUNTS.main, bot: null, market: "BTC" };
  expect(hasOpenOutcome(deps.store, of)).toBe(true);
  expect(hasOpenOutcome(deps.store, { ...of, accountId: "5c0d8a52-6f0e-4f3b-9c55-0e7d1b2a4c99" })).toBe(false);
});
