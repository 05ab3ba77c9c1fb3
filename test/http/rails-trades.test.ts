/** A key with rails and a trade: it is judged whole, counts whole from the answer on, and is its own. */
import { expect, test } from "bun:test";
import { BOT, type Body, inSeconds, limitedRig, OTHER_BOT, place, railOf, register, textOf } from "./rails-rig.ts";
import { ask, create, created, guard, read, rows, silent } from "./trades-rig.ts";

test.each([
  ["max_order", { maxOrder: "500 USD" }, {}],
  ["max_position", { maxPosition: "500 USD" }, {}],
  ["max_exposure", { maxExposure: "500 USD" }, {}],
  ["max_turnover_per_day", { maxTurnoverPerDay: "500 USD" }, {}],
  ["markets", { markets: "ETH" }, {}],
  ["may", { may: "reduce,cancel" }, {}],
  ["max_distance", { maxDistance: "2 %" }, { entry: { price: "62000" } }],
  ["max_stop_distance", { maxStopDistance: "5 %" }, { stop_loss: guard("58000", "50000") }],
] as const)("a bot's trade beyond %s is refused whole: nothing of it is stored", async (rail, rails, terms) => {
  const rig = await limitedRig(rails);
  const before = rows(rig);
  expect(await railOf(await create(rig, terms, { apiKey: BOT }))).toBe(rail);
  expect([rows(rig), rig.sent]).toEqual([before, []]);
});

test.each([
  ["max_position", { maxPosition: "700 USD" }],
  ["max_exposure", { maxExposure: "700 USD" }],
  ["max_turnover_per_day", { maxTurnoverPerDay: "700 USD" }],
] as const)("before its entry is sent a trade has used up %s", async (rail, rails) => {
  const rig = silent(await limitedRig(rails));
  await created(rig, {}, { apiKey: BOT });
  expect(await railOf(await inSeconds(rig, place(rig, { size: "0.002" })))).toBe(rail);
  expect(await railOf(await create(rig, { size: "0.002" }, { apiKey: BOT }))).toBe(rail);
  expect(await railOf(await inSeconds(rig, place(rig, { size: "0.001" })))).toBe("passed");
});

test("one bot neither cancels nor moves another's trade", async () => {
  const rig = silent(await limitedRig({}));
  expect((await register(rig, textOf(rig, { bot: "other-1" }, OTHER_BOT), undefined)).status).toBe(201);
  const { id } = await created(rig, {}, { apiKey: BOT });
  const answers: [string, Body][] = [
    [`/v1/trades/${id}/cancel`, {}],
    [`/v1/trades/${id}/modify`, { stop_loss: guard("59000") }],
  ];
  for (const [path, body] of answers)
    expect(await railOf(await ask(rig, path, body, { apiKey: OTHER_BOT }))).toBe("touches");
  expect(await (await read(rig, `/v1/trades/${id}`)).json()).toMatchObject({ stop_loss: { trigger_price: "58000" } });
});

test("a bot moves a stop no further from its limit than its owner lets it", async () => {
  const rig = silent(await limitedRig({ maxStopDistance: "12 %" }));
  const { id } = await created(rig, {}, { apiKey: BOT });
  const path = `/v1/trades/${id}/modify`;
  const far = await ask(rig, path, { stop_loss: guard("58000", "50000") }, { apiKey: BOT });
  expect(await railOf(far)).toBe("max_stop_distance");
  expect((await ask(rig, path, { stop_loss: guard("59000", "58000") }, { apiKey: BOT })).status).toBe(200);
});

test("a take-profit that the mark is beyond today is judged from its own trigger, as it waits until the entry has filled", async () => {
  const rig = silent(await limitedRig({ maxDistance: "2 %" }));
  const terms = { entry: { price: "50000" }, stop_loss: guard("45000"), take_profit: guard("55000") };
  expect(await railOf(await inSeconds(rig, create(rig, terms, { apiKey: BOT })))).toBe("passed");
});
