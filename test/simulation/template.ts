/** The database that every run starts from: two accounts of two owners, their agents, one API key each. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Account, ApiKey } from "../../src/core/account.ts";
import { insertAccount } from "../../src/store/accounts.ts";
import { insertAgent } from "../../src/store/agents.ts";
import { insertApiKey } from "../../src/store/api-keys.ts";
import { closeStore, openStore } from "../../src/store/open.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { AGENTS } from "./signers.ts";

/** Unix milliseconds at which every run begins. */
export const START_MS = 1_795_253_400_000;

export type Party = { account: Account; agent: string; apiKey: string; key: ApiKey };

export const PARTIES: readonly Party[] = AGENTS.map(({ address }, index) => {
  const digit = String(index + 1);
  const owner = `0x${digit.repeat(40)}`;
  const account: Account = {
    id: `${digit.repeat(8)}-aaaa-4aaa-8aaa-${digit.repeat(12)}`,
    label: `party-${digit}`,
    kind: "main",
    ownerAddress: owner,
    tradingAddress: owner,
    parentId: null,
    createdAtMs: START_MS,
  };
  const apiKey = `api_trade_${digit.repeat(64)}`;
  const scopes = ["trading:read", "trading:write"] as const;
  const times = { issuedAtMs: START_MS, registeredAtMs: START_MS };
  return {
    account,
    agent: address,
    apiKey,
    key: { keyHash: keyHash(apiKey), accountId: account.id, scopes, ...times },
  };
});

/** What the file holds: the same for all, and made once in a process, as its migrations take longer than many a run. */
let made: Uint8Array | null = null;

export function makeTemplate(path: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
  if (made === null) {
    fill(path);
    made = readFileSync(path);
  } else writeFileSync(path, made);
}

function fill(path: string): void {
  const store = openStore(path);
  for (const { account, agent, key } of PARTIES) {
    insertAccount(store, account);
    insertAgent(store, {
      address: agent,
      ownerAddress: account.ownerAddress,
      name: "postern-1",
      state: "approved",
      sealedKey: new Uint8Array(8),
      createdAtMs: START_MS,
      approvedAtMs: START_MS,
      validUntilMs: null,
    });
    insertApiKey(store, key);
  }
  // Closing would do it, but only once every statement of the connection has been collected.
  store.$client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  closeStore(store);
}

/** Whose agent it is. */
export function ownerOf(agent: string | undefined): string {
  const party = PARTIES.find((each) => each.agent === agent);
  if (party === undefined) throw new Error("bug: signed by nobody");
  return party.account.ownerAddress;
}
