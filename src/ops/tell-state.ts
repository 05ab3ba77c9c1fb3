import { OBSTACLES, type Readiness } from "../core/readiness.ts";
import type { GatewayState } from "../deps.ts";
import { listAccounts } from "../store/accounts.ts";
import { listAgents } from "../store/agents.ts";
import type { Store } from "../store/open.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";
import type { Keyring } from "./keyring.ts";

/** A port that is open; `exposure` as the configuration calls it, `this_machine` where no other machine reaches it. */
export type Listener = {
  what: "gateway" | "metrics" | "hooks" | "paper exchange";
  url: string;
  exposure: string | null;
};

/** What a running gateway knows of itself. */
export type ToldState = {
  phase: GatewayState["phase"];
  writesStoppedBecause: string | null;
  /** Agents that may sign and whose key this process has not open. */
  locked: string[];
  /** Whose orders are not taken, and why, in plain words. */
  refusing: { account: string; because: string }[];
  listeners: readonly Listener[];
};

export function tellState({
  store,
  state,
  keyring,
  readiness,
  listeners,
}: {
  store: Store;
  state: GatewayState;
  keyring: Keyring;
  readiness: Readiness;
  listeners: readonly Listener[];
}): ToldState {
  const living = listAgents(store).filter((agent) => agent.state !== "retired");
  const locked = living.filter(({ address }) => !keyring.signers.has(address)).map(({ address }) => address);
  const { phase, writesStoppedBecause } = state;
  return { phase, writesStoppedBecause, locked, refusing: refusingAccounts(store, readiness), listeners };
}

function refusingAccounts(store: Store, { accounts }: Readiness): ToldState["refusing"] {
  const known = listAccounts(store);
  return accounts.flatMap(({ accountId, reason, detail }) => {
    if (reason === null) return [];
    const label = known.find(({ id }) => id === accountId)?.label ?? "";
    const because = `${OBSTACLES[reason]}${detail === null ? "" : ` (${detail})`}`;
    return [{ account: `${label} (${accountId})`, because }];
  });
}

/** Null: no gateway runs. `isDemo`: one of `serve --paper`. */
export function examineGateway(told: ToldState | null, isDemo: boolean): Finding[] {
  if (told === null) return [warning("gateway", "not running", `start it: postern serve${isDemo ? " --paper" : ""}`)];
  const { phase, writesStoppedBecause, locked, refusing, listeners } = told;
  return [
    ...(phase === "trial" ? [fault("upgrade", "not ended: no write is taken", "run upgrade.sh again")] : []),
    writesStoppedBecause === null
      ? ok("gateway", `running, ${phase}`)
      : fault("gateway", `writes are stopped: ${writesStoppedBecause}`, "restart it when the cause is gone"),
    ...locked.map((address) => fault("keys_open", `the key of agent ${address} is not open`, "restart the gateway")),
    ...refusing.map(({ account, because }) => fault("orders", `not taken for ${account}: ${because}`, ORDERS_TODO)),
    ...listeners.map(examineListener),
  ];
}

function examineListener({ what, url, exposure }: Listener): Finding {
  const words = `${what} at ${url}`;
  if (exposure === "this_machine") return ok("listens", `${words}, for this machine only`);
  if (exposure === "network") {
    const todo = "listen at 127.0.0.1, or let nobody else through to it";
    return warning("listens", `${words}, where anybody on the network may trade on it`, todo);
  }
  return ok("listens", `${words}, for other machines as well: ${EXPOSED_BY[exposure ?? ""] ?? "not known how"}`);
}

const EXPOSED_BY: Readonly<Record<string, string>> = {
  network_with_tls: "with TLS",
  network_behind_proxy: "without TLS, for a proxy that has it",
  network_with_token: "to whoever has the token",
};

const ORDERS_TODO = "mend that; the other lines here say more, and orders are taken again by themselves";
