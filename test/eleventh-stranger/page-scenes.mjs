// The owner's page in a real browser: what it said, what the wallet was shown, and what was true.
import { startBrowser } from "./browser.mjs";
import { sleep, until } from "./world.mjs";

const OPEN_DIALOG =
  "[...document.querySelectorAll('dialog')].filter((one) => one.open).map((one) => one.innerText).join('|')";
const CLOSE_DIALOGS = "[...document.querySelectorAll('dialog[open]')].forEach((one) => one.close())";
const WALLET = "Sign with Eleventh";
const between = (text, from, to) =>
  text
    .slice(Math.max(text.indexOf(from), 0))
    .split(to)[0]
    .slice(0, 1500);

async function signedIn(world, body, screen = "Bots") {
  const browser = await startBrowser(world);
  try {
    const tab = await browser.tab();
    const own = await world.plainKey();
    await tab.go("/");
    await tab.has("Sign in", 30);
    await tab.fill("API key", own.key);
    await tab.press("Sign in");
    await tab.has("Health", 20);
    await until(
      () =>
        tab.press(screen).then(
          () => true,
          () => false,
        ),
      10,
    );
    await sleep(2000);
    await body({ browser, tab, own });
  } finally {
    await browser.end();
  }
}

const pressed = (tab, words, times) =>
  until(
    () =>
      tab.press(words, times).then(
        () => true,
        () => false,
      ),
    10,
  );
const missing = ({ typed, screen }) =>
  Object.entries(typed.message).filter(([, value]) => !screen.includes(String(value)));

export const grantAsShown = (world, report) =>
  signedIn(world, async ({ browser, tab }) => {
    await tab.fill("One order", "123");
    await tab.fill("Markets", "ETH");
    await pressed(tab, "Make a limited key");
    await sleep(1200);
    await pressed(tab, WALLET, 3);
    await tab.has("This is the only time", 15);
    const [first] = browser.signed;
    report.check(
      "each line that the wallet shows stands on the screen at the click",
      missing(first).length === 0,
      missing(first),
    );
    report.check(
      "three clicks ask the wallet once and the gateway once",
      browser.signed.length === 1 && tab.requests.filter((one) => one.path === "/v1/api-keys/limited").length === 1,
      tab.requests,
    );
    const listed = (await world.api("GET", "/v1/api-keys", { key: world.reader })).body.data.find((one) => one.limits);
    report.check(
      "what was signed is what holds",
      listed.limits.rails.max_order === "123 USD" && listed.limits.rails.markets === "ETH",
      listed,
    );
    browser.signed.length = 0;
    await pressed(tab, "I have it");
    await sleep(800);
    await tab.fill("Hooks are at", "https://hooks.example.org");
    await pressed(tab, "Make a hook");
    await sleep(1200);
    await pressed(tab, WALLET);
    await tab.has("the address is shown", 15);
    report.check(
      "each line of a hook's grant stands on the screen at the click",
      browser.signed[0] && missing(browser.signed[0]).length === 0,
      browser.signed[0] && missing(browser.signed[0]),
    );
  });

export const narrowedUnderTheForm = (world, report) =>
  signedIn(world, async ({ browser, tab }) => {
    const bot = await world.grant("grid");
    await tab.has("Change the rails of grid", 40);
    await pressed(tab, "Change the rails of grid");
    await sleep(1000);
    await pressed(tab, "Write the new rails");
    await tab.has("hold once the owner has signed", 10);
    await world.cli(["key", "narrow", bot.hash, "--max-order", "50 USD"]);
    await sleep(2500);
    await pressed(tab, WALLET);
    await until(() => browser.signed.length > 0, 10);
    await sleep(4000);
    const { rails } = (await world.api("GET", "/v1/whoami", { key: bot.key })).body.limits;
    const text = await tab.text();
    report.check("a narrowing that came after the lines were written holds", rails.max_order === "50 USD", rails);
    report.check(
      "and the page says that what was signed does not hold",
      /narrow/i.test(text),
      between(text, "It may", "Hooks"),
    );
  });

