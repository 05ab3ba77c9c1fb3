/** Rows of the audit log in words. */
import { isoTime } from "./resource.ts";

export type AuditFact = { name: string; value: string };

/** `detail`: the JSON text of a row, an object of plain values. */
export function auditFacts(detail: string): AuditFact[] {
  // Written by `appendAudit` and by nothing else.
  const facts = Object.entries(JSON.parse(detail) as Readonly<Record<string, unknown>>);
  return facts.map(([name, value]) => ({ name, value: String(value) }));
}

/** `rail max order, limit 500 USD`. */
export function factWords(facts: readonly AuditFact[]): string {
  return facts.map((fact) => `${spaced(fact.name)} ${valueWords(fact)}`).join(", ");
}

const MOMENT_NAME = /(^before|_at|_until)$/;
const UNIX_MS = /^[0-9]{13}$/;

/** Moments are kept as unix milliseconds, which nobody reads. */
function valueWords({ name, value }: AuditFact): string {
  return MOMENT_NAME.test(name) && UNIX_MS.test(value) ? isoTime(Number(value)) : value;
}

export function spaced(name: string): string {
  return name.replaceAll("_", " ");
}

const KEY_HASH = /^[0-9a-f]{64}$/;

/** Key hashes are long, and their beginning tells them apart. */
export function actorWords(actor: string): string {
  return isKeyHash(actor) ? `key ${actor.slice(0, 8)}` : actor;
}

export function isKeyHash(text: string): boolean {
  return KEY_HASH.test(text);
}
