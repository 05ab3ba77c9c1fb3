import { expect, test } from "bun:test";
import { inSeconds, limitedRig, place, railOf } from "./rails-rig.ts";
import { ACCOUNTS, KEYS, type Rig } from "./rig.ts";

type Told = { account: string; order: string; resting_order: string; bot: string; market: string };

async function selfTrades(rig: Rig): Promise<Told[]> {
  const response = await rig.ask({ path: "/v1/events?after=0&follow=false", apiKey: KEYS.both });
  const frames = (await response.text()).split("\n\n").filter((frame) => frame.includes("order.self_trade"));
  return frames.map((frame) => (JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? "") as { data: Told }).data);
}

test("an order that is about to meet another key's is told with it, and no other", async () => {
  const rig = await limitedRig({});
  const idOf = async (asked: Promise<Response>) => ((await (await inSeconds(rig, asked)).json()) as { id: string }).id;
  const plain = { apiKey: KEYS.both };
  const resting = await idOf(place(rig, { price: "59000" }, plain));
  await idOf(place(rig, { price: "58000" }, plain));
  await idOf(place(rig, { side: "sell", price: "59001" }));
  await idOf(place(rig, { price: "59900" }));
  expect(await selfTrades(rig)).toEqual([]);
  const order = await idOf(place(rig, { side: "sell", price: "58500" }));
  const about = { object: "self_trade", account: ACCOUNTS.main, market: "BTC", bot: "grid-1" } as const;
  expect(await selfTrades(rig)).toEqual([{ ...about, order, resting_order: resting } as unknown as Told]);
});

test("a trigger that would buy up to another's resting reduction is refused at the door, as an order at once is", async () => {
  const rig = await limitedRig({}, [{ coin: "BTC", szi: "1" }]);
  const others = place(rig, { side: "sell", size: "0.05", price: "60900", reduce_only: true }, { apiKey: KEYS.both });
  expect((await inSeconds(rig, others)).status).toBe(201);
  const trigger = (limit: string) =>
    inSeconds(rig, place(rig, { price: limit, trigger: { price: "60500", kind: "stop_loss", market: true } }));
  expect(await railOf(await inSeconds(rig, place(rig, { price: "61000" })))).toBe("touches");
  expect(await railOf(await trigger("61200"))).toBe("touches");
  expect(await railOf(await trigger("60800"))).toBe("passed");
});
