import { checkSealBeside, type SealCheck } from "../ops/believe-rows.ts";
import type { Places } from "../ops/data-directory.ts";
import type { AuditSeal } from "../store/audit-seal.ts";
import { unlockBeside } from "./change.ts";
import type { Input } from "./command.ts";
import { askGateway } from "./control.ts";
import { reading } from "./directory.ts";
import type { Outside } from "./outside.ts";
import { hasPassphraseAtHand } from "./passphrase-input.ts";

/** The running gateway's word, else our own where the passphrase is at hand, else null. */
export async function askAboutSeal(
  { input, outside, at }: { input: Input; outside: Outside; at: Places },
  seal: AuditSeal | null,
): Promise<SealCheck | null> {
  if (seal === null) return null;
  const answer = await askGateway(at, "check_audit_seal", { seal });
  if (answer.isRunning) return answer.result;
  if (!hasPassphraseAtHand(input, outside)) return null;
  const keyring = await unlockBeside(at, { input, outside });
  try {
    const { clock } = outside;
    return reading(at, ({ store }) => checkSealBeside({ store, keyring, clock, tell: () => undefined }, seal));
  } finally {
    keyring.signers.lock();
  }
}
