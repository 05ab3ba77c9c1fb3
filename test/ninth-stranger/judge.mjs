// Everything that was told, held against what the exchange has done.

import { judgeFills, judgePositions } from "./judge-books.mjs";
import { judgeEvents } from "./judge-events.mjs";
import { judgeKeys, judgeOperations } from "./judge-keys.mjs";
import { judgeOrders } from "./judge-orders.mjs";
import { judgeRest } from "./judge-rest.mjs";

export async function judge(world) {
  await judgeRest(world);
  judgeOrders(world);
  judgeKeys(world);
  judgeOperations(world);
  judgeFills(world);
  judgePositions(world);
  judgeEvents(world);
  if (world.door.elsewhere > 0)
    world.find("CRITICAL", `a redirect was followed ${world.door.elsewhere} times with a signed body`);
  const overruled = world.metrics?.match(/^postern_overruled_rejections_total (\d+)/m)?.[1];
  if (overruled && overruled !== "0") world.find("high", `postern_overruled_rejections_total ${overruled}`);
}
