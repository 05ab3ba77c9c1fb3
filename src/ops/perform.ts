import type { Changer } from "./changer.ts";
import type { Facts } from "./facts.ts";
import { OperatorError } from "./operator.ts";
import { OPERATOR_VERBS, type OperatorVerb } from "./operator-verbs.ts";

/** Does what the operator asked for; throws an `OperatorError` when it cannot be done. */
export async function perform(changer: Changer, name: string, facts: Facts): Promise<object> {
  if (!isVerb(name)) throw new OperatorError(`this gateway does not know the verb "${name}"`);
  const verb = OPERATOR_VERBS[name];
  if (changer.trial?.isOn() === true && !verb.isForTrials) {
    throw new OperatorError("an upgrade is being checked, and nothing is changed before that has ended");
  }
  return verb.perform(changer, facts);
}

function isVerb(name: string): name is OperatorVerb {
  return Object.hasOwn(OPERATOR_VERBS, name);
}
