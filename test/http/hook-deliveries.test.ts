/** What a hook's owner is shown of the alerts that came. */
import { expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { DeliveryResource } from "../../src/http/schema/hook.ts";
import { type HooksRig, openHooksRig, timeAt } from "./hooks-rig.ts";
import { refusalOf } from "./rails-rig.ts";
import { KEYS } from "./rig.ts";

const BUY = { market: "BTC", side: "buy", size: "0.001" } as const;

type Page = { data: Record<string, unknown>[]; has_more: boolean; next_cursor: string | null };

async function page(rig: HooksRig, query = "", apiKey: string = KEYS.readOnly): Promise<Page> {
  const answer = await rig.ask({ path: `/v1/hooks/${rig.hook.id}/deliveries${query}`, apiKey });
  // A list, as its route says.
  const told = (await answer.json()) as Page;
  for (const each of told.data) expect([...Value.Errors(DeliveryResource, each)]).toEqual([]);
  return told;
}

async function ordersOf(rig: HooksRig): Promise<string[][]> {
  // Held against its schema by `page`.
  return (await page(rig)).data.map(({ order_ids: ids }) => ids as string[]);
}

test("what came, when, what became of it and which order, the newest first", async () => {
  const rig = await openHooksRig();
  const alert = { ...BUY, time: timeAt(rig), id: "Long" };
  await rig.send(alert);
  await rig.pass(3);
  await rig.send(alert);
  await rig.send("not JSON");
  await rig.send({ ...BUY, time: timeAt(rig, -100) });
  const { data } = await page(rig);
  const orders = await rig.ask({ path: "/v1/orders", apiKey: KEYS.readOnly });
  const [order] = ((await orders.json()) as Page).data;
  const nothing = { order_ids: [], repeats: 0, hook: rig.hook.id };
  expect(data).toMatchObject([
    { ...nothing, status: "too_old", market: "BTC", reason: "it is older than 60 s" },
    { ...nothing, status: "refused", market: null, alert_at: null, body: "not JSON" },
    { status: "done", body: JSON.stringify(alert), order_ids: [order?.["id"]], repeats: 1, reason: null },
  ]);
});

test("every order on the way to a target is told, while it is on its way too", async () => {
  const rig = await openHooksRig({ mode: "target" });
  await rig.send({ market: "BTC", time: timeAt(rig, -1), target: "0.002" });
  await rig.pass(3);
  await rig.send({ market: "BTC", time: timeAt(rig), target: "-0.001" });
  const counts: number[] = [];
  for (let step = 0; step < 12; step += 1) {
    counts.push((await ordersOf(rig))[0]?.length ?? 0);
    await rig.pass(0.5);
  }
  expect([...new Set(counts)].at(-1)).toBe(2);
  expect(counts).toEqual(counts.toSorted());
  expect((await ordersOf(rig)).flat()).toHaveLength(3);
});

test("by pages, each alert once; of another account's hook nothing", async () => {
  const rig = await openHooksRig({ isRehearsal: true });
  for (let nth = 0; nth < 7; nth += 1) await rig.send({ ...BUY, id: `n${nth}` });
  const seen: unknown[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const { data, has_more: hasMore, next_cursor: next } = await page(rig, `?limit=3${cursor && `&cursor=${cursor}`}`);
    seen.push(...data.map(({ body }) => JSON.parse(String(body)).id));
    expect(hasMore).toBe(next !== null);
    cursor = next;
  }
  expect(seen).toEqual(["n6", "n5", "n4", "n3", "n2", "n1", "n0"]);
  const path = `/v1/hooks/${rig.hook.id}/deliveries`;
  expect(await refusalOf(await rig.ask({ path, apiKey: KEYS.other }))).toStartWith("404 hook_not_found");
  expect(await refusalOf(await rig.ask({ path: `${path}?cursor=x`, apiKey: KEYS.readOnly }))).toStartWith(
    "400 invalid_cursor",
  );
  expect(await refusalOf(await rig.ask({ path: `${path}?limit=501`, apiKey: KEYS.readOnly }))).toStartWith(
    "400 invalid_limit",
  );
  expect(await refusalOf(await rig.ask({ path: "/v1/hooks/x/deliveries", apiKey: KEYS.readOnly }))).toStartWith(
    "400 invalid_id",
  );
});
