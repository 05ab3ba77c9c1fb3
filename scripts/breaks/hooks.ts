/** S62: what an alert may do, and whose it is. */
import { type Break, inFile } from "./break.ts";

const HOOKS = "test/http/hooks.test.ts";
const TARGETS = "test/http/hook-targets.test.ts";
const OUTCOME = "test/write/one-outcome.test.ts";
const REGISTER = "src/actions/hooks/register-hook.ts";
const HELD = "test/http/held-hooks.test.ts";
const OWN = "test/http/own-hooks.test.ts";
const RECEIVE = "src/actions/hooks/receive-alert.ts";

function broken(name: string, changes: Break["changes"], [test, title]: readonly [string, string]): Break {
  return { row: "S62", name, changes, seenBy: { test, title } };
}

export const HOOK_BREAKS: readonly Break[] = [
  broken(
    "what is held is looked for under the name that was said",
    inFile(
      "src/actions/hooks/carry-out.ts",
      'canonicalName(universe, delivery.market ?? "")',
      'delivery.market ?? ""',
    ).concat(inFile(RECEIVE, "canonicalName(universe, market)", "market")),
    [TARGETS, "a market that is said by its other name is not ordered over and over"],
  ),
  broken(
    "a figure of an alert may be written in more than one form",
    inFile("src/core/hook/alert.ts", "FIGURE.test(value) ? parse", 'value !== "" ? parse'),
    [HOOKS, "%s is refused, and kept with the reason"],
  ),
  broken(
    "an alert that comes again is another",
    inFile(RECEIVE, "if (same !== null && (alert", "if (same !== null && same.id < 0 && (alert"),
    [HOOKS, "four deliveries of one alert are one order, within half a percent of the best price"],
  ),
  broken(
    "alerts without a time are one for ever",
    inFile(RECEIVE, "alert?.atMs != null || isSameNow", "same.id > 0 || isSameNow"),
    [HOOKS, "alerts without a time that say the same are one for as long as the hook says, and then another"],
  ),
  broken(
    "an older target that comes later is taken for the newest",
    inFile("src/core/hook/judged-alert.ts", "atMs < newestMs)", "atMs < newestMs - 1e12)"),
    [TARGETS, "an older alert that comes later changes nothing"],
  ),
  broken(
    "older targets that wait are carried out as well",
    inFile(RECEIVE, "supersede(store, delivery, nowMs);", "delivery.repeats.toFixed();"),
    [TARGETS, "of several that wait the newest alone is carried out"],
  ),
  broken(
    "what comes by a hook may increase while an outcome is not known",
    inFile(
      "src/write/one-outcome.ts",
      "if (hasOpenOutcome(store, of, stored.attempt))",
      'if (bot === "" && hasOpenOutcome(store, of, stored.attempt))',
    ),
    [OUTCOME, "it is refused until the outcome is known, and a request of the bot's own is not"],
  ),
  broken(
    "an alert that waited through a stop is carried out after it",
    inFile("src/write/one-outcome.ts", "if (unattended.was", "if (bot === null && unattended.was"),
    [HOOKS, "%s: what increases is carried out only where no stop was"],
  ),
  broken(
    "the age of an alert is not looked at when it is stored",
    inFile(
      "src/write/one-outcome.ts",
      "clock.nowMs() > unattended.untilMs)",
      "clock.nowMs() > unattended.untilMs + 1e12)",
    ),
    [OUTCOME, "what has grown too old by the moment at which it is stored is not sent"],
  ),
  broken(
    "what could not be sent in time is sent later",
    [
      ...inFile(
        "src/actions/hooks/carry-out.ts",
        "return clock.nowMs() > carriedOutUntilMs(hook, delivery);",
        "return clock.nowMs() < 0 * carriedOutUntilMs(hook, delivery);",
      ),
      ...inFile(
        "src/write/one-outcome.ts",
        "clock.nowMs() > unattended.untilMs)",
        "clock.nowMs() > unattended.untilMs + 1e12)",
      ),
    ],
    [HOOKS, "what could not be sent in its time is not sent after it"],
  ),
  broken("a hook that was revoked opens", inFile(RECEIVE, ' || hook.state !== "active")', ")"), [
    HOOKS,
    "a key that is blocked, and a hook that is revoked, carry nothing out any more",
  ]),
  broken(
    "the networks of the key are not asked",
    inFile(
      RECEIVE,
      "!isFromThere(hook.sources, address) || !isFromThere(hookKey(store, hook)?.sources ?? null, address)",
      '!isFromThere(hook.sources, address) || hookKey(store, hook)?.bot === ""',
    ),
    [HOOKS, "it takes alerts from the networks that are named for it and for its key, and from nowhere else"],
  ),
  broken(
    "the log has the path, and what opens the hook with it",
    inFile("src/http/hooks.ts", "route: ROUTE,", "route: `${ROUTE} ${new URL(request.url).pathname}`,"),
    [HOOKS, "what opens a hook is in no log and no row"],
  ),
  broken(
    "the row of a hook is believed as it stands",
    inFile(
      "src/store/hooks.ts",
      "const fault = hasSealedRows(store) ? hookFault(store, row) : null;",
      'const fault = hasSealedRows(store) && row.id === "" ? hookFault(store, row) : null;',
    ),
    ["test/ops/sealed-hooks.test.ts", "a hook that was %s opens nothing, and is told"],
  ),
  broken(
    "a hook is made by whoever asks",
    inFile(
      REGISTER,
      'if (signerOf(digest, signature) !== account.ownerAddress) throw notSigned("grant of a hook");\n',
      "",
    ),
    [OWN, "a grant is worth what is in it, member by member, and its owner's alone"],
  ),
  broken(
    "a hook is ended by whoever asks",
    inFile(
      REGISTER,
      'if (signerOf(digest, signature) !== account.ownerAddress) throw notSigned("end of a hook");\n',
      "",
    ),
    [OWN, "a grant is worth what is in it, member by member, and its owner's alone"],
  ),
  broken(
    "from where alerts may come is not signed",
    inFile("src/wire/grant-data.ts", 'hook.sources ?? "any"', '"any"'),
    [OWN, "a grant is worth what is in it, member by member, and its owner's alone"],
  ),
  broken(
    "a hook acts as another account's bot",
    inFile(
      REGISTER,
      '  if (as.accountId !== hook.accountId) throw refused("no key with this hash is registered and active");\n',
      "",
    ),
    [OWN, "a hook acts as no bot of another account"],
  ),
  broken(
    "a hook that was revoked comes back with its grant",
    inFile(
      REGISTER,
      "if (known !== null) return requireSame(known, hook);",
      'if (known?.state === "active") return known;',
    ),
    [OWN, "what the owner has signed takes alerts as its bot, is listed to its account alone, and ends for good"],
  ),
  broken(
    "a clock that is set ahead makes an alert another",
    inFile("src/actions/hooks/carry-out.ts", "if (before !== null) return", "if (before?.id === 0) return"),
    [HOOKS, "an alert without a time, and a clock that was set %s"],
  ),
  broken(
    "how long this process has run since says nothing of two alerts",
    inFile(
      "src/core/hook/same-again.ts",
      "  if (earlier.heardMs !== null && now",
      "  if (earlier.heardMs === -1 && now",
    ),
    [HOOKS, "an alert without a time, and a clock that was set %s"],
  ),
  broken(
    "after a restart what says the same is one until the clock has come past it",
    inFile(
      "src/core/hook/same-again.ts",
      "  return !(apartMs < -STEADY_WITHIN_MS && isDatedByItsOrder(earlier));",
      "  return earlier.orderId !== null || !(apartMs < -STEADY_WITHIN_MS && isDatedByItsOrder(earlier));",
    ),
    [HOOKS, "an alert without a time, and a clock that was set %s"],
  ),
  broken(
    "where the clock was set what says the same is one for ever",
    inFile(
      "src/core/hook/same-again.ts",
      "&& Math.abs(apartMs) <= sameWithinMs",
      "&& Math.abs(apartMs) <= sameWithinMs * 1e6",
    ),
    [HOOKS, "an alert without a time, and a clock that was set %s"],
  ),
  broken(
    "a restore leaves hooks as the snapshot has them",
    inFile(
      "src/store/restores.ts",
      "const hooksHeld = holdHooks(store);",
      "const hooksHeld = holdHooks === null ? 1 : 0;",
    ),
    [HELD, "a restore puts on hold what was active, and neither the row nor a restart takes it off again"],
  ),
  broken("the hold of a restore is not sealed", inFile("src/ops/believe-rows.ts", "      sealHold(store);\n", ""), [
    HELD,
    "a restore puts on hold what was active, and neither the row nor a restart takes it off again",
  ]),
  broken(
    "a hook on hold takes alerts",
    inFile(
      RECEIVE,
      'if (isSame && hook.state === "held") throw',
      'if (isSame && hook.state === "held" && hook.name === "") throw',
    ).concat(inFile(RECEIVE, '|| hook.state !== "active")', '|| hook.state === "revoked")')),
    [HELD, "one on hold takes no alert and says why, is listed as held, and takes them again once it is kept"],
  ),
  broken(
    "a hook on hold carries out what had come to it",
    inFile("src/actions/hooks/carry-out.ts", 'if (hook.state !== "active")', 'if (hook.state === "revoked")'),
    [HELD, "what had come to it before the backup is not carried out while it is on hold"],
  ),
];
