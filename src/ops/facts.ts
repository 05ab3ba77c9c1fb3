import type { AuditSeal } from "../store/audit-seal.ts";
import { OperatorError } from "./operator.ts";

/** The facts of a verb, as they came over the control socket or from a command line. */
export type VerbFacts = Readonly<Record<string, unknown>>;

export function text(facts: VerbFacts, name: string): string {
  const value = facts[name];
  if (typeof value !== "string" || value === "") throw new OperatorError(`${name} is missing`);
  return value;
}

export function textsIn(facts: VerbFacts, name: string): string[] {
  const values = facts[name];
  if (!Array.isArray(values) || !values.every((value) => typeof value === "string"))
    throw new OperatorError(`${name} is missing`);
  return values;
}

export function wholeNumber(facts: VerbFacts, name: string): number {
  const value = facts[name];
  if (typeof value !== "number" || !Number.isSafeInteger(value)) throw new OperatorError(`${name} is missing`);
  return value;
}

export function oneOf<const T extends string>(facts: VerbFacts, name: string, allowed: readonly T[]): T {
  const found = allowed.find((value) => value === facts[name]);
  if (found === undefined) throw new OperatorError(`${name} is one of ${allowed.join(", ")}`);
  return found;
}

export function recordIn(facts: VerbFacts, name: string): VerbFacts {
  const value = facts[name];
  if (typeof value !== "object" || value === null) throw new OperatorError(`${name} is missing`);
  return { ...value };
}

export function sealIn(facts: VerbFacts): AuditSeal {
  const seal = recordIn(facts, "seal");
  return {
    rowId: wholeNumber(seal, "rowId"),
    chain: text(seal, "chain"),
    sealedAtMs: wholeNumber(seal, "sealedAtMs"),
    rowsDigest: seal["rowsDigest"] === null ? null : text(seal, "rowsDigest"),
    mac: text(seal, "mac"),
  };
}
