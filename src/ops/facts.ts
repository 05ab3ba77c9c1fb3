import type { AuditSeal } from "../store/audit-seal.ts";
import { OperatorError } from "./operator.ts";

/** The facts of a verb, as they came over the control socket or from a command line. */
export type Facts = Readonly<Record<string, unknown>>;

export function text(facts: Facts, name: string): string {
  const value = facts[name];
  if (typeof value !== "string" || value === "") throw new OperatorError(`${name} is missing`);
  return value;
}

export function textsIn(facts: Facts, name: string): string[] {
  const values = facts[name];
  if (!Array.isArray(values) || !values.every((value) => typeof value === "string"))
    throw new OperatorError(`${name} is missing`);
  return values;
}

export function wholeNumber(facts: Facts, name: string): number {
  const value = facts[name];
  if (typeof value !== "number" || !Number.isSafeInteger(value)) throw new OperatorError(`${name} is missing`);
  return value;
}

export function oneOf<const T extends string>(facts: Facts, name: string, allowed: readonly T[]): T {
  const found = allowed.find((value) => value === facts[name]);
  if (found === undefined) throw new OperatorError(`${name} is one of ${allowed.join(", ")}`);
  return found;
}

export function recordIn(facts: Facts, name: string): Facts {
  const value = facts[name];
  if (typeof value !== "object" || value === null) throw new OperatorError(`${name} is missing`);
  return { ...value };
}

export function sealIn(facts: Facts): AuditSeal {
  const seal = recordIn(facts, "seal");
  return {
    rowId: wholeNumber(seal, "rowId"),
    chain: text(seal, "chain"),
    sealedAtMs: wholeNumber(seal, "sealedAtMs"),
    rowsDigest: seal["rowsDigest"] === null ? null : text(seal, "rowsDigest"),
    mac: text(seal, "mac"),
  };
}
