import { describe, expect, test } from "bun:test";
import { applyAction } from "../../../src/paper/engine/venue.ts";
import { ALICE, BOB, type Desk, newDesk, START_MS } from "./support.ts";

const DAY_MS = 86_400_000;

type Sent = { nonce: number; signer?: string; expiresAfter?: number | null; vaultAddress?: string | null };

function send(desk: Desk, { nonce, signer = ALICE, expiresAfter = null, vaultAddress = null }: Sent): string {
  const input = { action: { type: "noop" } as const, signer, vaultAddress, nonce, expiresAfter, nowMs: desk.nowMs };
  const { reply } = applyAction(desk.venue, input);
  return reply.status === "err" ? reply.response : "ok";
}

describe("nonces", () => {
  test("are used once per signer", () => {
    const desk = newDesk();
    expect(send(desk, { nonce: START_MS })).toBe("ok");
    expect(send(desk, { nonce: START_MS })).toBe(`Invalid nonce: duplicate nonce ${START_MS}`);
    expect(send(desk, { nonce: START_MS, signer: BOB })).toBe("ok");
  });

  test("lie within two days back and one day ahead, less two minutes at both ends", () => {
    const desk = newDesk();
    const lowest = START_MS - 2 * DAY_MS + 120_000;
    const highest = START_MS + DAY_MS - 120_000;
    expect(send(desk, { nonce: lowest - 1 })).toBe(`Invalid nonce: nonce too low ${lowest - 1} < ${lowest}`);
    expect(send(desk, { nonce: lowest })).toBe("ok");
    expect(send(desk, { nonce: highest })).toBe("ok");
    expect(send(desk, { nonce: highest + 1 })).toBe(`Invalid nonce: nonce too high ${highest + 1} > ${highest}`);
  });

  test("must be above the lowest of the hundred highest, and seen ones below it are still duplicates", () => {
    const desk = newDesk();
    for (let index = 0; index < 101; index += 1) expect(send(desk, { nonce: START_MS + 2 * index })).toBe("ok");
    expect(send(desk, { nonce: START_MS })).toBe(`Invalid nonce: duplicate nonce ${START_MS}`);
    expect(send(desk, { nonce: START_MS + 1 })).toBe(`Invalid nonce: nonce too low ${START_MS + 1} < ${START_MS + 2}`);
    expect(send(desk, { nonce: START_MS + 3 })).toBe("ok");
    expect(send(desk, { nonce: START_MS + 3 })).toContain("duplicate");
  });

  test("are used up by a business rejection, an expired action and the post-only window", () => {
    const desk = newDesk();
    desk.place(ALICE, { buy: true, price: "90000", size: "0.0001" });
    expect(send(desk, { nonce: desk.nonce })).toContain("duplicate");
    expect(send(desk, { nonce: desk.nonce + 1, expiresAfter: desk.nowMs - 1 })).toBe("Action already expired");
    expect(send(desk, { nonce: desk.nonce + 1 })).toContain("duplicate");
    desk.venue.postOnlyUntilMs = desk.nowMs + 1;
    desk.nonce += 1;
    desk.place(ALICE, { buy: true, price: "90000", size: "1", tif: "Ioc" });
    expect(send(desk, { nonce: desk.nonce })).toContain("duplicate");
  });

  test("are not used up by an unknown signer, a bad vault or a nonce out of range", () => {
    const desk = newDesk();
    const stranger = `0x${"dd".repeat(20)}`;
    expect(send(desk, { nonce: START_MS, signer: stranger })).toBe(`User or API Wallet ${stranger} does not exist.`);
    expect(send(desk, { nonce: START_MS, vaultAddress: BOB })).toBe(`Vault not registered: ${BOB}`);
    expect(send(desk, { nonce: START_MS })).toBe("ok");
    desk.fund(stranger, "1");
    expect(send(desk, { nonce: START_MS, signer: stranger })).toBe("ok");
  });

  test("let an action execute up to its expiry", () => {
    const desk = newDesk();
    expect(send(desk, { nonce: START_MS, expiresAfter: desk.nowMs })).toBe("ok");
  });

  test("that left the window are refused as too low, not as duplicates, once they are forgotten", () => {
    const desk = newDesk();
    for (let index = 0; index < 201; index += 1) send(desk, { nonce: START_MS + index });
    desk.wait(2 * DAY_MS + 1_000);
    send(desk, { nonce: desk.nowMs });
    expect(send(desk, { nonce: START_MS })).toContain("nonce too low");
    expect(desk.venue.nonces.get(ALICE)?.seen.size).toBe(1);
  });
});
