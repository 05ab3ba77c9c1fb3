import { secp256k1 } from "@noble/curves/secp256k1.js";
import { addressOfKey } from "../../src/vault/signers.ts";
import { approvalBody, approvalTypedData, approveAgent } from "../../src/wire/approval.ts";
import { readSignature } from "../../src/wire/signature.ts";
import type { TypedData } from "../../src/wire/wallet-form.ts";

type Wallet = { sign(data: TypedData): string | Promise<string> };

/** Has an owner approve another gateway's agent at a paper exchange; returns the agent's address. */
export async function approveElsewhere(exchangeUrl: string, name: string, wallet: Wallet): Promise<string> {
  const agentAddress = addressOfKey(secp256k1.utils.randomSecretKey());
  const action = approveAgent({ network: "paper", agentAddress, agentName: name, nonce: Date.now() });
  const signature = readSignature(await wallet.sign(approvalTypedData(action)));
  if (signature === null) throw new Error("the wallet's signature is none");
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(`${exchangeUrl}/exchange`, {
    method: "POST",
    headers,
    body: approvalBody(action, signature),
  });
  const text = await answer.text();
  if (!text.includes('"ok"')) throw new Error(`the exchange refused: ${text}`);
  return agentAddress;
}
