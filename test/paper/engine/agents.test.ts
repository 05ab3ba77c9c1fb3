import { describe, expect, test } from "bun:test";
import { agentsOf } from "../../../src/paper/engine/agents.ts";
import { dropAgent } from "../../../src/paper/engine/venue.ts";
import { ALICE, BOB, type Desk, newDesk } from "./support.ts";

const DAY_MS = 86_400_000;
const FIRST = `0x${"01".repeat(20)}`;
const SECOND = `0x${"02".repeat(20)}`;
const NOBODY = `0x${"00".repeat(20)}`;

function approve(desk: Desk, agentAddress: string, agentName: string | null, signer = ALICE): string {
  const reply = desk.act(signer, { type: "approveAgent", agentAddress, agentName });
  return reply.status === "err" ? reply.response : "ok";
}

function noop(desk: Desk, signer: string): string {
  const reply = desk.act(signer, { type: "noop" });
  return reply.status === "err" ? reply.response : "ok";
}

describe("agents", () => {
  test("trade for their owner", () => {
    const desk = newDesk();
    expect(noop(desk, FIRST)).toBe(`User or API Wallet ${FIRST} does not exist.`);
    expect(approve(desk, FIRST, "bot")).toBe("ok");
    const oid = desk.rest(FIRST, { buy: true, price: "94000", size: "0.1" });
    expect(desk.status(ALICE, oid)).toBe("open");
  });

  test("take their expiry from the name, or 90 days", () => {
    const desk = newDesk();
    const until = desk.nowMs + DAY_MS;
    approve(desk, FIRST, `bot valid_until ${until}`);
    approve(desk, SECOND, null);
    expect(agentsOf(desk.venue, ALICE)).toMatchObject([
      { address: FIRST, name: "bot", validUntilMs: until },
      { address: SECOND, name: null, validUntilMs: desk.nowMs + 90 * DAY_MS },
    ]);
  });

  test("take an expiry without a name for the unnamed agent", () => {
    const desk = newDesk();
    approve(desk, FIRST, `valid_until ${desk.nowMs + DAY_MS}`);
    expect(agentsOf(desk.venue, ALICE)).toMatchObject([{ name: null, validUntilMs: desk.nowMs + DAY_MS }]);
  });

  test.each([
    ["in the past", -1],
    ["more than 180 days ahead", 180 * DAY_MS + 1],
  ])("refuse an expiry %s", (_name, aheadMs) => {
    const desk = newDesk();
    expect(approve(desk, FIRST, `bot valid_until ${desk.nowMs + aheadMs}`)).toBe("Agent valid_until already expired.");
  });

  test("replaced by name are answered about the master first and as unknown later", () => {
    const desk = newDesk();
    approve(desk, FIRST, "bot");
    expect(approve(desk, SECOND, "bot")).toBe("ok");
    expect(noop(desk, FIRST)).toBe(`Must deposit before performing actions. User: ${ALICE}`);
    expect(noop(desk, SECOND)).toBe("ok");
    desk.wait(60_000);
    expect(noop(desk, FIRST)).toBe(`User or API Wallet ${FIRST} does not exist.`);
  });

  test("are removed by the zero address, after which approvals wait five seconds", () => {
    const desk = newDesk();
    approve(desk, FIRST, "bot");
    expect(approve(desk, NOBODY, "bot")).toBe("ok");
    expect(noop(desk, FIRST)).toContain("Must deposit");
    expect(approve(desk, SECOND, "bot")).toBe("User has pending agent removal");
    desk.wait(5_000);
    expect(approve(desk, SECOND, "bot")).toBe("ok");
  });

  test("are never approved twice, nor an address that trades itself", () => {
    const desk = newDesk();
    approve(desk, FIRST, "bot");
    approve(desk, SECOND, "bot");
    for (const address of [FIRST, SECOND, BOB])
      expect(approve(desk, address, "other")).toBe("Extra agent already used.");
  });

  test("are three with a name and one without, two more for every sub-account", () => {
    const desk = newDesk({ subAccountVolumeUsd: 0 });
    const address = (index: number) => `0x${index.toString(16).padStart(40, "1")}`;
    for (const index of [1, 2, 3]) expect(approve(desk, address(index), `bot ${index}`)).toBe("ok");
    const text = "Too many extra agents for cumulative volume traded. Current limit is 3";
    expect(approve(desk, address(4), "bot 4")).toBe(text);
    expect(approve(desk, address(4), null)).toBe("ok");
    desk.act(ALICE, { type: "createSubAccount", name: "sub" });
    for (const index of [5, 6]) expect(approve(desk, address(index), `bot ${index}`)).toBe("ok");
    expect(approve(desk, address(7), "bot 7")).toBe(text.replace("3", "5"));
  });

  test("are still taken for fifteen minutes after their expiry", () => {
    const desk = newDesk();
    approve(desk, FIRST, `bot valid_until ${desk.nowMs + 1_000}`);
    desk.wait(901_000);
    expect(noop(desk, FIRST)).toBe("ok");
    desk.wait(1);
    expect(noop(desk, FIRST)).toBe(`User or API Wallet ${FIRST} does not exist.`);
  });

  test("cannot sign what only the main wallet may: the action is the agent's own, and it has no account", () => {
    const desk = newDesk();
    approve(desk, FIRST, "bot");
    const text = `Must deposit before performing actions. User: ${FIRST}`;
    expect(approve(desk, SECOND, "other", FIRST)).toBe(text);
    expect(desk.act(FIRST, { type: "approveBuilderFee", builder: BOB, maxFeeRate: "0.1%" })).toEqual({
      status: "err",
      response: text,
    });
    expect(desk.act(FIRST, { type: "reserveRequestWeight", weight: 1, destination: null })).toEqual({
      status: "err",
      response: text,
    });
  });

  test("dropped in mid-flight are answered as removed ones", () => {
    const desk = newDesk();
    approve(desk, FIRST, "bot");
    dropAgent(desk.venue, FIRST, desk.nowMs);
    expect(noop(desk, FIRST)).toContain("Must deposit");
  });
});

