// The other doors: tools of agents, and alerts.
import crypto from "node:crypto";
import { audit, clean, m, ok, say, sleep } from "./judge.mjs";

export const scenes = {};

const mcp = async (R, k, name, args) => {
  const r = await R.req(
    "POST",
    "/mcp",
    {
      jsonrpc: "2.0",
      id: 1,
      method: name === "list" ? "tools/list" : "tools/call",
      params: name === "list" ? {} : { name, arguments: args },
    },
    { key: k, h: { Accept: "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25" } },
  );
  let j = r.j;
  if (typeof j === "string") {
    const l = j.split("\n").find((x) => x.startsWith("data:"));
    try {
      j = JSON.parse(l.slice(5));
    } catch {}
  }
  return j.result?.structuredContent ?? j.result ?? j;
};

scenes.mcp = async (R) => {
  const k = await R.limited("a");
  audit(R);
  R.ex.actor = "a";
  const l = await mcp(R, k, "list");
  const t = l.tools?.find((t) => t.name === "propose_order");
  say("tools", l.tools?.map((t) => t.name).join(" "));
  say(JSON.stringify(t?.inputSchema?.properties ?? {}).slice(0, 1500), t?.inputSchema?.required);
  const base = { market: "BTC", side: "buy", size: "0.004", price: "59900" };
  const p = await mcp(R, k, "propose_order", base);
  say("propose", JSON.stringify(p).slice(0, 900));
  const intent = p.result?.intent ?? p.intent;
  const ps = await Promise.all(Array.from({ length: 10 }, () => mcp(R, k, "place", { intent })));
  say(ps.map((x) => x.outcome).join(" "));
  ok([...R.ex.orders.values()].length === 1, "an intent placed ten times at once is one order", R.ex.orders.size);
  const is = [];
  for (let i = 0; i < 8; i++) {
    const q = await mcp(R, k, "propose_order", { ...base, again: true });
    is.push(q.result?.intent ?? q.intent);
  }
  const r = await Promise.all(is.filter(Boolean).map((i) => mcp(R, k, "place", { intent: i })));
  say(
    r
      .map((x) => x.outcome + (x.refused ? ` ${JSON.stringify(x.refused)}` : ""))
      .join(" | ")
      .slice(0, 900),
  );
  R.ex.faults.push({ match: (a) => a.type === "order", kind: "lose_after" });
  const q = await mcp(R, k, "propose_order", { market: "ETH", side: "buy", size: "0.02", price: "1990" });
  const [x, y] = await Promise.all([
    mcp(R, k, "place", { intent: q.result?.intent ?? q.intent }),
    (async () => {
      await sleep(250);
      const z = await mcp(R, k, "propose_order", { market: "ETH", side: "buy", size: "0.03", price: "1990" });
      return mcp(R, k, "place", { intent: z.result?.intent ?? z.intent });
    })(),
  ]);
  say("lost", x.outcome, "second while unknown", y.outcome, y.note ?? "");
  clean(R, "tools");
};

scenes.hook = async (R) => {
  const K = R.newKey();
  await R.limited("h", {}, { key: K });
  audit(R);
  R.ex.actor = "h";
  const mk = async (name, mode) => {
    const secret = `hook_${crypto.randomBytes(32).toString("hex")}`;
    const hash = crypto.createHash("sha256").update(secret).digest("hex");
    const t = R.tdOf("HookGrant");
    const now = Date.now();
    const body = {
      account: R.account,
      name,
      key_hash: K.hash,
      mode,
      market: null,
      max_age_s: 60,
      same_within_s: 1,
      max_slippage_bps: 50,
      sources: null,
      rehearsal: false,
      secret_hash: hash,
      issued_at: now,
    };
    const msg = {
      audience: R.audience(),
      account: R.account,
      name,
      actsAs: `the bot of key ${K.hash}`,
      mode,
      market: "any",
      maxAge: "60 s",
      sameWithin: "1 s",
      maxSlippage: "50 bps",
      sources: "any",
      rehearsal: "no",
      secretHash: hash,
      issuedAt: new Date(now).toISOString(),
    };
    let last;
    for (const [mk2, src] of [
      ["any", "any"],
      ["each alert names one", "anywhere"],
      ["every", "any"],
      ["any", "anywhere"],
    ]) {
      const s = await R.owner.signTypedData({
        domain: t.domain,
        types: t.types,
        primaryType: "HookGrant",
        message: { ...msg, market: mk2, sources: src },
      });
      last = await R.req("POST", "/v1/hooks", { ...body, signature: s });
      if (last.s < 300) return secret;
    }
    const words = ["--key-hash", K.hash, "--name", name, "--mode", mode, "--same-within", "1"];
    const c = await R.cli("hook", "create", ...words, "--passphrase-file", R.pass).catch((e) => ({ err: e.message }));
    if (c.err) {
      say("hook create", m(last), c.err);
      return null;
    }
    return (c.address ?? c.url ?? c.path ?? JSON.stringify(c)).match(/hook_[0-9a-f]{64}/)?.[0];
  };
  const s = await mk("ord", "order");
  say("hook", !!s);
  if (!s) return;
  const alert = (sec, b) =>
    fetch(`${R.hooks()}/hooks/${sec}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(b),
    }).then(async (r) => ({ s: r.status, j: await r.text() }));
  R.ex.faults.push({ match: (a) => a.type === "order", kind: "lose_after" });
  const rs = [];
  for (let i = 0; i < 12; i++) {
    rs.push(await alert(s, { market: "BTC", side: "buy", size: "0.004", id: String(i) }));
    await sleep(230);
  }
  say(rs.map((r) => r.s).join(" "));
  await sleep(6000);
  say(R.worst("BTC"), "orders", R.ex.log.filter((e) => e.k === "accept").length);
  const t = await mk("tgt", "target");
  say("target hook", !!t);
  if (t) {
    const now = Date.now();
    for (const [d, ago] of [
      ["1", 0],
      ["-1", -1000],
      ["0.01", 500],
    ]) {
      say(await alert(t, { market: "BTC", target: d, time: new Date(now + ago - 2000).toISOString() }));
    }
    await sleep(5000);
    say("after targets", R.worst("BTC"));
    R.ex.lag.fills = 4000;
    say(await alert(t, { market: "BTC", target: "-0.016", time: new Date().toISOString() }));
    await sleep(7000);
    say("after target -0.016", R.worst("BTC"));
  }
  clean(R, "alerts");
};
