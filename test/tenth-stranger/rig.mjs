// One exchange, one gateway, one owner; and what is written down of each sentence that is checked.
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { Chain } from "./chain.mjs";
import { Exchange } from "./exchange.mjs";
import { Gateway, sleep } from "./gateway.mjs";

export { sleep };
export const results = [];
export const command = { binary: process.env.POSTERN ?? "dist/postern" };

export function is(where, sentence, holds, detail) {
  results.push({ number: results.length + 1, where, sentence, holds: !!holds });
  const words = `${results.length}. [${where}] ${sentence}`;
  if (holds) process.env.TENTH_ALL && console.log(`ok   ${words}`);
  else
    console.log(`FAIL ${words}\n       ${typeof detail === "string" ? detail : JSON.stringify(detail)?.slice(0, 900)}`);
  return !!holds;
}

export const note = (words, detail) =>
  console.log(`     ${words}${detail === undefined ? "" : ` ${JSON.stringify(detail).slice(0, 1200)}`}`);

export async function until(test, ms = 10_000, step = 100) {
  const end = Date.now() + ms;
  for (;;) {
    const value = await test();
    if (value || Date.now() > end) return value;
    await sleep(step);
  }
}

export async function rig(settings = {}) {
  const owner = privateKeyToAccount(generatePrivateKey());
  const chain = new Chain(owner.address.toLowerCase());
  const exchange = await new Exchange(chain).listen();
  const gateway = new Gateway(command.binary, exchange, { owner, ...settings });
  await gateway.setUp();
  const plain = await gateway.plain();
  void gateway.follow(plain);
  await until(async () => (await plain.get("/v1/status")).body.feed_live, 15_000, 300);
  const end = async () => {
    await gateway.end();
    exchange.close();
  };
  return { owner, chain, exchange, gateway, plain, end, account: gateway.account };
}

export const code = (answer) => answer.body?.error?.code;
export const words = (answer) => answer.body?.error?.message ?? "";
export const refusedBy = (answer, rail) =>
  answer.status === 403 && code(answer) === "rail_refused" && words(answer).includes(rail);
export const shaped = (answer) =>
  JSON.stringify(Object.keys(answer.body)) === '["error"]' &&
  ["type", "code", "message"].every((name) => typeof answer.body.error[name] === "string") &&
  Object.keys(answer.body.error).length === 3;
export const largest = (answer) => words(answer).match(/largest[^0-9]*([0-9.]+[0-9])/i)?.[1];

// Each part in a world of its own.
export async function each(parts) {
  for (const part of parts) {
    const world = await rig();
    try {
      await part(world);
    } catch (error) {
      is("harness", `${part.name} ran to its end`, false, String(error.stack ?? error));
    } finally {
      await world.end();
    }
  }
}
