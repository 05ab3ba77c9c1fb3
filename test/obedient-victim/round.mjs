// One house and what its victims do in it, until their scripts are done and everything that they asked for is known.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openChance } from "./chance.mjs";
import { keysOf, openHouse } from "./house.mjs";
import { Journal } from "./judge.mjs";
import { ask, drawScript, Victim } from "./victim.mjs";

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
/** How long everything may take to be known once nothing is lost any more: reads have a weight, and a lost answer is not asked for first. */
const SETTLED_WITHIN_MS = 150_000;
/** A busy machine starts it slowly. */
const READY_WITHIN_MS = 60_000;
const LOG_LINES = 3;
/** Scripts of its bot after which the owner ends a stop. */
const STOPPED_FOR = 3;

export const playRound = async ({ binary, scripts, seed, seconds, killEveryMs }) => {
  const chance = openChance(seed);
  const house = await openHouse({ binary, chance: openChance(seed + 500_000) });
  const journal = new Journal();
  const told = { scripts: 0, kills: 0, unknown: 0, refusals: {} };
  house.line.onOrder = (order) => journal.taken(order, house.bots);
  house.journal = journal;
  house.up = () => isUp(house);
  house.line.isHealthy = false;
  const endMs = performance.now() + seconds * 1_000;
  const life = { isOver: false };
  try {
    const dying = killAgain({ house, life, told, chance: openChance(seed + 900_000), killEveryMs });
    let left = scripts;
    const lives = [...house.bots, ...house.bots, ...house.bots].map(async (bot) => {
      const victim = new Victim({ house, bot, journal });
      while (left > 0 && performance.now() < endMs) {
        left -= 1;
        await victim.obey(drawScript(chance, bot.hook.mode));
        told.scripts += 1;
        if (bot.stop !== null) await endStop(house, bot, journal);
      }
    });
    await Promise.all(lives);
    life.isOver = true;
    await dying;
    house.line.isHealthy = true;
    await settle({ house, journal, told });
    await journal.compare(house.line);
    const after = await keysOf(house);
    if (JSON.stringify(after) !== JSON.stringify(house.keysBefore))
      journal.find("keys or rails are not what they were");
    for (const wish of new Set(journal.wishes.values()))
      for (const { body, outcome } of wish.told) {
        const name = body?.error?.code ?? outcome;
        if (name !== null && name !== undefined) told.refusals[name] = (told.refusals[name] ?? 0) + 1;
      }
    return {
      ...told,
      orders: house.line.cloids.size,
      wishes: new Set(journal.wishes.values()).size,
      mostUse: house.line.mostUse,
      line: house.line.counts,
      findings: [...journal.findings, ...house.line.findings],
    };
  } finally {
    life.isOver = true;
    await house.close();
  }
};

const isUp = async ({ gateway, journal }) => {
  if (await gateway.ready(READY_WITHIN_MS)) return;
  const said = await ask(`${gateway.url}/readyz`, {});
  const log = readFileSync(join(gateway.home, "log.jsonl"), "utf8").trimEnd().split("\n").slice(-LOG_LINES).join(" ");
  journal.find(`the gateway did not come back: ${JSON.stringify(said)} ${log}`);
};

/** Deaths at moments that nobody chose. */
const killAgain = async ({ house, life, told, chance, killEveryMs }) => {
  while (!life.isOver) {
    await sleep(chance.between(killEveryMs / 4, (killEveryMs * 7) / 4));
    if (life.isOver) return;
    await house.gateway.kill();
    await startAgain(house.gateway);
    told.kills += 1;
    await isUp(house);
  }
};

/** As whoever supervises it does: a command that has the directory for a moment keeps it from starting. */
const startAgain = async (gateway) => {
  for (let tries = RESTARTS; tries > 0; tries -= 1) {
    await gateway.start();
    const isOver = gateway.exited.then(() => true);
    if (!(await Promise.race([isOver, gateway.ready(READY_WITHIN_MS).then(() => false)]))) return;
    await sleep(500);
  }
};

const RESTARTS = 20;

/** What a text cannot: for a while it stands, then the owner's machine ends it. */
const endStop = async ({ gateway }, bot, journal) => {
  bot.stoppedFor = (bot.stoppedFor ?? 0) + 1;
  if (bot.stoppedFor !== STOPPED_FOR) return;
  const { body } = await gateway.ask("GET", `/v1/stops/${bot.stop}`);
  if (body?.status === "resumed") journal.find(`stop of ${bot.name} was ended by nobody who may`);
  bot.isResuming = true;
  bot.endedStops.add(bot.stop);
  // What was refused meanwhile is repeated from now on, and may be carried out. An alert is not: nobody sends it again.
  for (const wish of bot.wishes) if (wish.door !== "hook") wish.sinceStop = false;
  await resumed(gateway, bot.stop);
  Object.assign(bot, { stop: null, stoppedFor: 0, isResuming: false });
};

/** While the gateway starts its directory is in use, and nobody listens there yet. */
const resumed = async (gateway, stop) => {
  for (let tries = RESUME_TRIES; ; tries -= 1) {
    try {
      return await gateway.command("resume", "--stop", stop);
    } catch (error) {
      if (tries === 0 || !/in use by process/.test(error.message)) throw error;
      await sleep(500);
    }
  }
};

const RESUME_TRIES = 60;

const isOpen = ({ status, body }) => [0, 202, 503].includes(status) || body?.error?.code === "idempotency_in_progress";

/** Each request again under its own key, until what became of it is known. */
const settle = async ({ house, journal, told }) => {
  await isUp(house);
  const deadline = Date.now() + SETTLED_WITHIN_MS;
  for (const bot of house.bots) {
    const victim = new Victim({ house, bot, journal });
    const seen = bot.wishes.filter(({ door, kind, told }) => door === "v1" && kind === "order" && told.length > 0);
    for (const wish of seen) {
      const isKnown = ({ status, body }) =>
        status < 300 && status !== 202 && body?.status !== "unknown" && status !== 0;
      if (wish.told.some(isKnown)) wish.told.push(wish.told.findLast(isKnown));
      // Only one whose answer may have been lost: a refusal of now would be an order of now.
      else
        while (wish.told.some(({ status }) => status === 0 || status === 202) && Date.now() < deadline) {
          const answer = await victim.v1(wish);
          if (!isOpen(answer)) break;
          await sleep(300);
        }
      if (Date.now() >= deadline) {
        // No statement that is false: where its number was used, and nothing else happens in the account, nobody can say more.
        told.unknown += 1;
        return;
      }
    }
  }
};
