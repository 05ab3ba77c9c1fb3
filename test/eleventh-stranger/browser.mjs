// A real browser by its own protocol, with a wallet in it that writes down what it was shown before it signs.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import WebSocket from "ws";
import { sleep, until } from "./world.mjs";

const FLAGS = [
  "--headless=new",
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--remote-debugging-port=0",
  "--window-size=1300,1800",
];
const WALLET = `(() => {
  const waiting = new Map(); let next = 0;
  window.walletAnswers = (id, fault, value) => { const [yes, no] = waiting.get(id); fault ? no(Object.assign(new Error(fault), { code: 4001 })) : yes(value); };
  const request = (asked) => new Promise((yes, no) => { waiting.set(++next, [yes, no]); window.walletAsked(JSON.stringify({ id: next, ...asked })); });
  const provider = { request, on() {}, removeListener() {} };
  window.ethereum = provider;
  const info = { uuid: "350670db-19fa-4704-a166-e52e178b59d2", name: "Eleventh", icon: "data:image/svg+xml,<svg/>", rdns: "test.eleventh" };
  const announce = () => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: Object.freeze({ info, provider }) }));
  window.addEventListener("eip6963:requestProvider", announce); announce();
})()`;

export async function startBrowser(world) {
  const directory = mkdtempSync(join(tmpdir(), "eleventh-browser-"));
  const child = spawn("chromium", [...FLAGS, `--user-data-dir=${directory}`, "about:blank"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const url = await new Promise((resolve, reject) => {
    let text = "";
    child.stderr.on("data", (chunk) => {
      text += chunk;
      const found = /ws:\/\/\S+/.exec(text);
      if (found) resolve(found[0]);
    });
    setTimeout(() => reject(new Error(`no browser: ${text.slice(-300)}`)), 30_000).unref();
  });
  const socket = new WebSocket(url);
  await new Promise((resolve) => socket.on("open", resolve));
  const browser = { socket, next: 0, pending: new Map(), tabs: new Map(), signed: [], world };
  socket.on("message", (data) => hear(browser, JSON.parse(data)));
  browser.tab = () => openTab(browser);
  browser.end = async () => {
    const gone = new Promise((resolve) => child.on("exit", resolve));
    send(browser, "Browser.close").catch(() => {});
    await Promise.race([gone, sleep(4000)]);
    child.kill("SIGKILL");
    rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 300 });
  };
  return browser;
}

function send(browser, method, params = {}, sessionId = undefined) {
  browser.next += 1;
  const id = browser.next;
  browser.socket.send(JSON.stringify({ id, method, params, sessionId }));
  return new Promise((resolve, reject) => browser.pending.set(id, [resolve, reject]));
}

function hear(browser, message) {
  if (message.id) {
    const [resolve, reject] = browser.pending.get(message.id) ?? [];
    browser.pending.delete(message.id);
    if (message.error) reject?.(new Error(message.error.message));
    else resolve?.(message.result);
    return;
  }
  const tab = browser.tabs.get(message.sessionId);
  if (tab) onEvent(browser, tab, message).catch(() => {});
}

async function onEvent(browser, tab, { method, params }) {
  if (method === "Runtime.bindingCalled") return answerWallet(browser, tab, JSON.parse(params.payload));
  if (method === "Page.javascriptDialogOpening") {
    tab.dialogs.push(params.message);
    await tab.send("Page.handleJavaScriptDialog", { accept: true });
  }
  if (method === "Runtime.exceptionThrown")
    tab.faults.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
  if (method === "Network.requestWillBeSent" && params.request.method !== "GET") {
    tab.requests.push({
      method: params.request.method,
      path: params.request.url.replace(browser.world.base, ""),
      body: params.request.postData,
      key: params.request.headers["Idempotency-Key"] ?? params.request.headers["idempotency-key"],
    });
  }
}

