import { describe, expect, test } from "bun:test";
import { decimal } from "../../../src/core/decimal.ts";
import { spotHold } from "../../../src/paper/engine/spot-holds.ts";
import { units } from "../../../src/paper/engine/units.ts";
import { ALICE, BOB, type Desk, error, newDesk, shown } from "./support.ts";

const HYPE = 10_107;
const PURR = 10_000;

function total(desk: Desk, user: string, token: number): string {
  return shown(desk.account(user).spot.get(token)?.total ?? 0n);
}

describe("spot", () => {
  // Recorded: 0.27 bought at 41.353, 0.26 sold at 40.614; quote from 12.0 on.
  test("reproduces a recorded round trip to the last wei", () => {
    const desk = newDesk();
    const account = desk.account(ALICE);
    account.spot.clear();
    account.spot.set(0, { total: units(decimal("12")), entryNotional: 0n });
    desk.rest(BOB, { asset: HYPE, buy: false, price: "41.353", size: "1" });
    desk.rest(BOB, { asset: HYPE, buy: true, price: "40.614", size: "1" });
    const [bought] = desk.place(ALICE, { asset: HYPE, buy: true, price: "42", size: "0.27", tif: "Ioc" });
    expect(bought).toMatchObject({ filled: { totalSz: "0.27", avgPx: "41.353" } });
    expect([total(desk, ALICE, 0), total(desk, ALICE, 150)]).toEqual(["0.83469", "0.26981101"]);
    expect(shown(account.spot.get(150)?.entryNotional ?? 0n)).toBe("11.16531");
    desk.place(ALICE, { asset: HYPE, buy: false, price: "40", size: "0.26", tif: "Ioc" });
    expect([total(desk, ALICE, 0), total(desk, ALICE, 150)]).toEqual(["11.38693826", "0.00981101"]);
    expect(shown(account.spot.get(150)?.entryNotional ?? 0n)).toBe("0.40599888");
    expect(desk.fills(ALICE).map(({ dir, feeToken }) => [dir, feeToken])).toEqual([
      ["Buy", "HYPE"],
      ["Sell", "USDC"],
    ]);
  });

  test("cuts the average price to the decimals of the pair", () => {
    const desk = newDesk();
    desk.rest(BOB, { asset: HYPE, buy: false, price: "40.001", size: "1" });
    desk.rest(BOB, { asset: HYPE, buy: false, price: "40.002", size: "2" });
    const [status] = desk.place(ALICE, { asset: HYPE, buy: true, price: "41", size: "3", tif: "Ioc" });
    expect(status).toMatchObject({ filled: { totalSz: "3.0", avgPx: "40.001666" } });
  });

  test("locks quote for bids and base for asks, and refuses what is not there", () => {
    const desk = newDesk();
    desk.rest(ALICE, { asset: HYPE, buy: true, price: "39", size: "1000" });
    desk.rest(ALICE, { asset: HYPE, buy: false, price: "41", size: "600" });
    const account = desk.account(ALICE);
    expect([0, 150].map((token) => shown(spotHold(desk.venue, account, token)))).toEqual(["39000", "600"]);
    const refused = error("Insufficient spot balance asset=10107");
    const oid = desk.venue.nextOid;
    expect(desk.place(ALICE, { asset: HYPE, buy: false, price: "42", size: "400.01" })).toEqual([refused]);
    expect(desk.status(ALICE, oid)).toBe("insufficientSpotBalanceRejected");
    expect(desk.place(ALICE, { asset: HYPE, buy: false, price: "42", size: "400" })).toMatchObject([{ resting: {} }]);
    expect(desk.place(ALICE, { asset: HYPE, buy: true, price: "39", size: "1600" })).toEqual([refused]);
  });

  test("releases the lock with the order", () => {
    const desk = newDesk();
    const oid = desk.rest(ALICE, { asset: HYPE, buy: false, price: "41", size: "600" });
    desk.place(BOB, { asset: HYPE, buy: true, price: "41", size: "100", tif: "Ioc" });
    expect(shown(spotHold(desk.venue, desk.account(ALICE), 150))).toBe("500");
    desk.act(ALICE, { type: "cancel", cancels: [{ a: HYPE, o: oid }], f: false });
    expect(spotHold(desk.venue, desk.account(ALICE), 150)).toBe(0n);
  });

  // The exchange looks for a price to meet first, then for any balance, then at the minimum, then at the amount.
  test.each<[string, string, string, (desk: Desk) => void]>([
    ["nothing to meet", "0.1", "Order could not immediately match against any resting orders. asset=10000", () => {}],
    ["no balance", "1", "Insufficient spot balance asset=10000", (desk) => desk.account(ALICE).spot.delete(0)],
    ["too little value", "1", "Order must have minimum value of 10 USDC. asset=10000", () => {}],
    ["too little balance", "10000000", "Insufficient spot balance asset=10000", () => {}],
  ])("refuses an Ioc for %s in the exchange's order of checks", (name, size, text, prepare) => {
    const desk = newDesk();
    if (name !== "nothing to meet") desk.rest(BOB, { asset: PURR, buy: false, price: "0.18", size: "500" });
    prepare(desk);
    const wanted = { asset: PURR, buy: true, price: "0.18", size: size === "0.1" ? "1" : size, tif: "Ioc" } as const;
    expect(desk.place(ALICE, wanted)).toEqual([error(text)]);
  });

  test("measures an Ioc at its whole size and the first price that it meets", () => {
    const desk = newDesk();
    desk.rest(BOB, { asset: PURR, buy: false, price: "0.17", size: "500" });
    const wanted = { asset: PURR, buy: true, price: "0.2", tif: "Ioc" } as const;
    expect(desk.place(ALICE, { ...wanted, size: "58" })).toMatchObject([{ error: expect.stringContaining("10 USDC") }]);
    expect(desk.place(ALICE, { ...wanted, size: "59" })).toMatchObject([{ filled: { totalSz: "59.0" } }]);
  });

  test("lists prices within a fifth and five times the reference", () => {
    const desk = newDesk();
    const status = (price: string) => desk.place(ALICE, { asset: PURR, buy: false, price, size: "100" });
    const text = error("Order price cannot be more than 80% away from the reference price");
    expect([status("0.90001"), status("0.036")]).toEqual([[text], [text]]);
    expect(status("0.9")).toMatchObject([{ resting: {} }]);
  });
});
