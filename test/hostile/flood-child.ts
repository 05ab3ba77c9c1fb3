/**
 * Opens idle connections and opens them anew when they are closed: `flood-child.ts PORT COUNT ADDRESS RATE`, from that
 * address of this machine, so many a second, until standard input ends. Says how many it has opened in all.
 */
import { connect, type Socket } from "node:net";

const [port, count, rate] = [Number(process.argv[2]), Number(process.argv[3]), Number(process.argv[5])];
const localAddress = process.argv[4] ?? "127.0.0.1";
/** At a time, so that the flood is one of connections and not of this process's own work. */
const OPENING = 64;

let opened = 0;
let isOver = false;

function openOne(): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, localAddress }, () => {
      opened += 1;
      resolve(socket);
    });
    socket.on("error", () => resolve(null));
    socket.on("close", () => resolve(null));
  });
}

/** Keeps its share open. */
async function hold(share: number): Promise<void> {
  const held = new Set<Socket>();
  while (!isOver) {
    const socket = held.size < share ? await openOne() : null;
    if (socket !== null) {
      held.add(socket);
      socket.on("close", () => held.delete(socket));
    }
    await Bun.sleep((OPENING * 1_000) / rate);
  }
  for (const socket of held) socket.destroy();
}

const holding = Array.from({ length: OPENING }, () => hold(Math.ceil(count / OPENING)));
for await (const _ of Bun.stdin.stream()) break;
isOver = true;
console.log(opened);
await Promise.race([Promise.all(holding), Bun.sleep(2_000)]);
process.exit(0);
