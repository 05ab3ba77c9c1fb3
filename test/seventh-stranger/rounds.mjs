// A round drawn from a seed: what is traded, what becomes of requests, what is behind.

import { sleep } from "./codec.mjs";
import { FATE_NAMES } from "./exchange.mjs";
import { killAndStart } from "./gateway.mjs";
import { KIND_NAMES, work } from "./play.mjs";
import { compare, keep, makeWorld, settle } from "./world.mjs";

/** One to two minutes: play, heal, compare. */
export async function round(binary, seed, options) {
  const world = await makeWorld(binary, seed);
  const { draw, exchange } = world;
  const kind = options.kind ?? KIND_NAMES[seed % KIND_NAMES.length];
  const share = draw.from([0.1, 0.25, 0.4]);
  const fates = options.fate ? [options.fate] : FATE_NAMES.filter(() => draw.chance(0.5));
  if (fates.length === 0) fates.push("lost");
  const infoShare = draw.from([0, 0, 0.05, 0.15]);
  exchange.fate = () => (draw.chance(share) ? draw.from(fates) : "ok");
  exchange.infoFate = () => (draw.chance(infoShare) ? draw.from(["cut", "html", "badGateway", "truncated"]) : null);
  world.mostLag = draw.from([1500, 4000, 8000]);
  world.note = `${kind}, ${Math.round(share * 100)} % of ${fates.join(" ")}, info ${infoShare}, lag ${world.mostLag}`;
  try {
    const end = Date.now() + draw.between(15, 28) * 1000;
    const events = disturb(world, end);
    await Promise.all(
      Object.values(world.clients).flatMap((client) => [
        work(world, client, kind, end),
        work(world, client, kind, end),
      ]),
    );
    await events;
    const left = await settle(world);
    for (const line of left)
      world.judge.say(line.startsWith("soft") ? "soft" : "high", "not known a minute after all is well", { id: line });
    await compare(world);
  } finally {
    if (options.keep) keep(world, `${options.keep}/seed-${seed}.jsonl`);
    world.end();
  }
  return world;
}

/** What happens beside: a silent stream, a liquidation, a kill. */
async function disturb(world, end) {
  const { draw, chain, exchange } = world;
  const what = draw.from(["nothing", "mute", "liquidation", "kill", "sockets"]);
  world.note += `, ${what}`;
  await sleep(draw.between(4, 10) * 1000);
  if (Date.now() > end) return;
  if (what === "mute") {
    exchange.control.mute = true;
    await sleep(6000);
    exchange.control.mute = false;
  }
  if (what === "liquidation")
    for (const account of chain.accounts.values())
      for (const coin of [...account.positions.keys()].slice(0, 1)) chain.liquidate(account, coin);
  if (what === "kill") await killAndStart(world.gateway);
  if (what === "sockets") for (const socket of exchange.sockets) socket.terminate();
}
