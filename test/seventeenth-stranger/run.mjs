// node run.mjs list | all | SCENE[:SEED] ...
import { Exchange } from "./exchange.mjs";
import { Gateway } from "./gateway.mjs";
import { Judge } from "./judge.mjs";
import * as figures from "./scenes-figures.mjs";
import * as many from "./scenes-many.mjs";
import * as modifies from "./scenes-modify.mjs";
import * as stops from "./scenes-stop.mjs";
import * as words from "./scenes-words.mjs";

const SCENES = { ...modifies.scenes, ...many.scenes, ...figures.scenes, ...words.scenes, ...stops.scenes };

function dice(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

async function play(name, seed) {
  const judge = new Judge();
  const gateway = new Gateway(judge);
  const exchange = new Exchange(gateway.wallet.address);
  judge.ledger = exchange.ledger;
  const roll = dice(seed * 7919);
  for (let i = 0; i < 5; i++) roll();
  const stage = {
    exchange,
    ledger: exchange.ledger,
    faults: exchange.faults,
    gateway,
    judge,
    roll,
    pick: (list) => list[Math.floor(roll() * list.length)],
    notes: [],
  };
  const began = Date.now();
  try {
    await exchange.listen();
    await gateway.setUp(exchange.url);
    gateway.follow();
    const limit = new Promise((_, fail) =>
      setTimeout(() => fail(new Error("the scene took more than 90 s")), 90_000).unref(),
    );
    await Promise.race([SCENES[name](stage), limit]);
  } catch (error) {
    judge.fail(`scene: ${error.stack}`);
  }
  const findings = judge.run();
  await gateway.end().catch(() => {});
  exchange.close();
  console.log(
    `\n### ${name}:${seed} ${findings.length === 0 ? "held" : "FOUND"} ${((Date.now() - began) / 1000).toFixed(1)} s, ${judge.said.length} statements`,
  );
  for (const one of findings) console.log(`  ! ${one}`);
  for (const one of stage.notes) console.log(`  . ${one}`);
  if (process.env.STRANGER_WORDS) for (const one of judge.texts()) console.log(`  " ${one}`);
  if (exchange.unknown.size > 0) console.log(`  ? asked for, not modelled: ${[...exchange.unknown].join(" ")}`);
  if (process.env.STRANGER_LOG) console.log(gateway.log);
  return findings.length === 0;
}

const asked = process.argv.slice(2);
if (asked[0] === "list" || asked.length === 0) console.log(Object.keys(SCENES).join("\n"));
else {
  let isGood = true;
  for (const one of asked[0] === "all" ? Object.keys(SCENES) : asked) {
    const [name, seed] = one.split(":");
    if (!SCENES[name]) throw new Error(`no scene ${name}`);
    isGood = (await play(name, Number(seed ?? 1))) && isGood;
  }
  process.exit(isGood ? 0 : 1);
}
