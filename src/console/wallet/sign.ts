/** Asking a wallet for one signature of one address, and its refusals in plain words with the one thing to do. */
import { normalisedSignature } from "../../wire/signature.ts";
import type { WalletData } from "../../wire/wallet-form.ts";
import { walletForm } from "../../wire/wallet-form.ts";
import { member } from "../api/request.ts";
import type { Wallet } from "./discover.ts";

export type WalletOutcome = { kind: "signed"; signature: string } | { kind: "refused"; words: string };

export type SignRequest = {
  owner: string;
  /** Made for the wallet's chain: some wallets sign nothing that names another. Null where no wallet is asked. */
  typedData: (chainId: string | null) => Promise<WalletData | { failure: string }>;
};

export async function signWith(wallet: Wallet, { owner, typedData }: SignRequest): Promise<WalletOutcome> {
  try {
    const accounts = texts(await wallet.provider.request({ method: "eth_requestAccounts" }));
    if (!accounts.some((account) => account.toLowerCase() === owner.toLowerCase())) {
      return refused(
        `${wallet.name} is open with ${accounts[0] ?? "no account"}. Choose ${owner} in it and try again.`,
      );
    }
    const chainId = await wallet.provider.request({ method: "eth_chainId" });
    const data = await typedData(typeof chainId === "string" ? chainId : null);
    if ("failure" in data) return refused(data.failure);
    const answer = await wallet.provider.request({ method: "eth_signTypedData_v4", params: [owner, walletText(data)] });
    const signature = typeof answer === "string" ? normalisedSignature(answer.trim()) : null;
    return signature === null ? refused(contractWords(wallet.name)) : { kind: "signed", signature };
  } catch (error) {
    return refused(refusalWords(wallet.name, error));
  }
}

/** The account that a wallet is open with. */
export async function addressOf(wallet: Wallet): Promise<{ address: string } | { failure: string }> {
  try {
    const [address] = texts(await wallet.provider.request({ method: "eth_requestAccounts" }));
    return address === undefined ? { failure: `${wallet.name} is open with no account.` } : { address };
  } catch (error) {
    return { failure: refusalWords(wallet.name, error) };
  }
}

function refused(words: string): WalletOutcome {
  return { kind: "refused", words };
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** As wallets take it. */
export function walletText(data: WalletData): string {
  return JSON.stringify(walletForm(data));
}

function contractWords(name: string): string {
  return `${name} did not give a plain 65-byte signature. Wallets that are contracts cannot sign for Postern: use the wallet whose key owns the account.`;
}

/** EIP-1193 codes. */
function refusalWords(name: string, error: unknown): string {
  const code = member(error, "code");
  if (code === 4001) return `You declined in ${name}. Nothing was signed; try again when you are ready.`;
  if (code === 4100) return `${name} does not let this page ask. Connect this page in the wallet and try again.`;
  if (code === -32002) return `${name} has a request waiting already. Open the wallet, answer it, and try again.`;
  if (code === 4900 || code === 4901) return `${name} is not connected. Open it, unlock it, and try again.`;
  const message = member(error, "message");
  const said = typeof message === "string" ? ` It said: ${message.slice(0, 300)}` : "";
  return `${name} did not sign.${said} Try again, or sign elsewhere and paste the signature.`;
}
