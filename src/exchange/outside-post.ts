/**
 * A request to somebody outside who is not the exchange: a receiver of notices. The name is looked up once, every address that it
 * has is judged, and the connection goes to one of those and nowhere else, under the name for TLS. No redirect is followed.
 */
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Clock } from "../core/clock.ts";
import { isMetadataAddress, isPublicAddress } from "../core/notice/public-address.ts";
import { Line } from "./line.ts";

export type OutsidePost = {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Addresses of private networks are allowed, and plain HTTP to them. */
  isPrivateAllowed: boolean;
};

export type OutsideAnswer = { kind: "answered"; httpStatus: number; body: string } | { kind: "failed"; reason: string };

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

const DEADLINE_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1_024;

/** Never throws. A reason names the host alone: the rest of the URL may hold a secret. */
export async function postOutside(
  { clock, resolve = resolveName }: { clock: Clock; resolve?: Resolve },
  post: OutsidePost,
): Promise<OutsideAnswer> {
  const url = URL.parse(post.url);
  const fault = url === null ? "the address cannot be read" : schemeFault(url, post.isPrivateAllowed);
  if (url === null || fault !== null) return failed(fault ?? "");
  const hostname = hostnameOf(url);
  const addresses = await resolve(hostname).catch(() => []);
  const [address] = addresses;
  if (address === undefined) return failed(`${hostname} was not found`);
  // One address that is not allowed is enough to refuse: a name that leads to several must not be a way round.
  const bad = addresses.find((each) => !isAllowed(each, url, post.isPrivateAllowed));
  if (bad !== undefined) return failed(`${hostname} leads to ${bad}, to which no notice is sent`);
  return ask(clock, { url, hostname, address, post });
}

/**
 * Whether nothing will ever be sent there, by what can be told without a look-up: an address, in whichever spelling, and the name of this
 * machine. What else a name leads to shows with the first notice.
 */
export function isNeverSentTo(url: URL, isPrivateAllowed: boolean): boolean {
  const address = knownAddress(hostnameOf(url));
  return address !== null && !isAllowed(address, url, isPrivateAllowed);
}

/** Every spelling of an address of IPv4 is one by the time that it was read as a URL. */
function knownAddress(hostname: string): string | null {
  if (isIP(hostname) !== 0) return hostname;
  return /(^|\.)localhost\.?$/.test(hostname) ? "127.0.0.1" : null;
}

function hostnameOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

function schemeFault({ protocol, username, password }: URL, isPrivateAllowed: boolean): string | null {
  if (username !== "" || password !== "") return "the address holds a name or password";
  if (protocol === "https:" || (protocol === "http:" && isPrivateAllowed)) return null;
  return "the address must begin with https://";
}

function isAllowed(address: string, { protocol }: URL, isPrivateAllowed: boolean): boolean {
  if (isMetadataAddress(address)) return false;
  const isPublic = isPublicAddress(address);
  return isPublic ? protocol === "https:" : isPrivateAllowed;
}

type OutsideRequest = { url: URL; hostname: string; address: string; post: OutsidePost };

async function ask(clock: Clock, { url, hostname, address, post }: OutsideRequest): Promise<OutsideAnswer> {
  const isSecure = url.protocol === "https:";
  const port = url.port === "" ? (isSecure ? 443 : 80) : Number(url.port);
  const line = new Line({ hostname, port, isSecure, address }, { onOpen: () => undefined, onGone: () => undefined });
  const timer = clock.timer(DEADLINE_MS);
  try {
    const limits = { maxAnswerBytes: MAX_ANSWER_BYTES, mayLeave: () => true };
    const delivery = await Promise.race([line.ask(requestOf(url, post), limits), timer.up]);
    if (delivery === undefined) return failed("no answer within 10 s");
    if (delivery.kind !== "whole") return failed(delivery.reason);
    return { kind: "answered", httpStatus: delivery.httpStatus, body: new TextDecoder().decode(delivery.body) };
  } finally {
    timer.cancel();
    line.destroy();
  }
}

function requestOf({ pathname, search, host }: URL, { headers, body }: OutsidePost): Buffer {
  const lines = Object.entries({ ...headers, "User-Agent": "postern", Connection: "close" });
  const head = lines.map(([name, value]) => `${name}: ${value.replace(/[\r\n]/g, "")}\r\n`).join("");
  const length = Buffer.byteLength(body);
  return Buffer.from(
    `POST ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n${head}Content-Length: ${length}\r\n\r\n${body}`,
  );
}

function failed(reason: string): OutsideAnswer {
  return { kind: "failed", reason };
}

async function resolveName(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
}