describe("sub-accounts", () => {
  function withSub(): { desk: Desk; sub: string } {
    const desk = newDesk({ subAccountVolumeUsd: 0 });
    const reply = desk.act(ALICE, { type: "createSubAccount", name: "sub" });
    if (reply.status === "err" || reply.response.type !== "createSubAccount") throw new Error("no sub-account");
    return { desk, sub: reply.response.data };
  }

  test("need volume first", () => {
    expect(newDesk().act(ALICE, { type: "createSubAccount", name: "sub" })).toEqual({
      status: "err",
      response: "Cannot create sub-accounts until enough volume traded. Required: $100000. Traded: $0.",
    });
  });

  test("are traded through vaultAddress by the master and its agents alone", () => {
    const { desk, sub } = withSub();
    desk.act(ALICE, { type: "subAccountTransfer", subAccountUser: sub, isDeposit: true, usd: 50_000_000_000n });
    expect(desk.account(sub).cash.get(0)).toBe(5_000_000_000_000n);
    approve(desk, FIRST, "bot");
    for (const signer of [ALICE, FIRST]) {
      const reply = desk.act(
        signer,
        { type: "updateLeverage", asset: 0, isCross: true, leverage: 5 },
        { vaultAddress: sub },
      );
      expect(reply.status).toBe("ok");
    }
    expect(desk.account(sub).leverages.get(0)).toEqual({ isCross: true, leverage: 5 });
    expect(desk.account(ALICE).leverages.has(0)).toBe(false);
    expect(desk.act(BOB, { type: "noop" }, { vaultAddress: sub })).toEqual({
      status: "err",
      response: `Vault not registered: ${sub}`,
    });
  });

  test("are never paid out to, or from, a stranger", () => {
    const { desk } = withSub();
    const dead = `0x${"00".repeat(18)}dead`;
    const transfer = { type: "subAccountTransfer", subAccountUser: dead, isDeposit: true, usd: 1n } as const;
    expect(desk.act(ALICE, transfer)).toEqual({
      status: "err",
      response: `Invalid sub-account transfer from ${ALICE} to ${dead}`,
    });
  });
});
