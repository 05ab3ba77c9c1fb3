import type { App } from "../state/app.ts";
import { keepAddress, readSetup, type SetupState } from "./progress.ts";
import type { ExchangeView } from "./resources.ts";

/** Reads what the exchange shows of an address; where that failed, the state says why. */
export async function lookAt(app: App, state: SetupState, address: string): Promise<void> {
  state.isLooking = true;
  app.changed();
  const view = await readSetup<ExchangeView>(app, `/v1/setup/exchange-view?address=${address}`);
  state.isLooking = false;
  if (view !== null && state.address === address) {
    state.view = view;
    keepAddress(app, address);
  }
  app.changed();
}
