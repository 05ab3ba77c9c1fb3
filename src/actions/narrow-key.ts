import { compare, type Decimal } from "../core/decimal.ts";
import { ApiError } from "../core/errors.ts";
import { parseNarrowing, printRails } from "../core/rails/grammar.ts";
import type { Used } from "../core/rails/left.ts";
import { memberName } from "../core/rails/member-name.ts";
import { misnamedIn } from "../core/rails/misnamed-markets.ts";
import { isNamed } from "../core/rails/narrow.ts";
import { RAILS_MEMBERS, type RailName, type Rails } from "../core/rails/rails.ts";
import { railsResource } from "../core/rails/rails-resource.ts";
import type { With } from "../deps.ts";
import { narrowBot } from "../settle/stop/narrow-bot.ts";
import { findApiKey } from "../store/api-keys.ts";
import { inTransaction } from "../store/commit.ts";
import type { Caller } from "../write/caller.ts";
import type { ToShowBooks } from "../write/rails-facts.ts";
import { useOf } from "./bot-limits.ts";

/** Rails by the names of the interface, and whether what is out and could increase goes. */
export type AskedNarrowing = { rails: Readonly<Record<string, string | undefined>>; isToCancel: boolean };

/**
 * `POST /v1/api-keys/self/narrow`: a key makes its own bot's rails tighter, at once and one-way. What is out stays, unless it is
 * asked to go, and what exceeds the new rails is told.
 */
export function narrowKey(
  deps: ToShowBooks & With<"markets" | "randomBytes" | "stopper">,
  { account, key: { keyHash } }: Caller,
  { rails: texts, isToCancel }: AskedNarrowing,
): string {
  const named = Object.fromEntries(RAILS_MEMBERS.map((member) => [member, texts[memberName(member)]]));
  const parsed = parseNarrowing(named);
  if (parsed.kind === "fault")
    throw new ApiError("invalid_parameter", `${memberName(parsed.member)} must be ${parsed.rule}.`);
  const { narrowing } = parsed;
  if (Object.keys(narrowing).length === 0) throw new ApiError("missing_parameter", "Name at least one rail.");
  // One-way: a slip of the pen would take every market away for good.
  const wrongName = misnamedIn(deps.markets.current(), narrowing.markets ?? null);
  if (wrongName !== null) throw new ApiError("invalid_parameter", `markets ${wrongName}. Nothing was narrowed.`);
  const done = inTransaction(deps.store, (store) => {
    const key = findApiKey(store, keyHash);
    if (key?.state !== "active" || key.fault !== null)
      throw new ApiError("revoked_api_key", "This API key has been revoked. Nothing was narrowed.");
    return narrowBot(store, deps, { key, narrowing, isToCancel, actor: keyHash });
  });
  if (done === null) throw new ApiError("invalid_parameter", "This API key has no rails to narrow.");
  if (done.stop !== null) deps.stopper.heed();
  const { rails, stop } = done;
  const exceeds = exceedsOf(rails, useOf(deps, account, rails));
  return JSON.stringify(narrowedResource({ accountId: account.id, keyHash, rails, exceeds, stopId: stop?.id ?? null }));
}

type NarrowedKey = { accountId: string; keyHash: string; rails: Rails; exceeds: Exceeding[]; stopId: string | null };

/** What holds from now on. */
export function narrowedResource({ accountId, keyHash, rails, exceeds, stopId }: NarrowedKey) {
  return {
    object: "narrowed_rails" as const,
    account: accountId,
    key_hash: keyHash,
    rails: railsResource(printRails(rails)),
    exceeds,
    stop: stopId,
  };
}

type Exceeding = { rail: string; limit: string; use: string };

/** What is out and held now, against the rails: nothing of it is changed by them. */
function exceedsOf(rails: Rails, use: Used): Exceeding[] {
  const usd = (rail: RailName, limit: Decimal | null, amount: Decimal | null): Exceeding[] =>
    limit === null || amount === null || compare(amount, limit) <= 0
      ? []
      : [{ rail: memberName(rail), limit: `${limit} USD`, use: `${amount} USD` }];
  const count = (rail: RailName, limit: number | null, counted: number): Exceeding[] =>
    limit === null || counted <= limit ? [] : [{ rail: memberName(rail), limit: String(limit), use: String(counted) }];
  const unnamed = use.positions.filter(({ market }) => !isNamed(market, rails.markets));
  return [
    ...unnamed.map(({ market }) => ({ rail: "markets", limit: rails.markets?.join(",") ?? "any", use: market })),
    ...use.orderValues.flatMap((value) => usd("maxOrder", rails.maxOrder, value)),
    ...use.positions.flatMap(({ judged }) => usd("maxPosition", rails.maxPosition, judged)),
    ...usd("maxExposure", rails.maxExposure, use.exposure),
    ...usd("maxTurnoverPerDay", rails.maxTurnoverPerDay, use.turnover),
    ...usd("maxLossPerDay", rails.maxLossPerDay, use.loss),
    ...count("maxActionsPerDay", rails.maxActionsPerDay, use.actions),
    ...count("maxOpenOrders", rails.maxOpenOrders, use.openOrders),
  ];
}
