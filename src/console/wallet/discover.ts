/** Wallets that live in the browser and announce themselves (EIP-6963). */
import { member } from "../api/request.ts";

export type Provider = { request(call: { method: string; params?: readonly unknown[] }): Promise<unknown> };

export type Wallet = { id: string; name: string; provider: Provider };

/** Wallets that are listed; a page full of announcements is somebody's joke. */
const MAX_WALLETS = 12;
const MAX_NAME_CHARACTERS = 40;

/** Announcements come at any time, and again whenever somebody asks. */
export function watchWallets(found: (wallets: readonly Wallet[]) => void): void {
  const wallets: Wallet[] = [];
  addEventListener("eip6963:announceProvider", (event) => {
    const wallet = walletOf(member(event, "detail"));
    if (wallet === null || wallets.length >= MAX_WALLETS || wallets.some(({ id }) => id === wallet.id)) return;
    wallets.push(wallet);
    found([...wallets]);
  });
  dispatchEvent(new Event("eip6963:requestProvider"));
}

function walletOf(detail: unknown): Wallet | null {
  const [info, provider] = [member(detail, "info"), member(detail, "provider")];
  const [id, name] = [member(info, "uuid"), member(info, "name")];
  if (typeof id !== "string" || typeof name !== "string" || !isProvider(provider)) return null;
  return { id, name: name.slice(0, MAX_NAME_CHARACTERS), provider };
}

function isProvider(value: unknown): value is Provider {
  return typeof member(value, "request") === "function";
}