/** Which stop is ended by a click at the place where a bot's own section stood open. */
export const stopSections = (world, report) =>
  signedIn(world, async ({ browser, tab }) => {
    const bot = await world.grant("grid");
    const own = (await world.cli(["stop", "--key-hash", bot.hash])).json;
    await tab.has("STOPPED: the bot grid", 20);
    await pressed(tab, "To trade again");
    await sleep(800);
    const account = (await world.cli(["stop"])).json;
    await tab.has("STOPPED: this account", 20);
    await sleep(800);
    const open = await tab.js(
      "[...document.querySelectorAll('details[open]')].map((one) => one.parentElement.innerText).join('|')",
    );
    report.check(
      "the section that stands open is still the bot's",
      open.includes(own.id) && !open.includes(account.id),
      open.slice(0, 500),
    );
    await pressed(tab, "Sign to end it");
    await sleep(800);
    const dialog = await tab.js(OPEN_DIALOG);
    report.check(
      "the dialog says which stop it ends",
      /grid|this account|whole account/.test(dialog.split("To be signed")[0]),
      dialog,
    );
    await pressed(tab, WALLET);
    await until(() => browser.signed.length > 0, 10);
    await sleep(2500);
    const message = browser.signed[0].typed.message;
    report.check("the wallet was asked about what the dialog named", dialog.includes(message.stop), [message, dialog]);
    report.note("ended", message.stop === account.id ? "the account's" : "the bot's");
  });

export const stopOverADeath = (world, report) =>
  signedIn(world, async ({ tab }) => {
    await world.stop("SIGKILL");
    await pressed(tab, "STOP");
    await sleep(800);
    await pressed(tab, "Stop now", 2);
    await sleep(2500);
    report.check(
      "with the gateway dead it says that it is not known",
      (await tab.js(OPEN_DIALOG)).includes("it is not known whether trading is stopped"),
      await tab.js(OPEN_DIALOG),
    );
    await tab.send("Page.reload");
    await sleep(2500);
    await world.serve();
    const shown = await tab.has("STOPPED: this account", 25);
    const stops = (await world.api("GET", "/v1/stops", { key: world.reader })).body.data;
    report.check("over death and reload one stop stands, and is shown", shown && stops.length === 1, [
      stops,
      (await tab.text()).slice(0, 500),
    ]);
  });

export const approvalOverADeath = (world, report) =>
  signedIn(world, async ({ browser, tab }) => {
    const agent = await world.grant("agent", { may: "propose" });
    const { result } = await world.tool(agent.key, "propose_order", {
      market: "BTC",
      side: "buy",
      size: "0.001",
      price: "93800",
    });
    await world.tool(agent.key, "place", { intent: result.intent });
    await tab.has("Approve…", 20);
    await pressed(tab, "Approve…");
    await sleep(1000);
    const before = world.placed().length;
    world.witness.fate = ({ kind }) => kind === "order" && world.gateway.kill("SIGKILL") && "lose";
    await pressed(tab, WALLET, 2);
    await world.gateway.gone;
    world.witness.fate = null;
    await tab.has("No answer", 15);
    const dialog = await tab.js(OPEN_DIALOG);
    report.check(
      "the wallet signs the words on the screen, once",
      browser.signed.length === 1 && dialog.includes(browser.signed[0].typed.message.order),
      [browser.signed.map((one) => one.typed.message), dialog],
    );
    await world.serve();
    await sleep(2000);
    await pressed(tab, WALLET);
    await sleep(4000);
    report.check("signed again after the death it is one order", world.placed().length - before === 1, [
      world.placed().length - before,
      await tab.js(OPEN_DIALOG),
    ]);
  });

export const orderOverAReload = (world, report) =>
  signedIn(
    world,
    async ({ tab }) => {
      const before = world.placed().length;
      world.witness.fate = ({ kind }) => (kind === "order" ? { holdMs: 4000 } : null);
      await tab.fill("Size", "0.003");
      await tab.fill("Price", "92100");
      await sleep(800);
      await pressed(tab, "Buy 0.003", 3);
      await sleep(900);
      await tab.send("Page.reload");
      const told = await tab.has("buy 0.003 BTC at 92100: open", 25);
      const keys = new Set(tab.requests.filter((one) => one.path === "/v1/orders").map((one) => one.key));
      report.check(
        "three clicks and a reload are one order under one key, and told",
        told && keys.size === 1 && world.placed().length - before === 1,
        [[...keys], world.placed().length - before],
      );
      const asked = await fetch(`${world.witness.url}/info`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ type: "activeAssetData", user: world.owner.address, coin: "ETH" }),
      });
      const { leverage } = await asked.json();
      await tab.fill("Market", "ETH");
      await sleep(3000);
      const text = between(await tab.text(), "Size 4 decimals", "Time in force");
      const said = /at (\d+)×/.exec(text)?.[1] ?? null;
      report.check(
        "the leverage beside the size is the exchange's, or none is said",
        said === null || said === String(leverage.value),
        [said, leverage, text],
      );
    },
    "Trade",
  );

