import { DEFAULT_SLIPPAGE_BPS } from "../core/worst-price.ts";
import { ACCOUNT, chosenAccount } from "./account-choice.ts";
import { change, SEALING } from "./change.ts";
import { type Command, DATA_DIRECTORY, JSON_OUTPUT } from "./command.ts";
import { places, reading } from "./directory.ts";
import { keyHashOf } from "./key/key-options.ts";
import { present } from "./output.ts";
import { OPERATING } from "./passphrase-input.ts";

export const stopCommand: Command = {
  name: "stop",
  summary:
    "sign nothing more that could make a position larger, and withdraw what was signed before; cancels and reductions pass",
  options: {
    account: ACCOUNT,
    "key-hash": {
      value: "KEY_HASH",
      help: "only what this API key has placed and asks for; the whole account when left out",
    },
    everything: { value: null, help: "orders that can only make a position smaller go as well, stop-losses too" },
    flatten: { value: null, help: "close what is held as well, once nothing can increase it: reduce-only, in tries" },
    "max-slippage-bps": {
      value: "BPS",
      help: `with --flatten: furthest price from the best one, basis points; ${DEFAULT_SLIPPAGE_BPS} when left out`,
    },
    "data-dir": DATA_DIRECTORY,
    json: JSON_OUTPUT,
  },
  positionals: [],
  async run(input, outside) {
    const at = places(input, outside);
    const account = reading(at, ({ store }) => chosenAccount(store, input));
    const key = input.value("key-hash");
    const given = {
      accountId: account.id,
      keyHash: key === null ? null : keyHashOf(key),
      keepsProtection: !input.isSet("everything"),
    };
    const done = await change({ input, outside, at }, "stop_trading", given);
    const flattened = input.isSet("flatten")
      ? await change({ input, outside, at }, "flatten_stop", {
          accountId: account.id,
          stopId: done.id,
          maxSlippageBps: Number(input.value("max-slippage-bps") ?? DEFAULT_SLIPPAGE_BPS),
        })
      : null;
    present({ input, outside }, done, [
      `Stopped ${key === null ? `account ${account.id}` : `API key ${given.keyHash}`}: stop ${done.id} is ${done.status}.`,
      "What was signed before is being burnt and canceled by the running gateway, or by the next one that starts.",
      ...(flattened === null
        ? []
        : [
            `What is held is closed after that, within ${flattened.max_slippage_bps} basis points; what is left is told.`,
          ]),
      `It is stopped once this says so, and until then it names what it waits for:  GET /v1/stops/${done.id}`,
      `Ended by:  postern resume --stop ${done.id} --account ${account.id}`,
    ]);
  },
};

export const resumeCommand: Command = {
  name: "resume",
  summary: "end a stop, or all stops of an account: what can increase is taken again; what was canceled stays canceled",
  options: {
    account: ACCOUNT,
    stop: { value: "STOP_ID", help: "one stop; all that stand when left out" },
    ...OPERATING,
  },
  positionals: [],
  async run(input, outside) {
    const at = places(input, outside);
    const account = reading(at, ({ store }) => chosenAccount(store, input));
    const stopId = input.value("stop")?.toLowerCase() ?? null;
    const done = await change({ input, outside, at }, "resume_trading", { accountId: account.id, stopId }, SEALING);
    const words = done.resumed.length === 0 ? "No stop stood" : `Ended ${done.resumed.join(", ")}`;
    present({ input, outside }, done, [`${words} of account ${account.id}.`]);
  },
};
