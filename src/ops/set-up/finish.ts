import { appendAudit } from "../../store/audit.ts";
import { inTransaction } from "../../store/commit.ts";
import { deleteSetupTokens, putSetupProgress } from "../../store/setup.ts";
import { rejected, type StepOutcome, SUCCEEDED } from "./outcome.ts";
import { type SettingUp, setupAccount } from "./setting-up.ts";
import { builderStep, type SetupStep, setupState } from "./state.ts";
import type { SetupSession } from "./tokens.ts";

/** Orders go without the builder's fee; it can be approved later all the same. */
export function skipBuilder({ store, ...setting }: SettingUp): StepOutcome {
  const account = setupAccount(store);
  const step = account === null ? null : builderStep({ ...setting, store }, account);
  if (step?.is_required === true && step.state !== "approved") {
    return rejected(
      "The operator requires this fee: without the approval the exchange refuses every order.",
      "Approve it.",
    );
  }
  const atMs = setting.clock.nowMs();
  inTransaction(store, (within) => putSetupProgress(within, { builderSkippedAtMs: atMs }));
  return SUCCEEDED;
}

const MISSING = {
  owner: ["The account is missing.", "Give the owner's address."],
  agent: ["The agent is not approved.", "Sign its approval."],
  builder: ["The builder fee is neither approved nor skipped.", "Approve it or skip it."],
  key: ["There is no API key.", "Make one and register it."],
} as const satisfies Partial<Record<SetupStep, readonly [string, string]>>;

/** Ends the set-up for good: no link and no session opens anything any more. */
export function finishSetup(setting: SettingUp, session: SetupSession): StepOutcome {
  const { step } = setupState(setting, session);
  if (step === "done") return SUCCEEDED;
  if (step !== "finish") {
    const [error, whatToDo] = MISSING[step];
    return rejected(error, whatToDo);
  }
  const atMs = setting.clock.nowMs();
  inTransaction(setting.store, (within) => {
    putSetupProgress(within, { finishedAtMs: atMs });
    deleteSetupTokens(within);
    appendAudit(within, { atMs, actor: "operator", event: "setup_finished", reference: "setup", detail: {} });
  });
  return SUCCEEDED;
}
