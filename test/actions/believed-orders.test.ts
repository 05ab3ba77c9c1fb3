import { expect, test } from "bun:test";
import { contentOfAccount, listAccountRows } from "../../src/store/accounts.ts";
import { contentOfAgent, listAgentRows } from "../../src/store/agents.ts";
import { contentOfKey, findApiKey, listKeyRows } from "../../src/store/api-keys.ts";
import { contentOfInstance, INSTANCE_ID, insertInstance } from "../../src/store/instance.ts";
import type { Store } from "../../src/store/open.ts";
import { believe, type SealedRow } from "../../src/store/sealed-rows.ts";
import { type GatewayRig, openFilledStore, openGatewayRig } from "../support/gateway-rig.ts";
import { openMemoryStore } from "../support/memory-store.ts";

/** A filled store that counts the statements that are run on it. */
function countingStore(): { store: Store; count(): number } {
  const store = openMemoryStore();
  const client = store.$client;
  const prepare = client.prepare.bind(client);
  let statements = 0;
  const counted = (sql: string) =>
    new Proxy(prepare(sql), {
      get(statement, name) {
        const value: unknown = Reflect.get(statement, name, statement);
        if (typeof value !== "function") return value;
        return (...given: unknown[]) => {
          statements += 1;
          return Reflect.apply(value, statement, given);
        };
      },
    });
  // Does the same, on this one connection.
  client.prepare = counted as unknown as typeof client.prepare;
  return { store: openFilledStore(store), count: () => statements };
}

/** As a start with the passphrase does. */
function seal({ store, deps }: GatewayRig): void {
  insertInstance(store, deps.instance);
  const rows: SealedRow[] = [
    { kind: "instance", id: INSTANCE_ID, content: contentOfInstance(deps.instance) },
    ...listAccountRows(store).map((row) => ({ kind: "account", id: row.id, content: contentOfAccount(row) }) as const),
    ...listAgentRows(store).map((row) => ({ kind: "agent", id: row.address, content: contentOfAgent(row) }) as const),
    ...listKeyRows(store).map((row) => ({ kind: "key", id: row.keyHash, content: contentOfKey(row) }) as const),
  ];
  believe(store, rows, { seal: () => undefined, isGranted: () => true, tell: ({ what }) => expect(what).toBe("") });
}

async function statementsOfAnOrder(isSealed: boolean): Promise<number> {
  const { store, count } = countingStore();
  const rig = openGatewayRig({ store });
  if (isSealed) seal(rig);
  expect(findApiKey(store, rig.caller.key.keyHash)).toMatchObject({ fault: null, accountFault: null });
  expect((await rig.answerOf(rig.place("the-first-order"))).httpStatus).toBe(201);
  const before = count();
  expect((await rig.answerOf(rig.place("the-second-order"))).httpStatus).toBe(201);
  return count() - before;
}

test("an order reads and writes no statement more where rows are believed only as they were sealed", async () => {
  const counted = await statementsOfAnOrder(false);
  expect(counted).toBeGreaterThan(3);
  expect(await statementsOfAnOrder(true)).toBe(counted);
});
