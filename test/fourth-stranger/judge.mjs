// Everything that was ever told, compared with the log of what the exchange has executed.
import { chains } from "./chains.mjs";
import { judgeAnswers, judgeKeys } from "./judge-keys.mjs";
import { judgeOpenLists, judgePositions } from "./judge-lists.mjs";
import { judgeEachTelling, judgeInOrder } from "./judge-told.mjs";

export function judge({ ex, find }, { obs, keys, positionsSeen, openSeen }) {
  const C = chains(ex);
  const byId = new Map();
  for (const x of obs) {
    if (!byId.has(x.o.id)) byId.set(x.o.id, []);
    byId.get(x.o.id).push(x);
  }
  const all = { ex, find, C, byId, keys, positionsSeen, openSeen };
  judgeKeys(all);
  judgeAnswers(all);
  judgeEachTelling(all);
  judgeInOrder(all);
  judgeOpenLists(all);
  judgePositions(all);
}
