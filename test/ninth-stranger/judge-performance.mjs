// What is booked, once it is booked up to the last fill: how many fills, what volume, what fees, what is open.
import { grains, sleep, text, times } from "./grain.mjs";

export async function judgePerformance(world, forMs = 75_000) {
  for (const caller of world.callers) {
    const { fills, positions } = world.truth(caller);
    if (fills.length === 0) continue;
    const last = Math.max(...fills.map((of) => of.shownAt));
    const until = Date.now() + forMs;
    let told = null;
    while (Date.now() < until) {
      told = await caller.get("/v1/performance");
      if (told.status === 200 && told.json.complete_to && Date.parse(told.json.complete_to) > last) break;
      await sleep(3000);
    }
    world.tape.note("booked", { told: told?.json, last: new Date(last).toISOString() });
    if (told?.status !== 200 || !told.json.total) {
      world.find("high", `performance: ${told?.status}, nothing is booked after ${forMs / 1000} s`, {
        told: told?.json,
      });
      continue;
    }
    if (Date.parse(told.json.complete_to) <= last)
      world.find(
        "high",
        `performance is complete to ${told.json.complete_to} only, the last fill is of ${new Date(last).toISOString()}`,
      );
    const volume = fills.reduce((sum, of) => sum + times(of.px, of.size), 0n);
    const fees = fills.reduce((sum, of) => sum + of.fee, 0n);
    const { total } = told.json;
    if (total.fills !== fills.length)
      world.find("CRITICAL", `performance tells ${total.fills} fills, truly ${fills.length}`, {
        account: caller.account,
      });
    if (grains(total.volume) !== volume)
      world.find("high", `performance tells volume ${total.volume}, truly ${text(volume)}`, {
        account: caller.account,
      });
    if (grains(total.fees) !== fees)
      world.find("high", `performance tells fees ${total.fees}, truly ${text(fees)}`, { account: caller.account });
    for (const [coin, past] of positions) {
      const rows = told.json.positions.filter((of) => of.market === coin);
      const size = rows.reduce((sum, of) => sum + grains(of.size), 0n);
      if (size !== past.now.size)
        world.find("high", `performance tells ${coin} ${text(size)}, truly ${text(past.now.size)}`, { rows });
    }
  }
}
