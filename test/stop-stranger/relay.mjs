// `/exchange`: what becomes of an action on its way is its fate, given by the scene: lost, late, twice, refused here and executed there.
import { now, sleep } from "./random.mjs";
import { approverOf, signerOf } from "./signatures.mjs";
import { Streams } from "./streams.mjs";
export class Relay extends Streams {
  async exchangeReq(res, body) {
    const send = (code, text, type = "application/json") => {
      if (res.destroyed) return;
      res.writeHead(code, { "Content-Type": type });
      res.end(text);
    };
    let q;
    try {
      q = JSON.parse(body);
    } catch {
      return send(400, "Failed to parse the request body as JSON", "text/plain");
    }
    const { action, nonce } = q;
    if (action.type === "approveAgent") {
      const owner = await approverOf(q);
      this.approve(owner, action.agentAddress, action.agentName);
      return send(200, JSON.stringify({ status: "ok", response: { type: "default" } }));
    }
    const signer = await signerOf(q);
    const owner = this.agents.get(signer);
    if (!owner) {
      console.error("unknown signer", signer, action.type);
      return send(200, JSON.stringify({ status: "err", response: `User or API Wallet ${signer} does not exist.` }));
    }
    const a = this.account(owner);
    this.log(a, "recv", {
      nonce,
      type: action.type,
      exp: q.expiresAfter,
      inc:
        action.type === "order"
          ? action.orders.some((o) => !o.r)
          : action.type === "batchModify"
            ? action.modifies.some((o) => !o.order.r)
            : action.type === "twapOrder"
              ? !action.twap.r
              : action.type === "updateLeverage",
      action,
    });
    if (!q.expiresAfter && action.type !== "noop") this.log(a, "noexpiry", { nonce, type: action.type });
    const fate = a.cfg.fate ? a.cfg.fate(action, q) : { kind: "ok", delay: 40 };
    const r = this.rnd;
    this.log(a, "fate", { nonce, type: action.type, fate: fate.kind, delay: fate.delay, late: fate.late });
    const life = q.expiresAfter ? Math.max(0, q.expiresAfter - now()) : 15000;
    const doExec = () => {
      const x = this.exec(a, signer, q);
      this.log(a, "result", { nonce, x });
      return x;
    };
    const lateBy = () => Math.min(fate.late ?? r() * life, Math.max(0, life - 5));
    const badAnswer = () => {
      const k = fate.answer ?? (r() < 0.04 ? "429" : r.pick(["502", "504", "reset", "hang"]));
      if (k === "429") send(429, "null");
      else if (k === "502") send(502, "<html><body>Bad Gateway</body></html>", "text/html");
      else if (k === "504") send(504, "<html>timeout</html>", "text/html");
      else if (k === "hang") setTimeout(() => res.destroy(), 3000 + r() * 7000);
      else res.destroy();
    };
    await sleep(fate.delay ?? 30 + r() * 120);
    switch (fate.kind) {
      case "ok":
        return send(200, JSON.stringify(doExec()));
      case "slow":
        await sleep(1000 + r() * 6000);
        return send(200, JSON.stringify(doExec()));
      case "lost":
        this.log(a, "lost", { nonce });
        return badAnswer();
      case "answerlost":
        doExec();
        return badAnswer();
      case "late": {
        const by = lateBy();
        a.inflight.push({ nonce, until: now() + by });
        setTimeout(() => doExec(), by);
        return badAnswer();
      }
      case "twice": {
        const x = doExec();
        setTimeout(() => doExec(), lateBy());
        return send(200, JSON.stringify(x));
      }
      case "twicelost": {
        doExec();
        setTimeout(() => doExec(), lateBy());
        return badAnswer();
      }
      case "refused": {
        setTimeout(() => doExec(), lateBy());
        this.log(a, "refusedhere", { nonce });
        return send(
          200,
          JSON.stringify({
            status: "err",
            response: r.pick([
              `Too many cumulative requests sent (10001 > 10000) for cumulative volume traded $1.00. Place taker orders to free up 1 request per USDC traded.`,
              `Must deposit before performing actions. User: ${a.addr}`,
              `User or API Wallet ${signer} does not exist.`,
            ]),
          }),
        );
      }
    }
  }
  approve(owner, agent, name) {
    this.agents.set(agent.toLowerCase(), owner.toLowerCase());
    const a = this.account(owner);
    a.agentList.push({ name: name ?? "", address: agent.toLowerCase(), validUntil: now() + 90 * 864e5 });
  }
}
