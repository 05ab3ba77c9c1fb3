import { type Command, DATA_DIRECTORY, JSON_OUTPUT } from "./command.ts";
import { askRunning } from "./control.ts";
import { places, requireDatabase, starter } from "./directory.ts";
import { present } from "./output.ts";
import { linkLines } from "./setup-link.ts";

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
