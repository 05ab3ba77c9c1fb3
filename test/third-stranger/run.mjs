// node run.mjs --binary PATH [scene NAME…] [scenes] [plants] [seed N…] [thief N…]
import fs from "node:fs";
import { judge } from "./judge.mjs";
import { sleep } from "./server.mjs";
import { settle } from "./settle.mjs";
import { makeWorld } from "./world.mjs";

const words = process.argv.slice(2);
const at = words.indexOf("--binary");
if (at < 0) {
  console.error(
    "usage: node run.mjs --binary PATH (scenes | scene NAME… | plants | seed N… | thief N…) [--keep DIRECTORY]",
  );
  process.exit(2);
}
const [, binary] = words.splice(at, 2);
const keepAt = words.indexOf("--keep");
const keep = keepAt < 0 ? undefined : words.splice(keepAt, 2)[1];
const [what, ...names] = words;

const scenes = async () => ({
  ...(await import("./scenes-trades.mjs")).scenes,
  ...(await import("./scenes-told.mjs")).scenes,
  ...(await import("./scenes-stops.mjs")).scenes,
  ...(await import("./scenes-rails.mjs")).scenes,
  ...(await import("./scenes-rest.mjs")).scenes,
});

async function playScene(name, scene) {
  const world = await makeWorld({ binary, ...scene.world });
  const claims = [];
  world.claim = (isSo, rule, facts) =>
    isSo || claims.push({ level: "hard", rule, atMs: Date.now() - world.begunAt, told: facts?.told ?? null, facts });
  await scene.play(world);
  await report(name, world, claims, scene);
}

async function report(name, world, claims, { settleMs = 45_000, isSettled = true } = {}) {
  world.exchange.lag = () => 0;
  world.exchange.onAction = () => ({});
  world.exchange.onInfo = () => undefined;
  const { stories } = await settle(world, { withinMs: settleMs });
  const findings = [...claims, ...judge(world, { stories, isSettled })];
  const counts = ["hard", "allowed", "note"].map(
    (level) => `${findings.filter((one) => one.level === level).length} ${level}`,
  );
  const unknown = new Set(
    world.tape.told
      .filter(
        (row) => row.answer?.object === "order" && row.answer.status === "unknown" && row.at > Date.now() - 30_000,
      )
      .map((row) => row.answer.id),
  ).size;
  console.log(
    `${name}: ${counts.join(", ")}; ${world.tape.writes} writes, ${world.tape.told.length} told, ${world.exchange.counts.faults} faults, ${world.gateway.kills} kills, ${unknown} still unknown`,
  );
  for (const finding of dedupe(findings.filter(({ level }) => level !== "note")).slice(0, 12))
    console.log(
      `  ${finding.level.toUpperCase()} ${finding.rule}${finding.times > 1 ? ` (${finding.times} times)` : ""} at ${finding.atMs} ms\n    told: ${JSON.stringify(finding.told)}\n    log: ${JSON.stringify(finding.facts)}`,
    );
  if (keep) write(`${keep}/${name}.json`, world, findings);
  await world.end();
  return findings;
}

function dedupe(findings) {
  const seen = new Map();
  for (const finding of findings) {
    const name = `${finding.rule} ${finding.told?.id ?? finding.told?.result?.order_id ?? JSON.stringify(finding.facts).slice(0, 60)}`;
    if (seen.has(name)) seen.get(name).times++;
    else seen.set(name, { ...finding, times: 1 });
  }
  return [...seen.values()];
}

function write(file, world, findings) {
  const rows = [
    ...world.engine.log.map((row) => ({ ms: row.at - world.begunAt, log: row })),
    ...world.tape.told.map((row) => ({ ms: row.at - world.begunAt, told: row })),
    ...world.exchange.arrivals.map(({ at: arrivedAt, envelope, plan, result }) => ({
      ms: arrivedAt - world.begunAt,
      arrival: { action: envelope.action, nonce: envelope.nonce, plan, result },
    })),
  ];
  rows.sort((a, b) => a.ms - b.ms);
  fs.mkdirSync(keep, { recursive: true });
  fs.writeFileSync(file, `${JSON.stringify(findings)}\n${rows.map((row) => JSON.stringify(row)).join("\n")}\n`);
}

let hard = 0;
const count = (findings) => (hard += findings?.filter(({ level }) => level === "hard").length ?? 0);
if (what === "scenes" || what === "scene") {
  const all = await scenes();
  for (const name of what === "scenes" ? Object.keys(all) : names) {
    try {
      count(await playScene(name, all[name]));
    } catch (error) {
      console.log(`${name}: did not run to its end: ${error.stack}`);
      hard++;
    }
  }
} else if (what === "plants") hard = await (await import("./plants.mjs")).plant({ binary, makeWorld, settle, judge });
else if (what === "seed")
  for (const seed of names)
    count(
      await report(
        `seed-${seed}`,
        ...(await (await import("./seed.mjs")).playSeed({ binary, seed: Number(seed), makeWorld })),
      ),
    );
else if (what === "thief")
  for (const seed of names)
    hard += await (await import("./thief.mjs")).steal({
      binary,
      seed: Number(seed),
      makeWorld,
      write: (name, world, findings) => keep && write(`${keep}/${name}.json`, world, findings),
    });
await sleep(100);
process.exit(hard > 0 ? 1 : 0);
