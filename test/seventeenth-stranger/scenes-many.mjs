// Six orders at once, each modified with always_place while the answers come late or never; one way of lying for each.
import { pause } from "./gateway.mjs";
import { tidy } from "./ledger.mjs";
import { legsText, lieOf, mend, rest, settle, spoilFeed, story, watch } from "./scenes-modify.mjs";

const LIES = ["none", "unknownOid", "canceled", "filled", "rejected", "marginCanceled"];

async function many(stage, shape = {}) {
  const { faults, gateway, judge, ledger, pick, roll } = stage;
  const feed = shape.feed ?? pick(["up", "down", "late"]);
  const rows = [];
  for (let i = 0; i < LIES.length; i++) {
    const row = await rest(stage, { price: String(58000 + i * 100) });
    row.lie = shape.lie ?? LIES[i];
    row.share = shape.share ?? pick([0.5, 1]);
    if (roll() < 0.7) ledger.fill(row.leg, 0.004);
    rows.push(row);
  }
  await pause(1500);
  for (const store of ["history", "open", "fills"])
    faults.lag[store] = shape.lag ?? pick([0, 0, 1000, 4000, () => (roll() < 0.5 ? 0 : 3000)]);
  const lies = rows.map((row) => (row.lie === "none" ? () => undefined : lieOf(row.root, row.lie, row.share, roll)));
  faults.info = (body, answer) => lies.map((lie) => lie(body, answer)).find(Boolean);
  spoilFeed(stage, feed);
  faults.exchange = (action) =>
    action.type === "batchModify"
      ? (shape.fault ?? pick([{ late: 3000, hang: true }, { late: 5000 }, { lost: true }, { hang: true }]))
      : {};
  const ids = new Set();
  const change = (i) => ({ price: String(58050 + i * 100), always_place: true });
  const asked = rows.map(async (row, i) => {
    row.told = await gateway.post(`/v1/orders/${row.id}/modify`, change(i), { name: `many-${i}-${row.id}` });
    for (const id of [row.id, row.told.json.id]) if (id) ids.add(id);
  });
  await Promise.all(asked);
  await watch(stage, [...ids], 5000);
  mend(stage);
  await settle(stage, ids, 40_000);
  for (const [i, row] of rows.entries()) {
    const last = await gateway.post(`/v1/orders/${row.id}/modify`, change(i), { name: `many-${i}-${row.id}` });
    const legs = judge.legs(row.root);
    const isSame = last.json.id === row.id;
    const wasGone = [...ledger.orders.values()].find((o) => o.replaces === row.root)?.wasGone;
    stage.notes.push(
      `${row.lie} ${row.share} feed ${feed}: told ${row.told.status} ${row.told.json.status}, at the end ${last.status} ${last.json.status} ${isSame ? "same id" : "other id"}, original was gone: ${wasGone}, legs ${legs.map((o) => `${o.status} ${o.filled}/${o.origSz}`)} ${last.json.error ?? ""}`,
    );
    if (wasGone === false && !isSame)
      judge.fail(`${row.lie}: the modify canceled the original and replaced it, told as an order of its own`);
    if (wasGone === false && !isSame && process.env.STRANGER_STORY)
      stage.notes.push(await story(stage, row.id), await story(stage, last.json.id));
  }
  if (process.env.STRANGER_LEGS) stage.notes.push(legsText(stage), String(tidy(0)));
}

export const scenes = {
  "many-always": (stage) => many(stage),
  "record-says-filled": (stage) => many(stage, { lie: "filled", share: 1, fault: { lost: true }, lag: 0, feed: "up" }),
  "record-says-margin": (stage) =>
    many(stage, { lie: "marginCanceled", share: 0.5, fault: { lost: true }, lag: 0, feed: "up" }),
  "record-says-canceled": (stage) =>
    many(stage, { lie: "canceled", share: 0.5, fault: { lost: true }, lag: 0, feed: "down" }),
  "many-late": (stage) => many(stage, { fault: { late: 3000, hang: true } }),
  "many-half-unknown": (stage) =>
    many(stage, { lie: "unknownOid", share: 0.5, fault: { late: 5000, hang: true }, feed: "up" }),
  "many-history-behind": (stage) => many(stage, { lie: "none", fault: { late: 3000 }, lag: 1000, feed: "up" }),
};
