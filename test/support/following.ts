import type { Settling, World } from "../../src/deps.ts";
import { type Follower, openFollower } from "../../src/settle/feed/follow.ts";
import { type FillIndex, openFillIndex } from "../../src/settle/fills/index-fills.ts";
import { openOtherMachines } from "../../src/settle/restore/other-machine.ts";

/** Feed and fills of an account, put together as a gateway puts them. */
export function openFollowing(world: World, settling: Settling): { index: FillIndex; follower: Follower } {
  const others = openOtherMachines(world);
  const index = openFillIndex(world, others);
  return { index, follower: openFollower(world, settling, { index, others }) };
}
