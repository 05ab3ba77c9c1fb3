/** A paper exchange on whose native dex others buy and sell as much as anybody wants. */
import { expect } from "bun:test";
import { FIRST, openPaperRig, type PaperRig } from "../support/paper-rig.ts";

/** No feed; everything has been read once. */
export async function openLiquidRig(): Promise<PaperRig> {
  const rig = await openPaperRig();
  await offerBoth(rig);
  await rig.clock.advance(20_000);
  return rig;
}

export async function offerBoth(rig: PaperRig): Promise<void> {
  await rig.trade("sell", "10", "60010");
  await rig.trade("buy", "10", "59990");
}

/** The first account is filled at once by what others offer. */
export async function takes(rig: PaperRig, side: "buy" | "sell", size = "0.01"): Promise<void> {
  const price = side === "buy" ? "60010" : "59990";
  const body = { account: FIRST.account.id, market: "BTC", side, size, price, time_in_force: "ioc" };
  const { text } = await rig.answer(FIRST, { route: "POST /v1/orders", body });
  expect(JSON.parse(text)).toMatchObject({ status: "filled", filled_size: size });
}
