/** Every screen with something on it, light and dark, wide and on a phone. */
import { join } from "node:path";
import { goTo, openBrowser, openSignedIn } from "./browser.ts";
import { call, openScene, type Scene, setUp } from "./scene.ts";

const SCREENS = ["Trade", "Account", "Orders", "Fills", "TWAPs", "Keys", "Health"];
const LOOKS = [
  { name: "light", width: 1_280, height: 800, scheme: "light" },
  { name: "dark", width: 1_280, height: 800, scheme: "dark" },
  { name: "phone", width: 390, height: 844, scheme: "light" },
] as const;

/** Returns the files that it wrote. */
export async function takeScreens(directory: string): Promise<string[]> {
  const scene = await openScene();
  const browser = await openBrowser();
  try {
    const apiKey = await setUp(scene);
    await trade(scene, apiKey);
    const files: string[] = [];
    for (const look of LOOKS) {
      const { page, context } = await openSignedIn(browser, { baseUrl: scene.baseUrl, ...look }, apiKey);
      for (const screen of SCREENS) {
        await goTo(page, screen);
        await page.waitForTimeout(1_500);
        const file = join(directory, `${screen.toLowerCase()}-${look.name}.png`);
        await page.screenshot({ path: file });
        files.push(file);
      }
      await context.close();
    }
    return files;
  } finally {
    await browser.close();
    await scene.end();
  }
}

/** Orders, fills, positions, a TWAP: what a day leaves behind. */
export async function trade(scene: Scene, apiKey: string): Promise<void> {
  const { account } = await call<{ account: string }>(scene, apiKey, "/v1/whoami");
  async function order(terms: object): Promise<void> {
    await call(scene, apiKey, "/v1/orders", { account, ...terms });
  }
  await call(scene, apiKey, "/v1/leverage", { market: "ETH", leverage: 10, margin_type: "isolated" });
  for (const [index, side] of ["buy", "buy", "sell", "buy", "sell", "sell"].entries()) {
    const price = side === "buy" ? "5000" : "1500";
    await order({ market: "ETH", side, size: `0.${index + 3}`, price, time_in_force: "ioc" });
    await Bun.sleep(400);
  }
  await order({ market: "ETH", side: "buy", size: "2", price: "5000", time_in_force: "ioc" });
  await order({ market: "BTC", side: "sell", size: "0.05", price: "60000", time_in_force: "ioc" });
  await order({ market: "BTC", side: "buy", size: "0.01", price: "81000.5" });
  await order({ market: "BTC", side: "buy", size: "0.02", price: "79250", time_in_force: "alo" });
  const trigger = { kind: "stop_loss", price: "2400", market: true };
  await order({ market: "ETH", side: "sell", size: "1", price: "2000", reduce_only: true, trigger });
  await order({ market: "BTC", side: "buy", size: "0.0001", price: "60000" });
  await call(scene, apiKey, "/v1/twaps", { market: "BTC", side: "buy", size: "0.1", duration_minutes: 30 });
}
