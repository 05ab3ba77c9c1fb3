// A second owner in the same gateway: what is his must stay his.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Wallet } from "ethers";
import { newKey, signGrant } from "./door.mjs";

/** A second owner's account in the same gateway, funded by the first at the simulated exchange. */
export const secondAccount = async (door) => {
  const owner = Wallet.createRandom();
  const file = join(door.home, "passphrase");
  writeFileSync(file, door.demo.passphrase, { mode: 0o600 });
  const time = Date.now();
  const action = {
    type: "usdSend",
    hyperliquidChain: "Testnet",
    signatureChainId: "0x66eee",
    destination: owner.address.toLowerCase(),
    amount: "1000",
    time,
  };
  const types = {
    "HyperliquidTransaction:UsdSend": ["hyperliquidChain", "destination", "amount"]
      .map((name) => ({ name, type: "string" }))
      .concat({ name: "time", type: "uint64" }),
  };
  const domain = {
    name: "HyperliquidSignTransaction",
    version: "1",
    chainId: 421614,
    verifyingContract: `0x${"0".repeat(40)}`,
  };
  const signed = await door.owner.signTypedData(domain, types, {
    hyperliquidChain: "Testnet",
    destination: action.destination,
    amount: "1000",
    time,
  });
  const signature = {
    r: signed.slice(0, 66),
    s: `0x${signed.slice(66, 130)}`,
    v: Number.parseInt(signed.slice(130), 16),
  };
  await fetch(`http://127.0.0.1:${door.exchangePort}/exchange`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ action, nonce: time, signature }),
  });
  const passphrase = ["--passphrase-file", file];
  const added = await door.command("account", "add", "--label", "other", "--address", owner.address, ...passphrase);
  const other = added.account?.id ?? added.account ?? added.id;
  await door.command("agent", "new", "--account", other, ...passphrase).catch(() => {});
  const approval = await door.command("agent", "approval").catch(() => null);
  let canTrade = false;
  if (approval !== null) {
    const typed = approval.typed_data ?? approval;
    const wanted = { [typed.primaryType]: typed.types[typed.primaryType] };
    const approved = await owner.signTypedData(typed.domain, wanted, typed.message);
    const nonce = String(approval.nonce ?? typed.message.nonce);
    canTrade = await door
      .command(
        "agent",
        "approve",
        "--agent",
        typed.message.agentAddress,
        "--signature",
        approved,
        "--nonce",
        nonce,
        ...passphrase,
      )
      .then(
        () => true,
        () => false,
      );
  }
  const view = { base: door.base, account: other, owner };
  const { key, hash } = newKey();
  const body = await signGrant(view, { hash, scopes: ["trading:read", "trading:write"] });
  const answer = await door.ask("POST", "/v1/api-keys", { key: null, body });
  if (answer.status !== 201) throw new Error(`second account: ${answer.status} ${answer.text}`);
  return { other, key, canTrade };
};
