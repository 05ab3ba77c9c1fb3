import { latestEventId } from "../../store/events.ts";
import { listReceivers } from "../../store/notice-receivers.ts";
import { type Command, DATA_DIRECTORY, JSON_OUTPUT } from "../command.ts";
import { places, reading } from "../directory.ts";
import { columns, isoTime, present } from "../output.ts";

export const noticeList: Command = {
  name: "notice list",
  summary: "who is told outside, and how far each has come",
  options: { "data-dir": DATA_DIRECTORY, json: JSON_OUTPUT },
  positionals: [],
  async run(input, outside) {
    const { receivers, latest } = reading(places(input, outside), ({ store }) => ({
      receivers: listReceivers(store),
      latest: latestEventId(store),
    }));
    const facts = receivers.map(({ id, name, kind, host, cursor, failures, failingSinceMs, parkedAtMs }) => ({
      id,
      name,
      kind,
      host,
      failures,
      is_behind: cursor < latest && failures > 0,
      failing_since: isoTime(failingSinceMs),
      given_up_at: isoTime(parkedAtMs),
    }));
    const rows = facts.map(({ name, kind, host, failing_since: since, given_up_at: end }) => [
      name,
      kind,
      host,
      since,
      end,
    ]);
    present(
      { input, outside },
      { receivers: facts },
      columns([["NAME", "KIND", "HOST", "FAILING SINCE", "GIVEN UP AT"], ...rows]),
    );
  },
};
