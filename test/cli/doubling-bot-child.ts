/** Somebody's bot, as a program: it places its order again whenever the answer is not a success. */
import { addressOfKey, openSigners } from "../../src/vault/signers.ts";
import type { Action } from "../../src/wire/action/index.ts";

const privateKey = Uint8Array.fromHex(word("PRIVATE_KEY").slice(2));
const agentAddress = addressOfKey(privateKey);
const signers = openSigners({ network: "paper", keys: [{ address: agentAddress, privateKey }] });
const limit = { limit: { tif: "Ioc" } };
const order = { a: 0, b: word("SIDE") === "buy", p: word("PRICE"), s: word("SIZE"), r: false, t: limit };
// The words of a scene are in the exchange's form.
const action = { type: "order", orders: [order], grouping: "na" } as unknown as Action;

for (let tries = 0; tries < 3; tries += 1) {
  const nonce = Date.now() + tries;
  const body = signers.sign({ agentAddress, action, nonce, vaultAddress: null, expiresAfter: nonce + 60_000 });
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${word("URL")}/exchange`, { method: "POST", headers, body });
  if (response.status === 200) break;
}

function word(name: string): string {
  return process.env[`SCENE_${name}`] ?? "";
}
