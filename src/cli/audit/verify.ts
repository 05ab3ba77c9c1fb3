import { isGenuineSeal } from "../../ops/seal-audit.ts";
import { verifyAudit } from "../../ops/verify-audit.ts";
import type { AuditHead } from "../../store/audit.ts";
import { type AuditSeal, findAuditSeal } from "../../store/audit-seal.ts";
import { unlockBeside } from "../change.ts";
import { type Command, DATA_DIRECTORY, Failure, type Input, JSON_OUTPUT, Misuse } from "../command.ts";
import { askGateway } from "../control.ts";
import { places, reading } from "../directory.ts";
import { present } from "../output.ts";
import type { Outside } from "../outside.ts";
import { hasPassphraseAtHand, PASSPHRASE_FILE } from "../passphrase-input.ts";

export const auditVerify: Command = {
  name: "audit verify",
  summary: "check that no row of the audit log was edited, deleted, moved or cut off",
  options: {
    head: {
      value: "ROW:HASH",
      help: "a head that this command or the log printed earlier: it must still be in the log",
    },
    "passphrase-file": PASSPHRASE_FILE,
    "data-dir": DATA_DIRECTORY,
    json: JSON_OUTPUT,
  },
  positionals: [],
  async run(input, outside) {
    const at = places(input, outside);
    const earlier = headOf(input.value("head"));
    const seal = reading(at, ({ store }) => findAuditSeal(store));
    const isGenuine = seal === null ? null : await askWhetherGenuine({ input, outside }, seal);
    const { head, fault } = reading(at, ({ store }) => verifyAudit(store, { seal, isGenuine, earlier }));
    const sealed = seal === null ? "missing" : isGenuine === null ? "not_checked" : isGenuine ? "genuine" : "forged";
    const facts = { ok: fault === null, rows: head.rowId, head: `${head.rowId}:${head.chain}`, seal: sealed, fault };
    const sealWords = {
      genuine: `sealed with the passphrase up to row ${seal?.rowId}`,
      forged: "not sealed with the passphrase",
      not_checked: "the seal was not checked: that takes the running gateway or --passphrase-file",
      missing: "not sealed",
    }[sealed];
    present({ input, outside }, facts, [
      fault === null
        ? `The audit log holds: ${head.rowId} rows, ${sealWords}.`
        : `The audit log does NOT hold: ${fault}.`,
      `Head     ${facts.head}`,
      "Keep the head elsewhere: given back with --head, it shows whether an older log was put in this one's place.",
    ]);
    if (fault !== null) throw new Failure("the audit log does not hold");
  },
};

type Asking = { input: Input; outside: Outside };

/** The running gateway's word, else our own where the passphrase is at hand, else null. */
async function askWhetherGenuine({ input, outside }: Asking, seal: AuditSeal): Promise<boolean | null> {
  const at = places(input, outside);
  const answer = await askGateway(at, "check_audit_seal", { seal });
  if (answer.isRunning) return isRecord(answer.result) && answer.result["isGenuine"] === true;
  if (!hasPassphraseAtHand(input, outside)) return null;
  const keyring = await unlockBeside(at, { input, outside });
  try {
    return isGenuineSeal(keyring, seal);
  } finally {
    keyring.signers.lock();
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function headOf(text: string | null): AuditHead | null {
  if (text === null) return null;
  const match = /^([0-9]{1,15}):([0-9a-f]{40,64})$/.exec(text);
  if (match === null) throw new Misuse("--head is a row and its hash, as audit verify prints it");
  return { rowId: Number(match[1]), chain: match[2] ?? "" };
}
