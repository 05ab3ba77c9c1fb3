/** What the chapters of the description say in figures is what the program does. */
import { expect, test } from "bun:test";
import { readConfig } from "../../src/config.ts";
import { maxBodyBytes } from "../../src/http/contract.ts";
import { MAX_HEADER_CHARACTERS } from "../../src/http/guard.ts";
import { HEARTBEATS } from "../../src/http/limits.ts";
import { BEAT_MS, MAX_STREAMS, MAX_STREAMS_A_KEY, STALLED_MS } from "../../src/http/open-streams.ts";
import { openApiDocument } from "../../src/http/openapi.ts";
import { allRoutes } from "../../src/http/routes.ts";
import { LimitParameter } from "../../src/http/schema/list.ts";
import { MAX_VALUES } from "../../src/http/strict-json.ts";
import { KEPT_MS, MAX_KEPT } from "../../src/settle/forget-events.ts";

const ROUTES = allRoutes();
const DOCUMENT = openApiDocument(ROUTES) as {
  info: { description: string };
  tags: { name: string; description: string }[];
};
const OVERVIEW = DOCUMENT.info.description;
const EVENTS = DOCUMENT.tags.find(({ name }) => name === "Events")?.description ?? "";

const { limits, exchangeWeightPerMinute } = readConfig({}, {});
const longest = Math.max(...ROUTES.map(({ contract }) => maxBodyBytes(contract)));
const shortest = Math.min(...ROUTES.map(({ contract }) => maxBodyBytes(contract)));
const BY_HEAD = ROUTES.filter(({ contract }) => contract.isHeadAnswered === true).map(({ contract }) => contract.path);
const FIGURES: [string, string, string][] = [
  [
    "where HEAD is answered",
    OVERVIEW,
    `HEAD is answered on ${BY_HEAD.map((path) => `\`${path}\``).join(" and ")} alone`,
  ],
  ["the bucket of orders", OVERVIEW, `| orders ${bucket(limits.orders)}`],
  ["the bucket of cancels", OVERVIEW, `| cancels ${bucket(limits.cancels)}`],
  ["the bucket of other writes", OVERVIEW, `| other writes ${bucket(limits.otherWrites)}`],
  ["the bucket of reads", OVERVIEW, `| reads ${bucket(limits.reads)}`],
  ["the bucket of heartbeats", OVERVIEW, `| heartbeats ${bucket(HEARTBEATS)}`],
  ["failed authentications", OVERVIEW, `${limits.failedAuthenticationsPerMinute} failed authentications`],
  ["failed registrations", OVERVIEW, `${limits.failedRegistrationsPerMinute} failed registrations`],
  ["failed revocations", OVERVIEW, `${limits.failedRevocationsPerMinute} failed revocations`],
  ["the longest body", OVERVIEW, `at most ${grouped(longest)} bytes`],
  ["a short body", OVERVIEW, `(${grouped(shortest)} where no API key is asked for, 8,192 for a grant with rails)`],
  ["values of a body", OVERVIEW, `${MAX_VALUES} values`],
  ["the headers", OVERVIEW, `at most ${grouped(MAX_HEADER_CHARACTERS)} characters`],
  [
    "streams in the overview",
    OVERVIEW,
    `at most ${MAX_STREAMS_A_KEY} streams open at a time, all keys together ${MAX_STREAMS}`,
  ],
  ["the exchange's weight", OVERVIEW, `${grouped(exchangeWeightPerMinute)} weight a minute`],
  ["a page", OVERVIEW, `${LimitParameter.minimum} to ${LimitParameter.maximum}, by default ${LimitParameter.default}`],
  [
    "streams of a key",
    EVENTS,
    `at most ${MAX_STREAMS_A_KEY} streams open (429 \`rate_limited\`), all keys together ${MAX_STREAMS}`,
  ],
  ["how long events are kept", EVENTS, `kept for ${KEPT_MS / 86_400_000} days, the newest ${grouped(MAX_KEPT)}`],
  ["the comment of a stream", EVENTS, `after ${BEAT_MS / 1_000} seconds in which nothing happened`],
  ["a stream that nobody reads", EVENTS, `takes nothing for ${STALLED_MS / 1_000} seconds`],
];

test.each(FIGURES)("%s", (_what, chapter, figure) => {
  expect(chapter).toContain(figure);
});

test("every chapter is in what /docs shows", () => {
  for (const title of ["Writes", "Quotas", "How old an answer is", "Paging", "Errors"]) {
    expect(OVERVIEW).toContain(`## ${title}\n`);
  }
});

/** `65,536`, as the chapters write it. */
function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

function bucket({ perSecond, burst }: { perSecond: number; burst: number }): string {
  return `| ${perSecond} | ${burst} |`;
}
