// How a scene is played.
import { World } from "./world.mjs";

const CALM = { lost: 0, never: 0, late: 0, slow: 0, info: 0 };

export async function play(binary, options, script) {
  const world = new World(binary, options.seed ?? 7, { rate: CALM, sickness: 800, ...options });
  const found = [];
  const expect = (isTrue, level, what, ...facts) =>
    isTrue || found.push({ level, what, told: facts[0], truth: facts[1] ?? null });
  try {
    await world.begin();
    world.chain.partial = 0;
    await script(world, expect);
    await world.calm(options.calm ?? 60_000);
    return { name: "", world, findings: [...found, ...(await world.compare())] };
  } catch (error) {
    return {
      name: "",
      world,
      findings: [...found, { level: "harness", what: String(error.stack), told: null, truth: null }],
    };
  }
}

export const order = (world, rest) => ({
  account: world.account,
  market: "BTC",
  side: "buy",
  size: "0.005",
  price: "59900",
  ...rest,
});
export const oneOf = (fates) => (body) => (body.action.type === "order" ? (fates.shift() ?? null) : null);
