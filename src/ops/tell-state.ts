import type { GatewayState } from "../deps.ts";
import { listAgents } from "../store/agents.ts";
import type { Store } from "../store/open.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";
import type { Keyring } from "./keyring.ts";

/** What a running gateway knows of itself. */
export type ToldState = {
  phase: GatewayState["phase"];
  writesStoppedBecause: string | null;
  /** Agents that may sign and whose key this process has not open. */
  locked: string[];
};

export function tellState({
  store,
  state,
  keyring,
}: {
  store: Store;
  state: GatewayState;
  keyring: Keyring;
}): ToldState {
  const living = listAgents(store).filter((agent) => agent.state !== "retired");
  const locked = living.filter(({ address }) => !keyring.signers.has(address)).map(({ address }) => address);
  return { phase: state.phase, writesStoppedBecause: state.writesStoppedBecause, locked };
}

/** Null: no gateway runs. `isDemo`: one of `serve --paper`. */
export function examineGateway(told: ToldState | null, isDemo: boolean): Finding[] {
  if (told === null) return [warning("gateway", "not running", `start it: postern serve${isDemo ? " --paper" : ""}`)];
  const { phase, writesStoppedBecause, locked } = told;
  return [
    ...(phase === "trial" ? [fault("upgrade", "not ended: no write is taken", "run upgrade.sh again")] : []),
    writesStoppedBecause === null
      ? ok("gateway", `running, ${phase}`)
      : fault("gateway", `writes are stopped: ${writesStoppedBecause}`, "restart it when the cause is gone"),
    ...locked.map((address) => fault("keys_open", `the key of agent ${address} is not open`, "restart the gateway")),
  ];
}
