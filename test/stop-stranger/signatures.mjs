// Whose signature an action carries.
import { createL1ActionHash } from "@nktkas/hyperliquid/signing";
import { hashTypedData, recoverAddress } from "viem";

function agentDigest(connectionId) {
  return hashTypedData({
    domain: {
      name: "Exchange",
      version: "1",
      chainId: 1337,
      verifyingContract: "0x0000000000000000000000000000000000000000",
    },
    types: {
      Agent: [
        { name: "source", type: "string" },
        { name: "connectionId", type: "bytes32" },
      ],
    },
    primaryType: "Agent",
    message: { source: "b", connectionId },
  });
}
async function recover(digest, sig) {
  const pad = (h) => `0x${h.replace(/^0x/, "").padStart(64, "0")}`;
  return (
    await recoverAddress({ hash: digest, signature: { r: pad(sig.r), s: pad(sig.s), v: BigInt(sig.v) } })
  ).toLowerCase();
}

export function signerOf({ action, nonce, vaultAddress, expiresAfter, signature }) {
  const hash = createL1ActionHash({
    action,
    nonce,
    vaultAddress: vaultAddress ?? undefined,
    expiresAfter: expiresAfter ?? undefined,
  });
  return recover(agentDigest(hash), signature);
}
export function approverOf({ action, signature }) {
  const digest = hashTypedData({
    domain: {
      name: "HyperliquidSignTransaction",
      version: "1",
      chainId: Number(action.signatureChainId),
      verifyingContract: "0x0000000000000000000000000000000000000000",
    },
    types: {
      "HyperliquidTransaction:ApproveAgent": [
        { name: "hyperliquidChain", type: "string" },
        { name: "agentAddress", type: "address" },
        { name: "agentName", type: "string" },
        { name: "nonce", type: "uint64" },
      ],
    },
    primaryType: "HyperliquidTransaction:ApproveAgent",
    message: {
      hyperliquidChain: action.hyperliquidChain,
      agentAddress: action.agentAddress,
      agentName: action.agentName ?? "",
      nonce: BigInt(action.nonce),
    },
  });
  return recover(digest, signature);
}
