/** Hooks after a restore, whose snapshot does not know which were revoked since: each is on hold until the operator says more of it. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { backUp } from "../../src/ops/back-up.ts";
import { placesIn } from "../../src/ops/data-directory.ts";
import { createHook, endHook, keepHook } from "../../src/ops/hooks.ts";
import { hookReleases } from "../../src/ops/next-commands.ts";
import { restore } from "../../src/ops/restore.ts";
import { setKeyState } from "../../src/store/api-keys.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { findHook, holdHooks, insertHook, revokeHook } from "../../src/store/hooks.ts";
import { closeStore } from "../../src/store/open.ts";
import { listRowFaults } from "../../src/store/row-faults.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { fromOutside, makeDirectory, operatorOf, restarted } from "../ops/sealed-directory.ts";
import { HOOK } from "../ops/sealed-hook.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";
import { type HooksRig, openHooksRig, timeAt } from "./hooks-rig.ts";
import { BOT } from "./rails-rig.ts";
import { ACCOUNTS, KEYS } from "./rig.ts";

const BUY = { market: "BTC", side: "buy", size: "0.001" } as const;

function operatorIn(rig: HooksRig) {
  return { ...rig.deps, network: "paper" } as const;
}

async function listed(rig: HooksRig) {
  const list = await rig.ask({ path: "/v1/hooks", apiKey: KEYS.readOnly });
  // A list, as its route says.
  return ((await list.json()) as { data: { name: string; state: string }[] }).data;
}

test("one on hold takes no alert and says why, is listed as held, and takes them again once it is kept", async () => {
  const rig = await openHooksRig();
  holdHooks(rig.deps.store);
  const alert = { ...BUY, time: timeAt(rig), id: "Long" };
  const refused = await rig.send(alert);
  expect(refused.status).toBe(404);
  expect(JSON.stringify(refused.told)).toContain("on hold since the gateway was restored");
  await rig.pass(2);
  expect([rig.orders, rig.deliveries()]).toEqual([[], []]);
  expect(await listed(rig)).toMatchObject([{ name: "chart", state: "held" }]);
  expect(hookReleases(rig.deps.store)).toEqual([`postern hook keep chart --account ${ACCOUNTS.main}`]);
  expect(keepHook(operatorIn(rig), rig.hook)).toMatchObject({ name: "chart", bot: "grid-1", state: "active" });
  expect(hookReleases(rig.deps.store)).toEqual([]);
  expect((await rig.send(alert)).status).toBe(200);
  await rig.pass(2);
  expect(rig.orders).toHaveLength(1);
});

test("what had come to it before the backup is not carried out while it is on hold", async () => {
  const rig = await openHooksRig();
  const { send } = rig.deps.exchange;
  rig.deps.exchange.send = async () => ({ kind: "not_sent", reason: "connection refused" });
  expect((await rig.send({ ...BUY, time: timeAt(rig) })).status).toBe(200);
  await rig.pass(2);
  holdHooks(rig.deps.store);
  rig.deps.exchange.send = send;
  await rig.pass(3);
  expect(rig.orders).toEqual([]);
  expect(rig.deliveries()).toMatchObject([{ status: "refused", reason: expect.stringContaining("on hold") }]);
});

test("one is kept after its key, and no other has its name meanwhile; one that is revoked stays so", async () => {
  const rig = await openHooksRig();
  const { store } = rig.deps;
  const terms = {
    name: "chart",
    mode: "order",
    market: null,
    maxAgeMs: 60_000,
    sameWithinMs: 60_000,
    maxSlippageBps: 50,
    sources: null,
  } as const;
  holdHooks(store);
  setKeyState(store, keyHash(BOT), "held", rig.clock.nowMs());
  expect(() => keepHook(operatorIn(rig), rig.hook)).toThrow("release the key");
  setKeyState(store, keyHash(BOT), "active", rig.clock.nowMs());
  const same = { ...terms, isRehearsal: false, keyHash: keyHash(BOT) };
  expect(() => createHook(operatorIn(rig), same)).toThrow("there is a hook chart already");
  endHook(operatorIn(rig), rig.hook);
  expect(findHook(store, rig.hook.id)?.state).toBe("revoked");
  expect(() => keepHook(operatorIn(rig), rig.hook)).toThrow("one-way");
});

test("a restore puts on hold what was active, and neither the row nor a restart takes it off again", async () => {
  await inTemporaryDirectory(async (directory) => {
    const path = join(directory, "postern.db");
    const original = makeDirectory(path);
    const ended = { ...HOOK, id: `${HOOK.id.slice(0, -1)}9`, name: "ended", secretHash: "01".repeat(32) };
    for (const hook of [HOOK, ended]) inTransaction(original, () => insertHook(original, hook, "operator"));
    inTransaction(original, () => revokeHook(original, ended, { actor: "operator", atMs: 2 }));
    const file = join(directory, "backup.db");
    backUp(path, file);
    inTransaction(original, () => revokeHook(original, HOOK, { actor: "operator", atMs: 3 }));
    const places = placesIn(join(directory, "restored"));
    const { clock } = operatorOf(original);
    const done = restore({
      places,
      file,
      network: null,
      isUnofficialAllowed: true,
      isChangedAllowed: false,
      processId: 1,
      clock,
    });
    expect(done.hooksHeld).toBe(1);
    const first = restarted(original, places.database);
    expect(first.told).toEqual([]);
    expect([HOOK, ended].map(({ id }) => findHook(first.store, id)?.state)).toEqual(["held", "revoked"]);
    expect(listRowFaults(first.store)).toEqual([]);
    fromOutside(places.database, `UPDATE hooks SET state = 'active' WHERE id = '${HOOK.id}'`);
    const second = restarted(first.store, places.database);
    expect(findHook(second.store, HOOK.id)).toBeNull();
    expect(second.told.join()).toContain("it opens nothing");
    closeStore(second.store);
  });
});
