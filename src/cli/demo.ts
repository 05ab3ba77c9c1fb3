/**
 * The demo account of `serve --paper`: an owner whose key we hold, which no other data directory has. The file is
 * written before anything is made with it, so that a start that was interrupted goes on where it stopped.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { bytesToHex } from "@noble/hashes/utils.js";
import { API_NETWORK, type Scope } from "../core/account.ts";
import type { Places } from "../ops/data-directory.ts";
import { makeAgentKey } from "../vault/agent-keys.ts";
import { signDigest } from "../vault/signers.ts";
import { grantDigest, keyHash } from "../wire/grant.ts";
import { fromHex } from "../wire/hex.ts";
import type { SignatureParts } from "../wire/recover.ts";
import { Failure } from "./command.ts";
import { newApiKey } from "./key/new.ts";
import type { Outside } from "./outside.ts";

export type Demo = {
  ownerAddress: string;
  /** `0x…`; worth nothing anywhere but at the built-in exchange. */
  ownerPrivateKey: string;
  apiKey: string;
  /** Seals the agent key, so that the demo's database is like any other. */
  passphrase: string;
};

const KEY_BYTES = 32;
const PASSPHRASE_BYTES = 16;
export const DEMO_SCOPES: readonly Scope[] = ["trading:read", "trading:write"];

/** The demo of this directory, or a new one. */
export function openDemo(at: Places, outside: Outside): Demo {
  if (existsSync(at.demo)) return readDemo(at);
  const owner = makeAgentKey(outside.randomBytes(KEY_BYTES));
  if (owner === null) throw new Failure("the random source makes no keys");
  const demo = {
    ownerAddress: owner.address,
    ownerPrivateKey: `0x${bytesToHex(owner.privateKey)}`,
    apiKey: newApiKey(outside.randomBytes),
    passphrase: bytesToHex(outside.randomBytes(PASSPHRASE_BYTES)),
  };
  writeWhole(at.demo, `${JSON.stringify(demo, null, 2)}\n`);
  return demo;
}

/** All of it or nothing, for its owner alone. */
function writeWhole(path: string, text: string): void {
  const draft = `${path}.new`;
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  renameSync(draft, path);
}

function readDemo(at: Places): Demo {
  const damaged = new Failure(`${at.demo} is damaged; remove ${at.directory} to start a new demo`);
  const found = readJson(at.demo);
  if (found === null) throw damaged;
  const { ownerAddress, ownerPrivateKey, apiKey, passphrase } = found;
  const texts = [ownerAddress, ownerPrivateKey, apiKey, passphrase];
  if (texts.some((text) => typeof text !== "string")) throw damaged;
  return {
    ownerAddress: String(ownerAddress),
    ownerPrivateKey: String(ownerPrivateKey),
    apiKey: String(apiKey),
    passphrase: String(passphrase),
  };
}

function readJson(path: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return typeof value === "object" && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

/** What the demo owner's wallet would do. */
export function signAsOwner(demo: Demo, digest: Uint8Array): SignatureParts {
  const privateKey = fromHex(demo.ownerPrivateKey);
  if (privateKey === null || privateKey.length !== KEY_BYTES) throw new Failure("demo.json holds no private key");
  return signDigest(digest, privateKey);
}

export function signatureText({ r, s, v }: SignatureParts): string {
  return `0x${r.slice(2).padStart(64, "0")}${s.slice(2).padStart(64, "0")}${v.toString(16)}`;
}

/** Body of POST /v1/api-keys that registers the demo's key, signed by its owner. */
export function signedGrant(demo: Demo, grant: { audience: string; accountId: string; issuedAtMs: number }) {
  const hash = keyHash(demo.apiKey);
  const terms = { ...grant, network: API_NETWORK, keyHash: hash, scopes: DEMO_SCOPES, expiresAtMs: null };
  const signature = signatureText(signAsOwner(demo, grantDigest(terms)));
  const consent = {
    account: grant.accountId,
    network: API_NETWORK,
    key_hash: hash,
    policy: { scopes: DEMO_SCOPES },
    issued_at: grant.issuedAtMs,
    expires_at: null,
  };
  return { consent, signature };
}
