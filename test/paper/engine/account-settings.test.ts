import { describe, expect, test } from "bun:test";
import { decimal } from "../../../src/core/decimal.ts";
import { cashOf } from "../../../src/paper/engine/accounts.ts";
import type { ParsedAction, VenueReply } from "../../../src/paper/engine/action.ts";
import { parseFeeRate } from "../../../src/paper/engine/builder.ts";
import { availableToTrade, withdrawable } from "../../../src/paper/engine/margin.ts";
import { faultsOf } from "./invariants.ts";
import { ALICE, BOB, CAROL, type Desk, error, newDesk, requestOf, shown } from "./support.ts";

const DONE: VenueReply = { status: "ok", response: { type: "default" } };

function refusedBy(reply: VenueReply): string {
  return reply.status === "err" ? reply.response : "ok";
}

function unify(desk: Desk): VenueReply {
  return desk.act(ALICE, { type: "userSetAbstraction", user: ALICE, abstraction: "unifiedAccount" });
}

describe("account modes", () => {
  test("keep a balance for every dex and for spot in standard mode", () => {
    const desk = newDesk();
    desk.account(ALICE).cash.set(1, 0n);
    expect(desk.place(ALICE, { asset: 110_001, buy: true, price: "390", size: "1" })).toEqual([
      error("Insufficient margin to place order. asset=110001"),
    ]);
  });

  test("let one spot balance stand behind all dexes in a unified one", () => {
    const desk = newDesk();
    expect(unify(desk)).toEqual(DONE);
    const account = desk.account(ALICE);
    expect([account.cash.size, shown(account.spot.get(0)?.total ?? 0n)]).toEqual([0, "300000"]);
    expect([0, 1].map((dex) => shown(cashOf(desk.venue, account, dex)))).toEqual(["300000", "300000"]);
    desk.hold(ALICE, { buy: true, price: "95000", size: "1" });
    desk.hold(ALICE, { asset: 110_001, buy: true, price: "400", size: "10" });
    // 300,000 less 42.75 and 0.36 of fees, 4,750 of BTC at 20x and 400 of TSLA collateral at 10x; TSLA's pnl is its own.
    expect(shown(availableToTrade(desk.venue, account, 0))).toBe("294806.89");
    expect(faultsOf(desk.venue)).toEqual([]);
  });

  test("let resting spot bids lock collateral of perpetuals in a unified one", () => {
    const desk = newDesk();
    unify(desk);
    desk.rest(ALICE, { asset: 10_107, buy: true, price: "40", size: "7000" });
    expect(shown(availableToTrade(desk.venue, desk.account(ALICE), 0))).toBe("20000");
    expect(desk.place(ALICE, { asset: 10_107, buy: true, price: "40", size: "501" })).toEqual([
      error("Insufficient spot balance asset=10107"),
    ]);
  });

  test("refuse transfers between classes in a unified one", () => {
    const desk = newDesk();
    unify(desk);
    const transfer: ParsedAction = { type: "usdClassTransfer", amount: decimal("1"), toPerp: true, subAccount: null };
    expect(refusedBy(desk.act(ALICE, transfer))).toBe("Action disabled when unified account is active");
  });

  test("may be set by an agent in short words, and only left empty-handed", () => {
    const desk = newDesk();
    const agent = `0x${"0a".repeat(20)}`;
    desk.act(ALICE, { type: "approveAgent", agentAddress: agent, agentName: "bot" });
    expect(desk.act(agent, { type: "agentSetAbstraction", abstraction: "p" })).toEqual(DONE);
    expect(desk.account(ALICE).mode).toBe("portfolioMargin");
    const oid = desk.rest(ALICE, { buy: true, price: "90000", size: "0.1" });
    expect(desk.act(agent, { type: "agentSetAbstraction", abstraction: "i" }).status).toBe("err");
    desk.act(ALICE, { type: "cancel", cancels: [{ a: 0, o: oid }], f: false });
    expect(desk.act(agent, { type: "agentSetAbstraction", abstraction: "i" })).toEqual(DONE);
    expect(desk.account(ALICE).mode).toBe("disabled");
  });
});

