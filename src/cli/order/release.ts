import { change } from "../change.ts";
import { type Command, DATA_DIRECTORY, JSON_OUTPUT } from "../command.ts";
import { places, reading } from "../directory.ts";
import { present } from "../output.ts";
import { findAnyOrder } from "./find-any.ts";

export const orderRelease: Command = {
  name: "order release",
  summary: "give up an outcome that has been unknown for 24 hours: it is no longer looked up, and stays unknown",
  options: { "data-dir": DATA_DIRECTORY, json: JSON_OUTPUT },
  positionals: ["ID"],
  async run(input, outside) {
    const at = places(input, outside);
    const given = (input.positionals[0] ?? "").toLowerCase();
    // Its verb takes a UUID, which an operation has as well.
    const id = reading(at, ({ store }) => findAnyOrder(store, given)?.id ?? given);
    const done = await change({ input, outside, at }, "release_unknown", { id });
    const { kind, accountId, releasedAtMs } = done;
    const shown = { object: kind, id, account: accountId, status: "unknown", released_at_ms: releasedAtMs };
    present({ input, outside }, shown, [
      `Released ${kind} ${id}. It stays unknown and is no longer looked up; a later report of the exchange still counts.`,
    ]);
  },
};