async function answerWallet(browser, tab, { id, method, params }) {
  const answer = (fault, value) =>
    tab.js(`window.walletAnswers(${id}, ${JSON.stringify(fault)}, ${JSON.stringify(value ?? null)})`).catch(() => {});
  if (method === "eth_requestAccounts" || method === "eth_accounts") return answer(null, [browser.world.owner.address]);
  if (method === "eth_chainId") return answer(null, "0xa4b1");
  if (method === "eth_signTypedData_v4") {
    const typed = typeof params[1] === "string" ? JSON.parse(params[1]) : params[1];
    const screen = await tab.text();
    browser.signed.push({ typed, screen, tab });
    if (browser.beforeSigning) await browser.beforeSigning(typed, tab);
    if (browser.refuses) return answer("User rejected the request.");
    return answer(null, await browser.world.sign(typed));
  }
  if (method.startsWith("wallet_")) return answer(null, null);
  return answer(`not offered: ${method}`);
}

async function openTab(browser) {
  const { targetId } = await send(browser, "Target.createTarget", { url: "about:blank" });
  const { sessionId } = await send(browser, "Target.attachToTarget", { targetId, flatten: true });
  const tab = {
    dialogs: [],
    faults: [],
    requests: [],
    send: (method, params) => send(browser, method, params, sessionId),
  };
  browser.tabs.set(sessionId, tab);
  for (const domain of ["Page", "Runtime", "Network"]) await tab.send(`${domain}.enable`);
  await tab.send("Runtime.addBinding", { name: "walletAsked" });
  await tab.send("Page.addScriptToEvaluateOnNewDocument", { source: WALLET });
  tab.js = async (expression) => {
    const { result, exceptionDetails } = await tab.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  tab.text = () => tab.js("document.body.innerText");
  tab.go = async (path) => {
    await tab.send("Page.navigate", { url: browser.world.base + path });
    await sleep(1500);
  };
  tab.has = (words, seconds = 10) => until(async () => (await tab.text().catch(() => "")).includes(words), seconds);
  tab.press = (words, times = 1) =>
    tab.js(
      `(() => { const all = [...document.querySelectorAll('button, a, summary, [role=button], [role=tab]')].filter((one) => one.offsetParent !== null && one.innerText.trim().replace(/\\s+/g, ' ').startsWith(${JSON.stringify(words)})); if (!all.length) throw new Error('no button ' + ${JSON.stringify(words)}); for (let i = 0; i < ${times}; i++) all[0].click(); return all[0].innerText; })()`,
    );
  tab.fill = (label, value) =>
    tab.js(
      `(() => { const field = ${FIND}(${JSON.stringify(label)}); if (!field) throw new Error('no field ' + ${JSON.stringify(label)}); const proto = field instanceof HTMLSelectElement ? HTMLSelectElement : field instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement; if (field.type === 'checkbox') { if (field.checked !== ${JSON.stringify(value)}) field.click(); return; } Object.getOwnPropertyDescriptor(proto.prototype, 'value').set.call(field, ${JSON.stringify(value)}); field.dispatchEvent(new Event('input', { bubbles: true })); field.dispatchEvent(new Event('change', { bubbles: true })); })()`,
    );
  tab.shot = async (name) => {
    const { data } = await tab.send("Page.captureScreenshot", { format: "png" });
    writeFileSync(name, Buffer.from(data, "base64"));
  };
  return tab;
}

const FIND = `((label) => { const all = [...document.querySelectorAll('input, select, textarea')].filter((one) => one.offsetParent !== null); const words = (one) => [...(one.labels ?? [])].map((l) => l.innerText).join(' ') + ' ' + (one.getAttribute('aria-label') ?? '') + ' ' + (one.placeholder ?? '') + ' ' + (one.name ?? '') + ' ' + (one.id ?? ''); return all.find((one) => words(one).trim().startsWith(label)) ?? all.find((one) => words(one).includes(label)); })`;
