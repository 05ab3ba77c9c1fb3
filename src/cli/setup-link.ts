import { isSetUp, newSetupLink, setupUrl } from "../ops/set-up/tokens.ts";
import type { Store } from "../store/open.ts";
import { type Command, DATA_DIRECTORY, type Input, JSON_OUTPUT } from "./command.ts";
import { askRunning } from "./control.ts";
import { places, requireDatabase, starter } from "./directory.ts";
import { present } from "./output.ts";
import type { Outside } from "./outside.ts";

/** Minutes for which a link is good. */
const LINK_MINUTES = 30;

/** What a person is told of a link. */
export function linkLines(url: string): string[] {
  return [
    `Set it up in a browser, on this machine or through "ssh -L" (good once, for ${LINK_MINUTES} minutes):`,
    `  ${url}`,
  ];
}

/**
 * Says how a gateway that is not set up yet is set up. The link itself only to a terminal: whoever can read a journal or a
 * file in which the output is kept need not be the owner.
 */
export function offerSetup(
  { input, outside }: { input: Input; outside: Outside },
  store: Store,
  pageUrl: string,
): void {
  if (input.isSet("json") || isSetUp(store, outside.clock.nowMs())) return;
  if (!outside.isTerminal) {
    outside.print("It is not set up yet. A link for the browser is printed by\n  postern setup\n");
    return;
  }
  const { clock, randomBytes } = outside;
  const { token } = newSetupLink({ store, clock, randomBytes });
  outside.print(`${linkLines(setupUrl(pageUrl, token)).join("\n")}\n`);
}

export const setupCommand: Command = {
  name: "setup",
  summary: "print a one-time link to the page that sets the running gateway up",
  options: { "data-dir": DATA_DIRECTORY, json: JSON_OUTPUT },
  positionals: [],
  async run(input, outside) {
    const at = places(input, outside);
    requireDatabase(at);
    const words = `the gateway is not running. Start it:\n  ${starter(at)}`;
    const made = await askRunning(at, { verb: "new_setup_link", given: {} }, words);
    const facts = { setup_url: made.setup_url, expires_at: new Date(made.expires_at_ms).toISOString() };
    present({ input, outside }, facts, linkLines(made.setup_url));
  },
};
