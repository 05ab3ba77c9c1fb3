import { type Config, readConfig } from "../config.ts";
import { counted } from "../core/counted.ts";
import { isDemo } from "../ops/data-directory.ts";
import { examineDatabase } from "../ops/examine-database.ts";
import { examineDirectory } from "../ops/examine-directory.ts";
import { examineExchange, examinePlace } from "../ops/examine-exchange.ts";
import { examineReplica } from "../ops/examine-replica.ts";
import type { Finding } from "../ops/finding.ts";
import { hadExternalCheckpoints } from "../ops/note-start.ts";
import { examineGateway } from "../ops/tell-state.ts";
import { findAuditSeal } from "../store/audit-seal.ts";
import { findInstance } from "../store/instance.ts";
import { closeStore, openStoreReadOnly, type Store } from "../store/open.ts";
import { askAboutSeal } from "./ask-about-seal.ts";
import { connect } from "./change.ts";
import { type Command, Failure } from "./command.ts";
import { askGateway } from "./control.ts";
import { places, requireDatabase } from "./directory.ts";
import { askWhere } from "./gateway-client.ts";
import { present } from "./output.ts";
import { OPERATING } from "./passphrase-input.ts";
import { lookAtPassphrase } from "./passphrase-standing.ts";

/** Weight that the questions may come to, a hundred for each account. */
const WEIGHT_PER_MINUTE = 600;

const SIGNS = { ok: "ok   ", warning: "WARN ", fault: "FAULT" } as const;

export const doctorCommand: Command = {
  name: "doctor",
  summary: "check clock, data directory, database, agents, quotas and exchange, and say what to do",
  options: OPERATING,
  positionals: [],
  async run(input, outside) {
    const config = readConfig(outside.environment, {});
    const at = places(input, outside);
    requireDatabase(at);
    const told = await askGateway(at, "tell_state", {});
    const state = told.isRunning ? told.result : null;
    const isPaperDemo = isDemo(at);
    const findings = [...examineGateway(state, isPaperDemo), ...examineDirectory(at, outside.uid)];
    const store = openStoreReadOnly(at.database);
    try {
      const { clock } = outside;
      const instance = findInstance(store);
      if (instance === null) throw new Failure(`${at.database} was never set up`);
      findings.push(...(await lookAtPassphrase({ input, outside, at, config }, instance.network)));
      const seal = findAuditSeal(store);
      const check = await askAboutSeal({ input, outside, at }, seal);
      findings.push(...examineDatabase(store, { clock, seal, check, isDemo: isPaperDemo }));
      findings.push(examinePlace(instance));
      const hasExternalCheckpoints = isReplicated(store, config);
      findings.push(...(await examineReplica({ places: at, hasExternalCheckpoints, clock })));
      const { network } = instance;
      const exchangeUrl = (await askWhere(at))?.exchangeUrl ?? instance.exchangeUrl;
      const exchange = connect(exchangeUrl, outside, WEIGHT_PER_MINUTE);
      const { builder } = config;
      const asking = { store, exchange, exchangeUrl, clock, builder, network, isDemo: isPaperDemo };
      findings.push(...(await examineExchange(asking)));
    } finally {
      closeStore(store);
    }
    const faults = findings.filter(({ level }) => level === "fault").length;
    const warnings = findings.filter(({ level }) => level === "warning").length;
    present({ input, outside }, { ok: faults === 0, faults, warnings, findings }, [
      ...findings.flatMap(linesOf),
      "",
      faults === 0 && warnings === 0 ? "All is well." : `${counted(faults, "fault")}, ${counted(warnings, "warning")}.`,
    ]);
    if (faults > 0) throw new Failure(`${counted(faults, "fault")} found`);
  },
};

/** By the last start's own word, or by this command's settings where it was not told; damage is told elsewhere. */
function isReplicated(store: Store, { hasExternalCheckpoints }: Config): boolean {
  try {
    return hadExternalCheckpoints(store) ?? hasExternalCheckpoints;
  } catch {
    return hasExternalCheckpoints;
  }
}

function linesOf({ check, level, found, todo }: Finding): string[] {
  return [`${SIGNS[level]} ${check}: ${found}`, ...(todo === null ? [] : [`      -> ${todo}`])];
}
