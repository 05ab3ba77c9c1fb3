import { listAgents } from "../store/agents.ts";
import { findInstance, findSealedInstance } from "../store/instance.ts";
import type { Store } from "../store/open.ts";
import { agentPrefix, SHARED_PREFIX, slotOf } from "../vault/agent-keys.ts";

/**
 * How the names of this directory's agents begin. A directory from before each had a name of its own keeps the shared one:
 * its next key has to take a slot that it knows.
 */
export function agentPrefixOf(store: Store): string {
  const instance = findSealedInstance(store) ?? findInstance(store);
  if (instance === null) throw new Error("bug: a directory that was never set up has no agents");
  const own = agentPrefix(instance.secret);
  const names = listAgents(store).map(({ name }) => name);
  const isOlder = names.some((name) => slotOf(SHARED_PREFIX, name) !== null);
  return isOlder && !names.some((name) => slotOf(own, name) !== null) ? SHARED_PREFIX : own;
}
