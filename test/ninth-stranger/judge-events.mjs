// The last event of each order, operation and position, against what is read when all is calm.
import { grains, text } from "./grain.mjs";

export function judgeEvents(world) {
  for (const caller of world.callers) {
    const last = new Map();
    for (const row of world.tape.of("event")) {
      const of = row.data.data;
      if (row.account !== caller.account || !of) continue;
      if (row.type.startsWith("order.") && of.object === "order") last.set(`order ${of.id}`, row);
      if (row.type.startsWith("operation.") && of.object === "operation") last.set(`operation ${of.id}`, row);
      if (row.type === "position.updated") last.set(`position ${of.market}`, row);
    }
    ordered(world, caller);
    ended(world, caller, last);
    held(world, caller, last);
  }
}

function ordered(world, caller) {
  let before = 0;
  for (const row of world.tape.of("event")) {
    if (row.account !== caller.account || !row.id) continue;
    if (Number(row.id) < before) world.find("high", `event ${row.id} told after ${before}`);
    before = Number(row.id);
  }
}

function ended(world, caller, last) {
  const read = new Map();
  for (const row of world.tape.of("told")) {
    if (row.account !== caller.account || row.asked < world.calmAt || row.method !== "GET" || row.status !== 200)
      continue;
    const rows = row.json?.object === "order" ? [row.json] : row.json?.object === "list" ? row.json.data : [];
    for (const of of rows) if (["order", "operation"].includes(of.object)) read.set(`${of.object} ${of.id}`, of);
  }
  for (const [key, of] of read) {
    const told = last.get(key)?.data.data;
    if (!told && of.id[14] === "8") continue;
    if (!told) world.find("high", `no event ever told of ${key} (${of.status})`);
    else if (told.status !== of.status)
      world.find("high", `the last event of ${key} says ${told.status}, read ${of.status}`, { of });
    else if (of.object === "order" && told.filled_size !== of.filled_size)
      world.find("high", `the last event of ${key} says filled ${told.filled_size}, read ${of.filled_size}`, { of });
  }
}

function held(world, caller, last) {
  for (const [coin, past] of world.truth(caller).positions) {
    const told = last.get(`position ${coin}`)?.data.data;
    const size = told?.size ? grains(told.size) * (told.side === "short" ? -1n : 1n) : 0n;
    if (!told) world.find("high", `no event ever told of the position of ${coin}`, { truly: text(past.now.size) });
    else if (size !== past.now.size)
      world.find("high", `the last event of the position of ${coin} says ${text(size)}, truly ${text(past.now.size)}`, {
        told,
      });
  }
}