describe("transfers", () => {
  test("move between perp and spot, and to others, up to what is withdrawable", () => {
    const desk = newDesk();
    desk.hold(ALICE, { buy: true, price: "95000", size: "1" });
    const free = withdrawable(desk.venue, desk.account(ALICE), 0);
    // 100,000 less the fee of 42.75 and a tenth of the notional, which is more than the margin at 20x.
    expect(shown(free)).toBe("90457.25");
    const move = (amount: string): ParsedAction => ({
      type: "usdClassTransfer",
      amount: decimal(amount),
      toPerp: false,
      subAccount: null,
    });
    expect(refusedBy(desk.act(ALICE, move("90457.26")))).toBe("Insufficient balance for transfer.");
    expect(desk.act(ALICE, move("90457.25"))).toEqual(DONE);
    expect(shown(desk.account(ALICE).spot.get(0)?.total ?? 0n)).toBe("190457.25");
    expect(faultsOf(desk.venue)).toEqual([]);
  });

  test("write both ledgers", () => {
    const desk = newDesk();
    expect(desk.act(ALICE, { type: "usdSend", destination: BOB, amount: decimal("5") })).toEqual(DONE);
    for (const user of [ALICE, BOB]) {
      expect(desk.account(user).ledger.at(-1)?.delta).toMatchObject({
        type: "internalTransfer",
        user: ALICE,
        destination: BOB,
      });
    }
    expect(refusedBy(desk.act(ALICE, { type: "usdSend", destination: BOB, amount: decimal("0.0000001") }))).toBe(
      "Invalid send",
    );
  });

  test("take a dollar from a withdrawal", () => {
    const desk = newDesk();
    expect(desk.act(ALICE, { type: "withdraw3", destination: ALICE, amount: decimal("100") })).toEqual(DONE);
    expect(desk.account(ALICE).ledger.at(-1)?.delta).toMatchObject({
      type: "withdraw",
      usdc: 9_900_000_000n,
      fee: 100_000_000n,
    });
    expect(faultsOf(desk.venue)).toEqual([]);
  });

  test("never move spot that an order has locked", () => {
    const desk = newDesk();
    desk.rest(ALICE, { asset: 10_107, buy: false, price: "41", size: "600" });
    const send = (amount: string): VenueReply =>
      desk.act(ALICE, {
        type: "spotSend",
        destination: BOB,
        token: "HYPE:0x0d01dc56dcaaca66ad901c959b4011ec",
        amount: decimal(amount),
      });
    expect(refusedBy(send("400.01"))).toBe("Insufficient spot balance");
    expect(send("400")).toEqual(DONE);
  });

  test("move between dexes by sendAsset", () => {
    const desk = newDesk();
    const send = { type: "sendAsset", destination: ALICE, token: "USDC", fromSubAccount: null } as const;
    expect(desk.act(ALICE, { ...send, sourceDex: "", destinationDex: "xyz", amount: decimal("40000") })).toEqual(DONE);
    expect([0, 1].map((dex) => shown(desk.account(ALICE).cash.get(dex) ?? 0n))).toEqual(["60000", "140000"]);
    const wrong = desk.act(ALICE, { ...send, sourceDex: "abc", destinationDex: "", amount: decimal("1") });
    expect(refusedBy(wrong)).toBe("Invalid send");
  });
});

describe("builders", () => {
  test.each([
    ["0.05%", 50],
    ["0.1%", 100],
    ["1%", 1_000],
    ["0%", 0],
    ["0.001%", 1],
    ["0.0001%", null],
    ["5", null],
    ["-1%", null],
  ])("reads the rate %s", (text, expected) => {
    expect(parseFeeRate(text)).toBe(expected);
  });

  test("need a hundred dollars, and the user's consent for the fee", () => {
    const desk = newDesk();
    const poor = `0x${"bb".repeat(20)}`;
    const approve = (builder: string, maxFeeRate: string) =>
      refusedBy(desk.act(ALICE, { type: "approveBuilderFee", builder, maxFeeRate }));
    expect(approve(poor, "0.05%")).toBe("Builder has insufficient balance to be approved.");
    expect(approve(CAROL, "0.05%")).toBe("ok");
    const place = (f: number) =>
      desk.act(ALICE, {
        type: "order",
        orders: [requestOf({ buy: true, price: "90000", size: "0.1" })],
        grouping: "na",
        builder: { b: CAROL, f },
      });
    const refused: VenueReply = {
      status: "ok",
      response: { type: "order", data: { statuses: [{ error: "Builder fee has not been approved." }] } },
    };
    expect(place(51)).toEqual(refused);
    expect(place(50).status === "ok" && place(50)).not.toEqual(refused);
    expect(approve(CAROL, "0%")).toBe("ok");
    expect(place(1)).toEqual(refused);
    expect(place(0)).not.toEqual(refused);
  });
});

describe("referrers", () => {
  test("are set once", () => {
    const desk = newDesk();
    expect(refusedBy(desk.act(ALICE, { type: "setReferrer", code: "" }))).toBe("Referral code not registered");
    expect(desk.act(ALICE, { type: "setReferrer", code: "ABC" })).toEqual(DONE);
    expect(desk.act(ALICE, { type: "setReferrer", code: "XYZ" }).status).toBe("err");
    const strict = newDesk({ referralCodes: "none" });
    expect(refusedBy(strict.act(ALICE, { type: "setReferrer", code: "ABC" }))).toBe("Referral code not registered");
  });
});
