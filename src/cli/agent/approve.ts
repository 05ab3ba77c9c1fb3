import { change } from "../change.ts";
import { type Command, DATA_DIRECTORY, JSON_OUTPUT, Misuse, required } from "../command.ts";
import { places, reading } from "../directory.ts";
import { isoTime, present } from "../output.ts";
import { PASSPHRASE_FILE } from "../passphrase-input.ts";
import { normaliseSignature } from "../signature.ts";
import { AGENT, chosenAgent } from "./approval.ts";

export const agentApprove: Command = {
  name: "agent approve",
  summary: "send the owner's approval of an agent to the exchange",
  options: {
    agent: AGENT,
    signature: { value: "0x…", help: "the owner's signature of what agent approval printed" },
    nonce: { value: "MS", help: "where agent approval printed one" },
    "passphrase-file": PASSPHRASE_FILE,
    "data-dir": DATA_DIRECTORY,
    json: JSON_OUTPUT,
  },
  positionals: [],
  async run(input, outside) {
    const signature = normaliseSignature(required(input, "signature"));
    const at = places(input, outside);
    const agent = reading(at, ({ store }) => chosenAgent(store, input));
    const nonce = nonceOf(input.value("nonce")) ?? agent.createdAtMs;
    const facts = { agentAddress: agent.address, nonce, signature };
    const done = await change({ input, outside, at }, "approve_agent", facts, { keys: true, exchange: true });
    const validUntilMs = typeof done["validUntilMs"] === "number" ? done["validUntilMs"] : null;
    const shown = { agent: agent.address, valid_until: validUntilMs === null ? null : isoTime(validUntilMs) };
    present({ input, outside }, shown, [
      `Agent ${agent.address} may trade for ${agent.ownerAddress}${validUntilMs === null ? "" : ` until ${isoTime(validUntilMs)}`}.`,
    ]);
  },
};

function nonceOf(text: string | null): number | null {
  if (text === null) return null;
  if (!/^[0-9]{13}$/.test(text)) throw new Misuse("--nonce is unix milliseconds, as printed by agent approval");
  return Number(text);
}
