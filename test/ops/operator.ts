import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Account, Agent } from "../../src/core/account.ts";
import type { Changer } from "../../src/ops/changer.ts";
import { placesIn } from "../../src/ops/data-directory.ts";
import { initialize } from "../../src/ops/initialize.ts";
import { type Keyring, openKeyring, vaultKeyOf } from "../../src/ops/keyring.ts";
import { findInstance, type Instance } from "../../src/store/instance.ts";
import { closeStore, openStore } from "../../src/store/open.ts";
import { type Wallet, walletOf } from "../cli/wallet.ts";
import { type Script, type ScriptedExchange, scriptedExchange } from "../support/scripted-exchange.ts";
import { sleepingTimer } from "../support/sleeping-timer.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";

export const NOW_MS = 1_795_000_000_000;
export const PASSPHRASE = "correct horse battery staple";

export type Rig = {
  operator: Changer & { keyring: Keyring; exchange: ScriptedExchange };
  instance: Instance;
  account: Account;
  agent: Agent;
  wallet: Wallet;
  /** Moves the clock. */
  pass(ms: number): void;
};

/** A set-up directory with a scripted exchange; the clock stands still but for what is slept. */
export async function withOperator(script: Script, work: (rig: Rig) => Promise<void>): Promise<void> {
  await inTemporaryDirectory(async (directory) => {
    let nowMs = NOW_MS;
    const sleep = async (ms: number) => {
      nowMs += ms;
    };
    const clock = { nowMs: () => nowMs, elapsedMs: () => nowMs, sleep, timer: sleepingTimer(sleep) };
    const random = (count: number) => new Uint8Array(randomBytes(count));
    const wallet = walletOf(Uint8Array.from({ length: 32 }, (_, index) => index + 1));
    const places = placesIn(join(directory, "data"));
    const common = { network: "testnet", exchangeUrl: "http://127.0.0.1:1", label: "main" } as const;
    const made = await initialize({
      ...common,
      places,
      processId: 1,
      owner: wallet.address,
      passphrase: PASSPHRASE,
      vaultCost: "random",
      clock,
      randomBytes: random,
    });
    const store = openStore(places.database);
    try {
      const instance = findInstance(store);
      if (instance === null) throw new Error("the set-up made no instance");
      const vaultKey = await vaultKeyOf(instance, PASSPHRASE);
      const keyring = openKeyring({ store, network: "testnet", vaultKey, randomBytes: random });
      const exchange = scriptedExchange(script);
      const operator = {
        store,
        clock,
        randomBytes: random,
        network: "testnet",
        keyring,
        exchange,
        trial: null,
        state: null,
      } as const;
      await work({
        operator,
        instance,
        ...made,
        wallet,
        pass: (ms) => {
          nowMs += ms;
        },
      });
    } finally {
      closeStore(store);
    }
  });
}
