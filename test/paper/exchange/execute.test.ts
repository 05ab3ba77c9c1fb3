/** What is refused between the schema and the engine. */
import { describe, expect, test } from "bun:test";
import { signUserSignedAction } from "@nktkas/hyperliquid/signing";
import type { PaperNetwork } from "../../../src/paper/exchange/signer.ts";
import { bench } from "../support.ts";

const TYPES = {
  "HyperliquidTransaction:UsdSend": [
    { name: "hyperliquidChain", type: "string" },
    { name: "destination", type: "string" },
    { name: "amount", type: "string" },
    { name: "time", type: "uint64" },
  ],
};

/** A transfer signed for this chain, in an envelope with this nonce. */
async function sent(network: PaperNetwork, chain: "Mainnet" | "Testnet", nonceOffset = 0): Promise<unknown> {
  const started = bench({ network, hasMarketMaker: false });
  const action = {
    type: "usdSend",
    signatureChainId: "0xa4b1" as const,
    hyperliquidChain: chain,
    destination: `0x${"0d".repeat(20)}`,
    amount: "1",
    time: started.nowMs,
  };
  const signature = await signUserSignedAction({ wallet: started.owner, action, types: TYPES });
  const body = JSON.stringify({ action, nonce: started.nowMs + nonceOffset, signature });
  return (await started.post("/exchange", body)).json();
}

const DEFAULT = { status: "ok", response: { type: "default" } };
const NOBODY = { status: "err", response: "Unable to recover signer." };

describe("an action of the owner", () => {
  test("is taken from either network by an exchange that takes any", async () => {
    expect(await sent("any", "Mainnet")).toEqual(DEFAULT);
    expect(await sent("any", "Testnet")).toEqual(DEFAULT);
  });

  test("is nobody's on the network that is not taken", async () => {
    expect(await sent("mainnet", "Mainnet")).toEqual(DEFAULT);
    expect(await sent("mainnet", "Testnet")).toEqual(NOBODY);
    expect(await sent("testnet", "Mainnet")).toEqual(NOBODY);
  });

  test("has the nonce of its envelope", async () => {
    expect(await sent("any", "Testnet", 1)).toEqual({ status: "err", response: "Nonce mismatch." });
  });
});
