/** A modify whose original is remembered by the history as it was placed, and by nothing as it ended. */
import { expect, test } from "bun:test";
import { limit, liveOrders, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { holdStores } from "./standing-still.ts";

const scene = scenesOfThisFile();

test("a modify ends although the history has lost the end of its original and keeps its placing", async () => {
  const s = await scene();
  let old: string | null = null;
  holdStores(s, (type, text) => {
    if (old === null) return text;
    if (type === "orderStatus" && text.includes(`"oid":${old},`)) return '{"status":"unknownOid"}';
    if (type !== "historicalOrders") return text;
    const rows: { order: { oid: number; timestamp: number } }[] = JSON.parse(text);
    return JSON.stringify(
      rows.map((row) =>
        String(row.order.oid) === old ? { ...row, status: "open", statusTimestamp: row.order.timestamp } : row,
      ),
    );
  });
  const placed = shown(await s.tell("stuck", limit("buy", 94_000)));
  old = placed.oid;
  const modify = { kind: "modify" as const, id: placed.id, price: "94001", size: null, alwaysPlace: false };
  s.ask("stuck-modify", modify);
  await s.pass(50);
  const [live] = liveOrders(s).map(String);
  for (let nth = 0; nth < 20; nth += 1) {
    await s.pass(60_000);
    trade(s, s.party.account.ownerAddress, { isBuy: true, price: 93_000, size: "0.01" });
  }
  expect(live).not.toBe(placed.oid);
  expect(shown(await s.tell("stuck-modify", modify))).toMatchObject({ http: 200, status: "open", oid: live });
});
