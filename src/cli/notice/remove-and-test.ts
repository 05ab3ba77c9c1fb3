import { change, SEALING } from "../change.ts";
import { type Command, DATA_DIRECTORY, Failure, JSON_OUTPUT } from "../command.ts";
import { places } from "../directory.ts";
import { present } from "../output.ts";
import { OPERATING } from "../passphrase-input.ts";

export const noticeRemove: Command = {
  name: "notice remove",
  summary: "tell somebody outside nothing more, and forget the address",
  options: { "data-dir": DATA_DIRECTORY, json: JSON_OUTPUT },
  positionals: ["NAME"],
  async run(input, outside) {
    const given = { name: input.positionals[0] ?? "" };
    const done = await change({ input, outside, at: places(input, outside) }, "remove_receiver", given);
    present({ input, outside }, done, [`${done.name} is told nothing more.`]);
  },
};

export const noticeTest: Command = {
  name: "notice test",
  summary: "send one notice now; a receiver that was given up is told again what it has missed",
  options: OPERATING,
  positionals: ["NAME"],
  async run(input, outside) {
    const given = { name: input.positionals[0] ?? "" };
    const done = await change({ input, outside, at: places(input, outside) }, "test_receiver", given, SEALING);
    if (!done.taken) throw new Failure(`${done.name} at ${done.host} has not taken it: ${done.said}`);
    present({ input, outside }, done, [`${done.name} at ${done.host} has taken it.`]);
  },
};
