import { change } from "../change.ts";
import { type Command, type Input, Misuse } from "../command.ts";
import { places, reading } from "../directory.ts";
import { isoTime, present } from "../output.ts";
import { OPERATING } from "../passphrase-input.ts";
import { ownersSignature, SIGNATURE } from "../signature.ts";
import { AGENT, chosenAgent } from "./approval.ts";

export const agentApprove: Command = {
  name: "agent approve",
  summary: "send the owner's approval of an agent to the exchange",
  options: {
    agent: AGENT,
    signature: SIGNATURE,
    nonce: { value: "MS", help: "where agent approval printed one" },
    "valid-until": { value: "MS", help: "where agent approval printed one" },
    ...OPERATING,
  },
  positionals: [],
  async run(input, outside) {
    const signature = await ownersSignature(input, outside);
    const at = places(input, outside);
    const agent = reading(at, ({ store }) => chosenAgent(store, input));
    const nonce = millisecondsOf(input, "nonce") ?? agent.createdAtMs;
    const end = millisecondsOf(input, "valid-until");
    const facts = { agentAddress: agent.address, nonce, signature, validUntilMs: end };
    const { validUntilMs } = await change({ input, outside, at }, "approve_agent", facts, {
      keys: true,
      exchange: true,
    });
    const shown = { agent: agent.address, valid_until: validUntilMs === null ? null : isoTime(validUntilMs) };
    present({ input, outside }, shown, [
      `Agent ${agent.address} may trade for ${agent.ownerAddress}${validUntilMs === null ? "" : ` until ${isoTime(validUntilMs)}`}.`,
    ]);
  },
};

function millisecondsOf(input: Input, name: string): number | null {
  const text = input.value(name);
  if (text === null) return null;
  if (!/^[0-9]{13}$/.test(text)) throw new Misuse(`--${name} is unix milliseconds, as printed by agent approval`);
  return Number(text);
}
