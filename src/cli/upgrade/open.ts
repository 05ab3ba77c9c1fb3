import { type Command, DATA_DIRECTORY, JSON_OUTPUT } from "../command.ts";
import { askUpgrade } from "./ask.ts";

export const upgradeOpen: Command = {
  name: "upgrade open",
  summary: "end the trial after an upgrade: the new version takes writes, and there is no way back from there",
  options: { "data-dir": DATA_DIRECTORY, json: JSON_OUTPUT },
  positionals: [],
  run: (input, outside) => askUpgrade("open_writes", input, outside),
};
