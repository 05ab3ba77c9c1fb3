/** A wallet in the browser that announces itself and really signs; its key stays in the process of the test. */
import type { BrowserContext } from "playwright-core";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

export type TestWallet = {
  address: string;
  /** Everything that the page asked of it. */
  asked: string[];
  /** Thrown by the next request for a signature, once. */
  refusal: { code: number; message: string } | null;
  /** The wallet is open with another account. */
  isElsewhere: boolean;
  chainId: number;
  sign(typedData: string): Promise<string>;
};

const ARBITRUM = 42_161;

export function newWallet(): TestWallet {
  const account = privateKeyToAccount(generatePrivateKey());
  return {
    address: account.address.toLowerCase(),
    asked: [],
    refusal: null,
    isElsewhere: false,
    chainId: ARBITRUM,
    async sign(typedData) {
      const signature = await account.signTypedData(JSON.parse(typedData));
      // As hardware wallets write it: v as 0 or 1.
      const last = Number.parseInt(signature.slice(130), 16) - 27;
      return `${signature.slice(0, 130)}${last.toString(16).padStart(2, "0")}`;
    },
  };
}

type Call = { method: string; params?: readonly unknown[] };

/** What MetaMask does: its own chain or none, an answer or an error with a code. */
async function answer(wallet: TestWallet, call: Call): Promise<unknown> {
  wallet.asked.push(call.method);
  if (call.method === "eth_requestAccounts" || call.method === "eth_accounts") {
    return [wallet.isElsewhere ? `0x${"11".repeat(20)}` : wallet.address];
  }
  if (call.method === "eth_chainId") return `0x${wallet.chainId.toString(16)}`;
  if (call.method !== "eth_signTypedData_v4") throw failure(4_200, "Unsupported method.");
  const { refusal } = wallet;
  wallet.refusal = null;
  if (refusal !== null) throw failure(refusal.code, refusal.message);
  const typedData = String(call.params?.[1]);
  const { chainId } = JSON.parse(typedData).domain;
  if (chainId !== undefined && Number(chainId) !== wallet.chainId) {
    throw failure(-32_603, `Provided chainId "${chainId}" must match the active chainId "${wallet.chainId}"`);
  }
  return wallet.sign(typedData);
}

function failure(code: number, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** What runs in the page. */
const PROVIDER = `{
  const info = { uuid: "0b6b3a1d-0000-4000-8000-000000000001", name: "Test wallet", icon: "data:,", rdns: "test.wallet" };
  const provider = {
    async request(call) {
      const { result, error } = await window.askTestWallet(call);
      if (error !== undefined) throw error;
      return result;
    },
  };
  const detail = Object.freeze({ info, provider });
  const announce = () => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  window.addEventListener("eip6963:requestProvider", announce);
  announce();
}`;

export async function injectWallet(context: BrowserContext, wallet: TestWallet): Promise<void> {
  await context.exposeFunction("askTestWallet", async (call: Call) => {
    try {
      return { result: await answer(wallet, call) };
    } catch (error) {
      const { code, message } = error as Error & { code?: number };
      return { error: { code: code ?? -32_603, message } };
    }
  });
  await context.addInitScript({ content: PROVIDER });
}
