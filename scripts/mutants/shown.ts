import type { Mutant } from "./mutant.ts";

/** Bugs in how an account is shown as it is now, and what is told of it. */
export const SHOWN: readonly Mutant[] = [
  {
    name: "a list that moved is doubted for the one market that an order has shown",
    changes: [
      {
        file: "src/exchange/market-doubts.ts",
        find: "doubts.get(name)?.because ?? doubtBeside(name)",
        put: "doubts.get(name)?.because ?? (isSpot(name) ? doubtBeside(name) : null)",
      },
    ],
  },
  {
    name: "a list that an order has refuted is believed again",
    changes: [
      {
        file: "src/exchange/markets.ts",
        find: "if (doubts.isRefuted(shown)) return universe;",
        put: "if (doubts.isRefuted(shown)) wasRefused = false;",
      },
    ],
  },
  {
    name: "positions that could not be told are taken for told",
    changes: [
      {
        file: "src/settle/account/tell-account.ts",
        find: "  for (const position of positions) {\n",
        put: "  told.set(dex, terms);\n  for (const position of positions) {\n",
      },
    ],
  },
  {
    name: "balances that could not be told are taken for told",
    changes: [
      {
        file: "src/settle/account/tell-account.ts",
        find: "    const payload = accountResource(account, state);\n",
        put: "    const payload = accountResource(account, state);\n    known.balances = sums;\n",
      },
    ],
  },
  {
    name: "a stranger's order is asked for again and again",
    changes: [
      {
        file: "src/actions/told-beside.ts",
        find: "  picture.takeRecord(user, oid, order);\n",
        put: "  void picture;\n",
      },
    ],
  },
  {
    name: "an order placed elsewhere that cannot be looked at is left out without a word",
    changes: [
      {
        file: "src/actions/open-orders.ts",
        find: '(looked[nth] ?? "unknown") === "unknown");',
        put: '(looked[nth] ?? "over") === "unknown" && nth < 0);',
      },
    ],
  },
  {
    name: "what is filled of an order placed elsewhere waits for the next list",
    changes: [{ file: "src/actions/open-orders.ts", find: "(isTold && owns.get(order.oid) === null)", put: "!isTold" }],
  },
  {
    name: "an order that was placed and canceled elsewhere stays in the list",
    changes: [
      {
        file: "src/actions/open-orders.ts",
        find: "if (deps.picture.toldOf(account.tradingAddress, row.oid)?.isOver === true) return false;",
        put: "if (own !== null && deps.picture.toldOf(account.tradingAddress, row.oid)?.isOver === true) return false;",
      },
    ],
  },
  {
    name: "what its feed told over is listed as open",
    changes: [
      {
        file: "src/actions/open-orders.ts",
        find: "if (deps.picture.toldOf(account.tradingAddress, row.oid)?.isOver === true) return false;",
        put: "if (own === null && deps.picture.toldOf(account.tradingAddress, row.oid)?.isOver === true) return false;",
      },
    ],
  },
  {
    name: "what was told open since the list is not asked for",
    changes: [
      {
        file: "src/actions/open-orders.ts",
        find: "  if (strangers.length === 0) return { dex, ...list, beside: known };",
        put: "  if (strangers.length >= 0) return { dex, ...list, beside: [] };",
      },
    ],
  },
  {
    name: "positions do not wait for the last write",
    changes: [
      {
        file: "src/actions/current.ts",
        find: "isAfter(shown, atLatest(happened, aheadMs)));",
        put: "isAfter(shown, atLatest(happened, aheadMs)) || shown.timeMs > 0);",
      },
    ],
  },
  {
    name: "what was read is shown whatever its age",
    changes: [
      {
        file: "src/actions/current.ts",
        find: "    if (taken !== null && isShowable(deps, wanted, taken)) return taken;",
        put: "    if (taken !== null && holdsAll(deps, taken, wanted)) return taken;",
      },
    ],
  },
  {
    name: "a read that is behind is shown in the place of what is known",
    changes: [
      {
        file: "src/actions/current.ts",
        find: "  if (shown !== null && (!isTaken || shown.timeMs > timeMs)) return shown;\n",
        put: "",
      },
    ],
  },
  {
    name: "nothing is too old to be shown",
    changes: [
      {
        file: "src/actions/current.ts",
        find: "deps.exchange.nowMs() - known.asOfMs <= deps.settings.timings.maxReadAgeMs;",
        put: "deps.exchange.nowMs() - known.asOfMs <= deps.settings.timings.maxReadAgeMs * 100;",
      },
    ],
  },
  {
    name: "what was read stands for ever",
    changes: [
      {
        file: "src/actions/current.ts",
        find: "known.isTold || deps.exchange.nowMs() - known.asOfMs < wanted.standsMs;",
        put: "known.isTold || deps.exchange.nowMs() - known.asOfMs < wanted.standsMs * 4;",
      },
    ],
  },
  {
    name: "an answer does not say of when it is",
    changes: [
      {
        file: "src/actions/current.ts",
        find: "return exchange.nowMs() - asOfMs > withinMs ? asOfMs : null;",
        put: "return exchange.nowMs() - asOfMs > withinMs * 100 ? asOfMs : null;",
      },
    ],
  },
  {
    name: "a check dates a state by our clock",
    changes: [
      {
        file: "src/settle/account/check-picture.ts",
        find: 'shown.part === "state" && shown.value !== null ? shown.value.timeMs :',
        put: 'shown.part === "mode" && shown.value === null ? 0 :',
      },
    ],
  },
  {
    name: "one server that is behind is enough for a check",
    changes: [
      {
        file: "src/settle/account/check-picture.ts",
        find: "  const second = await readOther(world, part);",
        put: "  const second = first;",
      },
    ],
  },
  {
    name: "no check takes what a read shows",
    changes: [
      {
        file: "src/settle/account/check-picture.ts",
        find: "if (second !== null && isStill)",
        put: "if (second !== null && !isStill)",
      },
    ],
  },
  {
    name: "a step of our clock back puts what happened into the future",
    changes: [
      {
        file: "src/actions/own-writes.ts",
        find: "Math.min(atMs + Math.max(latestOffsetMs, ...atNumbers), nowMs);",
        put: "atMs + Math.max(latestOffsetMs, ...atNumbers);",
      },
    ],
  },
  {
    name: "a step of our clock forward puts what happened into the past",
    changes: [
      {
        file: "src/actions/own-writes.ts",
        find: "const latestOffsetMs = Math.max(offsetMs, toldOffsets.get(account.id) ?? offsetMs);",
        put: "const latestOffsetMs = offsetMs;",
      },
    ],
  },
  {
    name: "what happened stays dated by our clock as it went then",
    changes: [
      {
        file: "src/actions/own-writes.ts",
        find: "asHeard(picture, account, asOfClock(change, clocks))",
        put: "asHeard(picture, account, clocks === null ? asOfClock(change, clocks) : change)",
      },
    ],
  },
  {
    name: "many changes in one dex push out the last one in another",
    changes: [
      {
        file: "src/actions/own-writes.ts",
        find: "memory.changes = newestOfEach([...memory.changes, ...news]);",
        put: "memory.changes = newestOfEach([...memory.changes, ...news]).slice(-MAX_CHANGES);",
      },
    ],
  },
  {
    name: "a state of before an order's end counts as of after it, because its beginning was told",
    changes: [
      {
        file: "src/actions/own-writes.ts",
        find: "const isOfThis = update !== null && (told?.isOver === false || update.isOver);",
        put: "const isOfThis = update !== null && told !== null;",
      },
    ],
  },
  {
    name: "what was told since is not waited for while the feed tells nothing",
    changes: [{ file: "src/actions/own-writes.ts", find: "answered.changes !== changes || answered", put: "answered" }],
  },
  {
    name: "what one dex was told is waited for in another",
    changes: [
      {
        file: "src/actions/own-writes.ts",
        find: '["dex", about.dex]',
        put: '["dex"]',
      },
    ],
  },
  {
    name: "an account's figures stand while its balances do",
    changes: [
      {
        file: "src/actions/get-account.ts",
        find: "[account.id, state.mode, ...state.byDex.flatMap((one) => [one.dex, one.state])];",
        put: "[account.id, state.mode];",
      },
    ],
  },
  {
    name: "an operation changes nothing that is waited for",
    changes: [
      {
        file: "src/actions/own-writes.ts",
        find: 'if ((area !== "order" && area !== "operation") || payload === null) return null;',
        put: 'if (area !== "order" || payload === null) return null;',
      },
    ],
  },
  {
    name: "the frame of another part is taken for a dex's own",
    changes: [
      {
        file: "src/wire/answer/account-frame.ts",
        find: 'return textOrNull(data, "dex") ?? "";',
        put: 'return textOrNull(data, "dex")?.slice(0, 0) ?? "";',
      },
    ],
  },
  {
    name: "a position that is no more is not told",
    changes: [
      {
        file: "src/settle/account/tell-account.ts",
        find: "if (!terms.has(market)) tell(",
        put: "if (terms.size > 9) tell(",
      },
    ],
  },
  {
    name: "every mark is told as a change of the position",
    changes: [
      {
        file: "src/settle/account/tell-account.ts",
        find: "return JSON.stringify([signedSize, entryPrice, type, value]);",
        put: "return JSON.stringify([signedSize, entryPrice, type, value, Math.random()]);",
      },
    ],
  },
  {
    name: "what was told of positions before a start is forgotten by it",
    changes: [
      {
        file: "src/settle/account/tell-account.ts",
        find: "told.get(dex) ?? toldBeforeStart(world.store, account, dex)",
        put: "told.get(dex) ?? new Map<string, string>()",
      },
    ],
  },
  {
    name: "at a start what is shown of before it is told",
    changes: [
      {
        file: "src/settle/account/tell-account.ts",
        find: " || (!told.has(dex) && shown.timeMs < sinceMs)",
        put: "",
      },
    ],
  },
  {
    name: "every frame that cannot be read costs a resync",
    changes: [
      {
        file: "src/settle/feed/resync.ts",
        find: "    if (gaps.has(account.id)) {\n",
        put: "    if (gaps.has(account.label)) {\n",
      },
    ],
  },
  {
    name: "a second frame that cannot be read soon after the first is made up for by nothing",
    changes: [
      {
        file: "src/settle/feed/resync.ts",
        find: 'while (gaps.get(account.id) === "again");',
        put: "while (gaps.has(account.label));",
      },
    ],
  },
  {
    name: "what was filled of an order that is not known yet is not told",
    changes: [
      {
        file: "src/actions/own-writes.ts",
        find: '(status === "processing" || status === "unknown") && !isFilled',
        put: 'status === "processing" || status === "unknown"',
      },
    ],
  },
  {
    name: "the record of another says when a replaced order ended",
    changes: [
      {
        file: "src/settle/modify/original.ts",
        find: 'isAnothers ? { kind: "not_found" } : isEndDoubted',
        put: "isEndDoubted",
      },
    ],
  },
  {
    name: "an order that is not ours is told by whatever record comes",
    changes: [
      { file: "src/wire/answer/order-status.ts", find: "return isAnother ?", put: 'return isAnother && id === "" ?' },
    ],
  },
  {
    name: "the second reading of a close waits as long as a look that found nothing",
    changes: [
      {
        file: "src/settle/feed/watch.ts",
        find: 'if (result === "unfinished" && !entry.wasUnfinished) hasten(entry, 2);',
        put: "",
      },
    ],
  },
  {
    name: "orders that the exchange has not named are on the first page alone",
    changes: [
      {
        file: "src/actions/open-orders.ts",
        find: "(below === null || placeOf(row) < below)",
        put: "below === null",
      },
    ],
  },
];
