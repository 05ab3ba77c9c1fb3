import { compareWithAudit } from "../../ops/compare-with-audit.ts";
import { verifyAudit } from "../../ops/verify-audit.ts";
import type { AuditHead } from "../../store/audit.ts";
import { findAuditSeal } from "../../store/audit-seal.ts";
import { askAboutSeal } from "../ask-about-seal.ts";
import { type Command, Failure, Misuse } from "../command.ts";
import { places, reading } from "../directory.ts";
import { present } from "../output.ts";
import { OPERATING } from "../passphrase-input.ts";

export const auditVerify: Command = {
  name: "audit verify",
  summary: "check that the audit log is whole, and that accounts, agents and keys are as it says",
  options: {
    head: {
      value: "ROW:HASH",
      help: "a head that this command or the log printed earlier: it must still be in the log",
    },
    ...OPERATING,
  },
  positionals: [],
  async run(input, outside) {
    const at = places(input, outside);
    const earlier = headOf(input.value("head"));
    const seal = reading(at, ({ store }) => findAuditSeal(store));
    const check = await askAboutSeal({ input, outside, at }, seal);
    const isGenuine = check?.isGenuine ?? null;
    const { head, fault } = reading(at, ({ store }) => verifyAudit(store, { seal, isGenuine, earlier }));
    const told = reading(at, ({ store }) => compareWithAudit(store));
    const differences = [...new Set([...told, ...(check?.rowFaults ?? [])])];
    const sealed = seal === null ? "missing" : isGenuine === null ? "not_checked" : isGenuine ? "genuine" : "forged";
    const isWell = fault === null && differences.length === 0;
    const shownHead = `${head.rowId}:${head.chain}`;
    const facts = { ok: isWell, rows: head.rowId, head: shownHead, seal: sealed, fault, differences };
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
      ...differences.map((difference) => `It does NOT fit the database: ${difference}.`),
      `Head     ${facts.head}`,
      "Keep the head elsewhere: given back with --head, it shows whether an older log was put in this one's place.",
    ]);
    if (fault !== null) throw new Failure("the audit log does not hold");
    if (!isWell) throw new Failure("the database is not as its audit log and its seal say");
  },
};

function headOf(text: string | null): AuditHead | null {
  if (text === null) return null;
  const match = /^([0-9]{1,15}):([0-9a-f]{40,64})$/.exec(text);
  if (match === null) throw new Misuse("--head is a row and its hash, as audit verify prints it");
  return { rowId: Number(match[1]), chain: match[2] ?? "" };
}
