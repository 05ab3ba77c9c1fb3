// node run.mjs list | SCENE[:SEED] … | all[:SEED]
import { readdirSync } from "node:fs";
import { House } from "./house.mjs";
import { judge, stuck } from "./judge.mjs";

const scenes = new Map();
for (const file of readdirSync(new URL("./scenes/", import.meta.url))
  .filter((f) => f.endsWith(".mjs"))
  .sort()) {
  const module = await import(`./scenes/${file}`);
  for (const [name, scene] of Object.entries(module.scenes)) scenes.set(name, scene);
}
// Everything of the first order that something wrong was said about, in the order of time.
function trace(house, wrong) {
  const id = new RegExp(
    process.env.STRANGER_TRACE === "1" ? "order (0[0-9a-f-]{35})" : `(${process.env.STRANGER_TRACE})`,
  ).exec(wrong.join(" "))?.[1];
  if (!id) return;
  const rows = house.said
    .filter((s) => s.text?.includes(id) || s.path?.includes(id))
    .map((s) => [
      s.t1,
      `${s.method} ${s.path} ${s.name ?? ""} asked ${new Date(s.t0).toISOString().slice(17)} -> ${s.status} ${(s.json?.data?.order ?? s.json?.data ?? s.json)?.status ?? ""} ${s.text.slice(0, 60).includes("list") ? "" : s.text.replace(/.*"status"/, '"status"').slice(0, 330)}`,
    ]);
  const coins = house.x.log
    .filter((l) => JSON.stringify(l, (_k, v) => (typeof v === "bigint" ? String(v) : v)).length)
    .map((l) => [
      l.t,
      `   EXCHANGE ${JSON.stringify(l, (k, v) => (k === "t" ? undefined : typeof v === "bigint" ? String(v) : v)).slice(0, 420)}`,
    ]);
  const [from, to] = [Math.min(...rows.map((r) => r[0])) - 500, Math.max(...rows.map((r) => r[0])) + 10];
  for (const [t, text] of [...rows, ...coins.filter(([t]) => t >= from && t <= to)]
    .sort((a, b) => a[0] - b[0])
    .slice(0, Number(process.env.STRANGER_LINES ?? 60)))
    console.log(new Date(t).toISOString().slice(14), text);
}
async function play(name, seed) {
  const scene = scenes.get(name);
  const house = new House(seed, scene.options ?? {});
  const wrong = [];
  const say = (text) => wrong.push(text);
  const began = Date.now();
  const limit = setTimeout(() => {
    console.log(`${name}:${seed} longer than its time`);
    house.child?.kill("SIGKILL");
    process.exit(3);
  }, 110_000);
  try {
    scene.before?.(house);
    if (!scene.manual) {
      await house.open();
      await house.follow();
    }
    await scene.play(house, say);
    wrong.push(...judge(house, scene.slack), ...(scene.mayStick ? [] : stuck(house)));
  } catch (error) {
    wrong.push(`scene broke: ${error.stack}`);
  }
  clearTimeout(limit);
  if (process.env.STRANGER_TRACE) trace(house, wrong);
  const odd = house.x.log.filter((l) => l.what === "unknown info").map((l) => `fake lacks ${JSON.stringify(l.body)}`);
  console.log(
    `${wrong.length ? "WRONG" : "held "} ${name}:${seed} ${((Date.now() - began) / 1000).toFixed(1)} s, ${house.said.length} statements`,
  );
  for (const w of [...wrong.slice(0, 14), ...new Set(odd)]) console.log(`   ${w}`);
  if (wrong.length > 14) console.log(`   … and ${wrong.length - 14} more`);
  for (const n of house.notes) console.log(`   note: ${n}`);
  if (process.env.STRANGER_LOG) console.log(house.text);
  await house.close();
  return wrong.length === 0;
}
const asked = process.argv.slice(2);
if (!asked.length || asked[0] === "list")
  console.log([...scenes.keys()].map((n) => `${n}: ${scenes.get(n).about}`).join("\n"));
else {
  let good = true;
  for (const one of asked) {
    const [name, seed = "1"] = one.split(":");
    for (const n of name === "all" ? scenes.keys() : [name]) good = (await play(n, Number(seed))) && good;
  }
  process.exit(good ? 0 : 1);
}
