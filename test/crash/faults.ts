/** What goes wrong at the exchange while the gateway is killed: each of it happens to one request. */
import type { FaultFile, RequestFault } from "../../src/paper/faults.ts";
import type { Chance } from "../simulation/chance.ts";

/** Rules; the paper exchange takes 100 in all. */
const ACTION_RULES = 75;
const READ_RULES = 20;
/** Setting the scene is left alone: so many actions and reads go before. */
const SPARED = { actions: 12, reads: 80 };

/** Faults spread over the first so many actions and reads. */
export function randomFaults(chance: Chance, reach: { actions: number; reads: number }): FaultFile {
  const actions = Array.from({ length: ACTION_RULES }, (): FaultFile["rules"][number] => ({
    on: "exchange",
    skip: SPARED.actions + chance.between(0, reach.actions),
    times: 1,
    fault: actionFault(chance),
  }));
  const reads = Array.from({ length: READ_RULES }, (): FaultFile["rules"][number] => ({
    on: "info",
    skip: SPARED.reads + chance.between(0, reach.reads),
    times: 1,
    fault: readFault(chance),
  }));
  return { rules: [...actions, ...reads] };
}

function actionFault(chance: Chance): RequestFault {
  const executed = chance.isLucky(0.5);
  return chance.pick<RequestFault>([
    { kind: "lose_answer", executed },
    { kind: "delay", ms: chance.between(100, 2_500), executed: true },
    // Lands late: after a kill, a start and a first look that has found nothing.
    { kind: "delay", ms: chance.between(500, 4_500), executed: false },
    { kind: "reset", executed },
    { kind: "bad_gateway", status: 502, executed },
    { kind: "twice" },
  ]);
}

function readFault(chance: Chance): RequestFault {
  return chance.pick<RequestFault>([
    { kind: "delay", ms: 300, executed: true },
    { kind: "status", status: 500 },
    { kind: "status_lag", ms: 300 },
  ]);
}
