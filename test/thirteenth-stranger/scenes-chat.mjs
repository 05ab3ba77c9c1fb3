// A chat that may ask, strangers who write to its bot, and a webhook. In name spaces of its own, because the address of Telegram is no setting.
import { execFileSync, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ADDRESSES, BotApi } from "./bot-api.mjs";
import { pause, until } from "./lab.mjs";
import { Agent } from "./mcp.mjs";

/** Plays this scene once more where `api.telegram.org` is an address of the loopback interface; needs the right to make name spaces. */
function elsewhere(report, lab) {
  const hosts = join(lab.home, "hosts");
  const lines = Object.entries(ADDRESSES).map(([name, address]) => `${address} ${name}`);
  writeFileSync(hosts, `127.0.0.1 localhost\n${lines.join("\n")}\n`);
  const addresses = Object.values(ADDRESSES).map((address) => `ip addr add ${address}/32 dev lo`);
  const steps = ["ip link set lo up", ...addresses, `mount --bind ${hosts} /etc/hosts`, `exec "$0" "$@"`];
  const run = fileURLToPath(new URL("run.mjs", import.meta.url));
  const words = ["-mn", "sh", "-c", steps.join(" && "), process.execPath, run, "--binary", lab.binary, "chat"];
  return new Promise((resolve) => {
    const played = spawn("unshare", words, { stdio: "inherit", env: { ...process.env, THIRTEENTH_INSIDE: "1" } });
    played.once("exit", (code) => {
      report.say("the chat's own run", code === 0, `exit code ${code}`);
      resolve();
    });
  });
}

function mayUnshare() {
  try {
    execFileSync("unshare", ["-mn", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

async function listeners(report, lab, api) {
  const phrase = lab.file("phrase", `${JSON.parse(readFileSync(join(lab.data, "demo.json"), "utf8")).passphrase}\n`);
  const token = lab.file("token", "123456:AAbbCCddEEffGGhhIIjjKKllMMnnOOppQQ\n");
  const add = (name, words) =>
    lab.command(["notice", "add", "--name", name, ...words, "--passphrase-file", phrase, "--json"]);
  await add("chat", ["--kind", "telegram", "--token-file", token, "--chat", "4242", "--commands"]);
  const hook = await add("desk", ["--kind", "webhook", "--url", "https://hooks.example.org/postern"]);
  for (const [n, url] of ["https://127.0.0.1/x", "https://[::1]/", "https://2130706433/"].entries()) {
    const answer = await add(`own-${n}`, ["--kind", "webhook", "--url", url]);
    report.say(`${url} is refused where it is added`, answer.code !== 0, answer);
  }
  await until(() => api.polls.length, Boolean, 30_000);
  return { secret: JSON.parse(hook.out).secret, resume: () => lab.command(["resume", "--passphrase-file", phrase]) };
}

async function strangers(report, lab, api) {
  const forged = [
    api.message("/stop", 9999),
    api.message("/stop", -4242),
    api.message("/stop", 4242.0000001),
    { ...api.message("x"), message: undefined, edited_message: { chat: { id: 4242 }, date: 1, text: "/stop" } },
    { ...api.message("x"), message: undefined, channel_post: { chat: { id: 4242 }, date: 1, text: "/stop" } },
    api.message("/stop", 9999, { sender_chat: { id: 4242 }, from: { id: 4242 } }),
    api.message(undefined, 4242, { caption: "/stop" }),
    {},
    { update_id: "abc", message: null },
  ];
  for (const update of forged) await api.tell(update, 1500);
  const { json } = await lab.get("/v1/stops");
  report.say("nobody but the chat stops anything", json.data.length === 0, json, "critical");
  api.updates.length = 0;
}

async function owner(report, lab, api, resume) {
  const status = await api.tell(api.message("/status"));
  report.say("/status is answered", status.length > 0 && status[0].text.includes("paper"), status, "high");
  for (const text of ["/stop now", "Stop!", "STOP EVERYTHING", "/status please"]) {
    const said = await api.tell(api.message(text));
    report.say(`${text} is answered, by a stop or by how to ask for one`, said.length > 0, "silence");
  }
  await resume();
  // A message is dated in whole seconds: one of the second in which a stop ended may be of before that, and is asked for again.
  await pause(1100);
  api.updates.length = 0;
  const stop = api.message("/stop");
  const said = await api.tell(stop);
  const { json } = await lab.get("/v1/stops");
  report.say("/stop stops", json.data.length === 1 && said.length > 0, json, "critical");
  await resume();
  api.isReplaying = true;
  await pause(4000);
  api.isReplaying = false;
  const notice = api.sent.find((message) => message.text.startsWith("Trading was stopped"));
  report.say("its notice names the true network", notice && !notice.text.includes("exchange_mainnet"), notice, "low");
  const after = await lab.get("/v1/stops");
  report.say("delivered again after its end it stops nothing", after.json.data.length === 0, after.text, "high");
  await lab.kill();
  api.updates.push(api.message("/stop"));
  await lab.start();
  const late = await until(
    () => lab.get("/v1/stops"),
    (answer) => answer.json?.data?.length === 1,
    20_000,
  );
  report.say("what was written while it was down is heard", late.json.data.length === 1, late.text, "high");
}

export async function chat(report, lab) {
  if (!process.env.THIRTEENTH_INSIDE) {
    if (mayUnshare()) return elsewhere(report, lab);
    return report.note("needs the right to make name spaces, and was not played");
  }
  const api = new BotApi(lab.home);
  await api.open();
  lab.settings = { NODE_EXTRA_CA_CERTS: api.secrets.authority };
  await lab.start();
  const { secret, resume } = await listeners(report, lab, api);
  await strangers(report, lab, api);
  await owner(report, lab, api, resume);
  const bot = await lab.grant("asks-1", ["--markets", "BTC", "--may", "propose"]);
  const agent = new Agent(lab, bot.key);
  await agent.open();
  const proposed = await agent.call("propose_order", {
    market: "http://evil.example/approve",
    side: "buy",
    size: "0.001",
    price: "90000",
  });
  if (!proposed.isError) await agent.call("place", proposed.result);
  await pause(5000);
  report.say(
    "no address of an agent's stands in the chat",
    !JSON.stringify(api.sent).includes("evil.example"),
    api.sent.at(-1),
  );
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  for (const { headers, body } of api.delivered) {
    const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
    const wanted = `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
    report.say("a webhook is signed", headers["webhook-signature"] === wanted, headers, "high");
  }
  report.say("the token is in no log", !lab.log().includes("AAbbCCdd"), "", "critical");
}
