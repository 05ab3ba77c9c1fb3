import { alertText } from "../../core/hook/alert-text.ts";
import { DEFAULT_MAX_AGE_S, DEFAULT_SAME_WITHIN_S, TRADINGVIEW_SOURCES } from "../../core/hook/hook.ts";
import { DEFAULT_SLIPPAGE_BPS } from "../../core/worst-price.ts";
import { change, SEALING } from "../change.ts";
import { type Command, Misuse, required } from "../command.ts";
import { places } from "../directory.ts";
import { KEY_HASH, keyHashOf } from "../key/key-options.ts";
import { present } from "../output.ts";
import { OPERATING } from "../passphrase-input.ts";
import { modeOf, secondsOf } from "./options.ts";

export const hookCreate: Command = {
  name: "hook create",
  summary: "make an address to which a chart sends alerts, which act as the bot of a key with rails; shown once",
  options: {
    "key-hash": KEY_HASH,
    name: { value: "NAME", help: "1 to 40 of a-z, 0-9 and -" },
    mode: {
      value: "MODE",
      help: "order: each alert is one order; target: an alert says what the bot is to hold, and the newest wins",
    },
    market: { value: "MARKET", help: "the only market that its alerts may name; each names one when left out" },
    "max-age": { value: "SECONDS", help: `an older alert is not carried out; ${DEFAULT_MAX_AGE_S} when left out` },
    "same-within": {
      value: "SECONDS",
      help: `alerts without a time that say the same within this are one; ${DEFAULT_SAME_WITHIN_S} when left out`,
    },
    "max-slippage-bps": {
      value: "BPS",
      help: `furthest price from the best one of an order without a price; ${DEFAULT_SLIPPAGE_BPS} when left out`,
    },
    sources: {
      value: "NETWORKS",
      help: "from where alerts may come, joined by commas; tradingview stands for its four",
    },
    rehearsal: {
      value: null,
      help: "keep its alerts and carry none out: postern hook rehearse shows what they would do",
    },
    "public-url": { value: "URL", help: "how the sender reaches the port of the hooks, for the text that is printed" },
    ...OPERATING,
  },
  positionals: [],
  async run(input, outside) {
    const sources = input.value("sources");
    const given = {
      keyHash: keyHashOf(required(input, "key-hash")),
      name: required(input, "name"),
      mode: modeOf(required(input, "mode")),
      market: input.value("market"),
      maxAgeMs: secondsOf(input, "max-age", DEFAULT_MAX_AGE_S),
      sameWithinMs: secondsOf(input, "same-within", DEFAULT_SAME_WITHIN_S),
      maxSlippageBps: Number(input.value("max-slippage-bps") ?? DEFAULT_SLIPPAGE_BPS),
      sources: sources === "tradingview" ? TRADINGVIEW_SOURCES : sources,
      isRehearsal: input.isSet("rehearsal"),
    };
    const base = baseOf(input.value("public-url"));
    const made = await change({ input, outside, at: places(input, outside) }, "create_hook", given, SEALING);
    const { secret, ...told } = made;
    const alert = alertText(given);
    present({ input, outside }, { ...told, url: `${base}/hooks/${secret}`, message: alert }, [
      `Hook ${made.name} (${made.id}) acts as bot ${made.bot}${given.isRehearsal ? ", and only keeps what comes" : ""}.`,
      "Its address, shown this once. Whoever has it can do what the bot may do:",
      `  ${base}/hooks/${secret}`,
      "In the alert, as its webhook URL. And as its message:",
      `  ${alert}`,
      ...(base === UNKNOWN_BASE
        ? ["The port of the hooks is what POSTERN_HOOKS_LISTEN says, behind your own name."]
        : []),
    ]);
  },
};

const UNKNOWN_BASE = "https://your-name.example";

function baseOf(text: string | null): string {
  if (text === null) return UNKNOWN_BASE;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.origin !== text)
    throw new Misuse("--public-url is a base URL without path, query or final slash: https://hooks.example.org");
  return text;
}
