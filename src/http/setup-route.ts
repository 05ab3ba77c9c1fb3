/** The two kinds of route of the set-up: the link's one trade, and everything that follows under the session. */
import type { Static, TSchema } from "@sinclair/typebox";
import { ApiError } from "../core/errors.ts";
import type { With } from "../deps.ts";
import type { SettingUp } from "../ops/set-up/setting-up.ts";
import { claimSetup, requireSession, type SetupSession } from "../ops/set-up/tokens.ts";
import type { Contract } from "./contract.ts";
import type { Query } from "./query.ts";
import { queryOf, type Route, readingBody, type WithBody } from "./route.ts";
import type { ClaimBody } from "./schema/setup.ts";
import { countingFailures, type Visit } from "./visit.ts";

/** Trades the link for a session. */
export function claimRoute(
  contract: WithBody<typeof ClaimBody>,
  run: (setting: SettingUp, session: SetupSession) => Promise<string>,
): Route {
  const readBody = readingBody(contract);
  return setupRoute(contract, async (deps, visit, setting) => {
    const authorization = visit.request.headers.get("authorization");
    const { session_hash } = await readBody(deps, visit);
    const claim = () => claimSetup(setting, authorization, session_hash);
    return run(setting, countingFailures(visit, "authentication", claim));
  });
}

/** Reads something for a session. */
export function setupReadRoute(
  contract: Contract,
  run: (setting: SettingUp, session: SetupSession, query: Query) => string | Promise<string>,
): Route {
  return setupRoute(contract, (_deps, visit, setting) => {
    const session = sessionOf(setting, visit);
    const query = queryOf(contract, visit);
    chargeTo(visit, session);
    return run(setting, session, query);
  });
}

/** Takes a step for a session. */
export function setupStepRoute<Body extends TSchema>(
  contract: WithBody<Body>,
  run: (setting: SettingUp, session: SetupSession, body: Static<Body>) => Promise<string>,
): Route {
  const readBody = readingBody(contract);
  return setupRoute(contract, async (deps, visit, setting) => {
    const session = sessionOf(setting, visit);
    const body = await readBody(deps, visit);
    chargeTo(visit, session);
    return run(setting, session, body);
  });
}

/** Refuses where nothing can be set up, before anything is asked of the request. */
function setupRoute(
  contract: Contract,
  run: (deps: With<"clock">, visit: Visit, setting: SettingUp) => string | Promise<string>,
): Route {
  return {
    contract,
    async answer(deps, visit) {
      const { settingUp } = visit;
      if (settingUp === null) throw new ApiError("invalid_setup_token", "Nothing can be set up here.");
      return { status: 200, body: await run(deps, visit, { ...deps, ...settingUp }) };
    },
  };
}

function sessionOf(setting: SettingUp, visit: Visit): SetupSession {
  const authorization = visit.request.headers.get("authorization");
  return countingFailures(visit, "authentication", () => requireSession(setting, authorization));
}

/** Signatures and looks at the exchange cost something: a session has the limits of a reading key. */
function chargeTo(visit: Visit, { tokenHash }: SetupSession): void {
  const charge = visit.limits.charge(tokenHash, "reads");
  if (charge === null) return;
  visit.quota = charge.quota;
  if (charge.refusal !== null) throw charge.refusal;
}
