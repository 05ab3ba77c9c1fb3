/** What an account's owner signs for a limited key: flat, every member a text, so that a wallet shows it line by line. */
import type { Network, Scope } from "../account.ts";
import { isoTime } from "../resource.ts";
import { LOWER_CASE_UUID } from "../uuid.ts";
import { parseRails } from "./grammar.ts";
import { RAILS_MEMBERS, type Rails } from "./rails.ts";

/** Its members in signing order. */
export const LIMITED_GRANT_MEMBERS = [
  "audience",
  "account",
  "network",
  "owner",
  "tradingAddress",
  "keyHash",
  "scopes",
  ...RAILS_MEMBERS,
  "issuedAt",
  "expiresAt",
] as const;
export type LimitedGrantMember = (typeof LIMITED_GRANT_MEMBERS)[number];

/** As it is signed; ids, hashes and addresses lower case. */
export type LimitedGrantText = Readonly<Record<LimitedGrantMember, string>>;

export type LimitedGrant = {
  audience: string;
  accountId: string;
  /** The true one: no constant stands here. */
  network: Network;
  ownerAddress: string;
  tradingAddress: string;
  keyHash: string;
  scopes: readonly Scope[];
  rails: Rails;
  issuedAtMs: number;
  expiresAtMs: number;
};

/** `rule`: what the member has to be. */
export type GrantFault = { kind: "fault"; member: LimitedGrantMember; rule: string };
export type ParsedGrant = { kind: "grant"; grant: LimitedGrant } | GrantFault;

type MemberForm = { form: RegExp; rule: string };

const ADDRESS: MemberForm = { form: /^0x[0-9a-f]{40}$/, rule: "0x and 40 lower-case hex digits" };

const FORMS: readonly [LimitedGrantMember, MemberForm][] = [
  ["account", { form: LOWER_CASE_UUID, rule: "a UUID in lower case" }],
  ["network", { form: /^(mainnet|testnet|paper)$/, rule: "`mainnet`, `testnet` or `paper`" }],
  ["owner", ADDRESS],
  ["tradingAddress", ADDRESS],
  ["keyHash", { form: /^[0-9a-f]{64}$/, rule: "64 lower-case hex digits" }],
  [
    "scopes",
    {
      form: /^(trading:read|trading:write|trading:read,trading:write)$/,
      rule: "`trading:read`, `trading:write` or `trading:read,trading:write`",
    },
  ],
];

const TIME = "a time like 2026-11-22T19:00:00.000Z";

/** Total: every text is a grant or has a fault. */
export function parseLimitedGrant(text: LimitedGrantText): ParsedGrant {
  for (const [member, { form, rule }] of FORMS) if (!form.test(text[member])) return { kind: "fault", member, rule };
  const issuedAtMs = timeOf(text.issuedAt);
  const expiresAtMs = timeOf(text.expiresAt);
  if (issuedAtMs === null) return { kind: "fault", member: "issuedAt", rule: TIME };
  if (expiresAtMs === null) return { kind: "fault", member: "expiresAt", rule: TIME };
  const parsed = parseRails(text);
  if (parsed.kind === "fault") return parsed;
  const { audience, account, owner, tradingAddress, keyHash } = text;
  return {
    kind: "grant",
    grant: {
      audience,
      accountId: account,
      ownerAddress: owner,
      tradingAddress,
      keyHash,
      rails: parsed.rails,
      issuedAtMs,
      expiresAtMs,
      // Their forms have just been looked at.
      network: text.network as Network,
      scopes: text.scopes.split(",") as Scope[],
    },
  };
}

/** Null for what is not written as `isoTime` writes it. */
function timeOf(text: string): number | null {
  const ms = Date.parse(text);
  return Number.isNaN(ms) || isoTime(ms) !== text ? null : ms;
}

/** What stands in a row, back as it was signed; null where that is something else. */
export function readGrantText(json: string): LimitedGrantText | null {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== "object" || value === null) return null;
    const members = Object.entries(value);
    const isWhole = LIMITED_GRANT_MEMBERS.every((name, nth) => members[nth]?.[0] === name);
    const isText = members.every(([, member]) => typeof member === "string");
    // All members are there, in their order, and nothing else.
    return isWhole && isText && members.length === LIMITED_GRANT_MEMBERS.length ? (value as LimitedGrantText) : null;
  } catch {
    return null;
  }
}

/** The members in signing order, whatever order they came in. */
export function inGrantOrder(text: LimitedGrantText): LimitedGrantText {
  // Every member of the list is one of the type, and the list has all of them.
  return Object.fromEntries(LIMITED_GRANT_MEMBERS.map((name) => [name, text[name]])) as LimitedGrantText;
}

/** What a text that nobody can have signed grants: no verb, and no time. */
export const NOTHING_GRANTED: LimitedGrant = {
  audience: "",
  accountId: "",
  network: "paper",
  ownerAddress: "",
  tradingAddress: "",
  keyHash: "",
  scopes: [],
  issuedAtMs: 0,
  expiresAtMs: 0,
  rails: {
    bot: "",
    may: [],
    markets: [],
    touches: "own",
    sources: [],
    maxOrder: null,
    maxPosition: null,
    maxExposure: null,
    maxTurnoverPerDay: null,
    maxLossPerDay: null,
    maxActionsPerDay: null,
    maxDistance: null,
    maxStopDistance: null,
    maxLeverage: null,
    maxOpenOrders: null,
  },
};