export const keyBlockedUnderThePage = (world, report) =>
  signedIn(world, async ({ tab, own }) => {
    await world.cli(["key", "block", own.hash]);
    await sleep(2000);
    await pressed(tab, "STOP");
    await sleep(800);
    await pressed(tab, "Stop now");
    const told = await tab.has("Not stopped", 15);
    const { data } = (await world.api("GET", "/v1/stops", { key: world.reader })).body;
    report.check(
      "a stop with a blocked key is told as none, with the reason",
      told && data.length === 0,
      await tab.js(OPEN_DIALOG),
    );
    await tab.js(CLOSE_DIALOGS);
    report.check(
      "other keys of this address are still answered",
      (await world.api("GET", "/v1/whoami", { key: world.reader })).status === 200,
    );
    await tab.send("Page.reload");
    report.check(
      "a reload says that the key was blocked",
      await tab.has("was blocked by the operator", 15),
      (await tab.text()).slice(0, 600),
    );
  });

/** What a dialog says of a position when that changes under it, and what the click then does. */
export const positionUnderADialog = (world, report) =>
  signedIn(
    world,
    async ({ tab, own }) => {
      const market = (side, size, idem) =>
        world.api("POST", "/v1/orders/market", {
          key: own.key,
          idem,
          body: { account: world.account, market: "BTC", side, size },
        });
      await market("buy", "0.01", "dialog-buy-1");
      await pressed(tab, "Close");
      await sleep(800);
      await market("sell", "0.03", "dialog-sell-1");
      await sleep(4000);
      const closing = await tab.js(OPEN_DIALOG);
      report.check(
        "the dialog of a close shows what is held now",
        !closing.includes("long 0.01"),
        closing.slice(0, 200),
      );
      const before = world.placed().length;
      await pressed(tab, "Close 100");
      await sleep(4000);
      const [order] = world
        .placed()
        .slice(before)
        .flatMap((one) => one.action.orders);
      report.check("and closes no other side than it shows", !(closing.includes("long") && order?.b), [
        closing.slice(0, 80),
        order,
      ]);
      await tab.js(CLOSE_DIALOGS);
      await market("buy", "0.01", "dialog-buy-2");
      await sleep(2500);
      await pressed(tab, "TP/SL");
      await sleep(800);
      await market("sell", "0.03", "dialog-sell-2");
      await sleep(4000);
      const guarding = await tab.js(OPEN_DIALOG);
      report.check(
        "the dialog of a stop shows what is held now",
        !guarding.includes("long 0.01"),
        guarding.slice(0, 200),
      );
    },
    "Trade",
  );

export const narrowedUnderAnOlderForm = (world, report) =>
  signedIn(world, async ({ browser, tab }) => {
    const bot = await world.grant("grid");
    await tab.has("Change the rails of grid", 40);
    await pressed(tab, "Change the rails of grid");
    await sleep(1000);
    await world.cli(["key", "narrow", bot.hash, "--max-order", "50 USD"]);
    await until(async () => /One order\s+50 USD/.test(await tab.text()), 40);
    await pressed(tab, "Write the new rails");
    await tab.has("hold once the owner has signed", 10);
    const screen = await tab.text();
    await pressed(tab, WALLET);
    await until(() => browser.signed.length > 0, 10);
    await sleep(3000);
    const { rails } = (await world.api("GET", "/v1/whoami", { key: bot.key })).body.limits;
    const grant = screen.slice(screen.indexOf("hold once the owner has signed"));
    report.check(
      "a form of before a narrowing does not undo it without a word",
      rails.max_order === "50 USD" || /narrow|widen|loosen/i.test(grant.split("A thief")[0]),
      rails,
    );
  });
