import { type Command, DATA_DIRECTORY, JSON_OUTPUT } from "../command.ts";
import { askUpgrade } from "./ask.ts";

export const upgradeStatus: Command = {
  name: "upgrade status",
  summary: "whether the running gateway is well: version, schema, database, keys",
  options: { "data-dir": DATA_DIRECTORY, json: JSON_OUTPUT },
  positionals: [],
  run: (input, outside) => askUpgrade("upgrade_status", input, outside),
};
