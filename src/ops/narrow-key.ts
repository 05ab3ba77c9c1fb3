import { parseNarrowing, printRails } from "../core/rails/grammar.ts";
import { memberName } from "../core/rails/member-name.ts";
import { railsResource } from "../core/rails/rails-resource.ts";
import { narrowBot } from "../settle/stop/narrow-bot.ts";
import { findApiKey } from "../store/api-keys.ts";
import { inTransaction } from "../store/commit.ts";
import { type Operator, OperatorError } from "./operator.ts";

export type OperatorsNarrowing = {
  keyHash: string;
  /** By the names of a grant. */
  rails: Readonly<Record<string, unknown>>;
  cancelOrders: boolean;
};

/** Makes the rails of a key's bot tighter, at once and without the owner; needs no passphrase, because it gives nothing away. */
export function narrowKey(operator: Operator, { keyHash, rails, cancelOrders: isToCancel }: OperatorsNarrowing) {
  const texts = Object.fromEntries(Object.entries(rails).map(([name, value]) => [name, String(value)]));
  const parsed = parseNarrowing(texts);
  if (parsed.kind === "fault") throw new OperatorError(`${memberName(parsed.member)} must be ${parsed.rule}`);
  const { narrowing } = parsed;
  if (Object.keys(narrowing).length === 0) throw new OperatorError("name at least one rail");
  return inTransaction(operator.store, (store) => {
    const key = findApiKey(store, keyHash);
    if (key === null) throw new OperatorError("no key with this hash is registered");
    const done = narrowBot(store, operator, { key, narrowing, isToCancel, actor: "operator" });
    if (done === null) throw new OperatorError("this key has no rails: its owner has signed none");
    return { account: key.accountId, rails: railsResource(printRails(done.rails)), stop: done.stop?.id ?? null };
  });
}
