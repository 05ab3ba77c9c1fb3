// Bot b holds 0.05 BTC, bot a 0.005: whatever a does, it is not to touch what b has.
import { as, sleep } from "./judge.mjs";

export const both = async (R, may = "increase,reduce,modify,cancel,twap") => {
  const a = await R.limited("a", {
      may,
      max_distance: "3 %",
      max_order: "any",
      max_position: "any",
      max_exposure: "any",
    }),
    b = await R.limited("b", { max_order: "any", max_position: "any", max_exposure: "any" });
  await as(R, "b", () => R.order(b, { side: "buy", size: "0.05", price: "60100", time_in_force: "ioc" }));
  await as(R, "a", () => R.order(a, { side: "buy", size: "0.005", price: "60100", time_in_force: "ioc" }));
  await sleep(500);
  R.ex.actor = "a";
  return { a, b };
};
