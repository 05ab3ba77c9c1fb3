// Alerts of a chart as somebody sends them who means harm, and those of a chart that sends twice.
import { pause } from "./lab.mjs";

export async function alerts(report, lab) {
  await lab.start();
  const bot = await lab.grant("chart-1", ["--markets", "BTC,ETH"]);
  const words = [
    "hook",
    "create",
    "--key-hash",
    bot.hash,
    "--name",
    "chart",
    "--mode",
    "order",
    "--market",
    "BTC",
    "--json",
  ];
  const made = await lab.command(words);
  const secret = made.out.match(/hook_[0-9a-f]{64}/)?.[0];
  const send = async (body, headers = {}, path = `/hooks/${secret}`, method = "POST") => {
    const written = typeof body === "string" ? body : JSON.stringify(body);
    const all = { "content-type": "application/json", ...headers };
    const answer = await fetch(`http://127.0.0.1:${lab.hooksPort}${path}`, {
      method,
      headers: all,
      ...(method === "POST" ? { body: written } : {}),
    });
    await pause(250);
    return { status: answer.status, text: await answer.text() };
  };
  const now = (aheadMs = 0) => new Date(Date.now() + aheadMs).toISOString();
  const alert = { market: "BTC", side: "buy", size: "0.001", time: now(), id: "one" };
  const four = await Promise.all([1, 2, 3, 4].map(() => send(alert, { "content-type": "text/plain" })));
  report.say(
    "four deliveries are accepted",
    four.every((answer) => answer.status === 200),
    four,
    "high",
  );
  const odd = [
    '{"market":"BTC","side":"buy","side":"sell","size":"0.001"}',
    { ...alert, size: 0.001 },
    { ...alert, account: "x" },
    { ...alert, market: "ETH" },
    { ...alert, time: "2026-11-29T02:00:00+02:00" },
    { ...alert, time: now(3_600_000) },
    { ...alert, size: "+0.001" },
    { ...alert, size: "00.001", id: "zero" },
    { ...alert, size: "1e-3" },
    { ...alert, reduce_only: "true" },
    { ...alert, side: "BUY" },
    { ...alert, id: 5 },
    { ...alert, id: "x".repeat(5000) },
    [alert],
    "",
  ];
  let accepted = 1;
  for (const body of odd) {
    const answer = await send(body);
    if (answer.status === 200) accepted += 1;
    report.say(
      `${JSON.stringify(body).slice(0, 80)} is 400`,
      answer.status === 400,
      answer,
      JSON.stringify(body).includes("00.001") ? "low" : "high",
    );
  }
  const old = await send({ ...alert, time: "1970-01-01T00:00:00Z" });
  report.say("an old one is kept and not carried out", old.text.includes("too_old"), old);
  await send({ ...alert, size: "0.1", id: "big", time: now() });
  const nowhere = [
    ["GET", `/hooks/${secret}`],
    ["POST", "/hooks/"],
    ["POST", `/hooks/${secret}/`],
    ["POST", "/v1/orders"],
    ["GET", "/metrics"],
  ];
  for (const [method, path] of nowhere) {
    const answer = await send(alert, { authorization: `Bearer ${lab.plain}` }, path, method);
    report.say(`${method} ${path.replace(secret, "SECRET")} is 404 there`, answer.status === 404, answer, "high");
  }
  await pause(3000);
  const { history } = await lab.atExchange();
  report.say(
    "the exchange has one order for each alert that was accepted",
    history.length === accepted,
    history,
    "critical",
  );
  report.say("its address is in no log", !lab.log().includes(secret), "", "critical");
  await lab.command(["hook", "revoke", "chart"]);
  const revoked = await send({ ...alert, id: "after", time: now() });
  report.say("a revoked one is 404", revoked.status === 404, revoked, "critical");
}
