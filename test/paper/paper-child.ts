/** A paper exchange in a process of its own, to be killed. Arguments: data directory, address to fund. */
import { createPaperExchange, PAPER_DEFAULTS } from "../../src/paper/paper-exchange.ts";
import { servePaper } from "../../src/paper/server.ts";

const [dataDirectory = "", owner = ""] = process.argv.slice(2);
const paper = createPaperExchange({
  ...PAPER_DEFAULTS,
  fund: [owner],
  dataDirectory,
  nowMs: () => Date.now(),
  sleep: (ms) => Bun.sleep(ms),
});
const server = servePaper(paper, {
  hostname: "127.0.0.1",
  port: 0,
  every: (ms, work) => {
    const timer = setInterval(work, ms);
    return () => clearInterval(timer);
  },
});
console.log(server.url);
