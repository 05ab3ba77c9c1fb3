import { marketsSaid, type Rehearsed, rehearse } from "../../core/hook/rehearsal.ts";
import type { Market } from "../../core/market.ts";
import { parseStrictJson } from "../../http/strict-json.ts";
import type { Places } from "../../ops/data-directory.ts";
import { listDeliveriesSince } from "../../store/hook-deliveries.ts";
import { ACCOUNT } from "../account-choice.ts";
import { type Command, DATA_DIRECTORY, JSON_OUTPUT, Misuse } from "../command.ts";
import { askGateway } from "../control.ts";
import { places, reading } from "../directory.ts";
import { columns, isoTime, present } from "../output.ts";
import { chosenHook, modeOf, secondsOf } from "./options.ts";

const HOUR_MS = 3_600_000;
const MAX_SHOWN = 10_000;

export const hookRehearse: Command = {
  name: "hook rehearse",
  summary: "what the alerts of the last day came to, and what they would have done by these rules; nothing is sent",
  options: {
    account: ACCOUNT,
    hours: { value: "HOURS", help: "how far back, 24 when left out" },
    mode: { value: "MODE", help: "as if the hook were of this mode" },
    "max-age": { value: "SECONDS", help: "as if this were its greatest age" },
    "data-dir": DATA_DIRECTORY,
    json: JSON_OUTPUT,
  },
  positionals: ["HOOK"],
  async run(input, outside) {
    const hours = Number(input.value("hours") ?? "24");
    if (!Number.isInteger(hours) || hours < 1) throw new Misuse("--hours is a whole number");
    const sinceMs = outside.clock.nowMs() - hours * HOUR_MS;
    const { hook, deliveries } = reading(places(input, outside), ({ store }) => {
      const found = chosenHook(store, input);
      return { hook: found, deliveries: listDeliveriesSince(store, found.id, sinceMs, MAX_SHOWN) };
    });
    const terms = {
      mode: modeOf(input.value("mode") ?? hook.mode),
      market: hook.market,
      maxAgeMs: secondsOf(input, "max-age", hook.maxAgeMs / 1_000),
      sameWithinMs: hook.sameWithinMs,
    };
    const alerts = deliveries.map((delivery) => ({
      ...delivery,
      json: parseStrictJson(new TextEncoder().encode(delivery.body)),
    }));
    const markets = await marketsOf(places(input, outside), terms, alerts);
    const shown = rehearse(terms, alerts, markets).map(({ outcome, market, receivedAtMs, repeats }, nth) => ({
      received_at: isoTime(receivedAtMs),
      market,
      would: outcome,
      repeats,
      status: deliveries[nth]?.status ?? null,
      reason: deliveries[nth]?.reason ?? null,
    }));
    const rows = shown.map((row) => [
      row.received_at,
      row.market ?? "-",
      row.status ?? "-",
      String(row.repeats),
      row.would,
    ]);
    present({ input, outside }, { hook: hook.id, mode: terms.mode, rules: markets !== null, alerts: shown }, [
      `Hook ${hook.name}, mode ${terms.mode}: what came, what became of it, and what it would do by these rules from nothing held.`,
      ...columns([["RECEIVED", "MARKET", "STATUS", "REPEATS", "WOULD"], ...rows]),
      ...(markets === null
        ? ["Sizes, prices and names were held against no market: no gateway runs that knows them."]
        : []),
    ]);
  },
};

/** What the running gateway knows of the markets that they name; null where none runs, or it has not read the exchange's list. */
async function marketsOf(
  at: Places,
  terms: Parameters<typeof rehearse>[0],
  alerts: readonly Rehearsed[],
): Promise<ReadonlyMap<string, Market> | null> {
  const answer = await askGateway(at, "tell_markets", { names: marketsSaid(terms, alerts) });
  if (!answer.isRunning || answer.result.markets === null) return null;
  return new Map(
    Object.entries(answer.result.markets).flatMap(([said, market]) => (market === null ? [] : [[said, market]])),
  );
}
