import { networkAround } from "../core/rails/networks.ts";

/**
 * Who is at the other end, for the limits on failures. A forwarded address counts only from a proxy that the
 * operator named; IPv6 counts by /64, because that is what one customer gets.
 */
export function clientAddress(socketAddress: string, forwardedFor: string | null, proxies: readonly string[]): string {
  return clientOf(socketAddress, forwardedFor, proxies).bucket;
}

/** Who is at the other end: the bucket for the limits on failures, and the whole address. */
export function clientOf(
  socketAddress: string,
  forwardedFor: string | null,
  proxies: readonly string[],
): ClientAddress {
  const trusted = new Set(proxies.map(bucketOf));
  let address = socketAddress;
  const hops = (forwardedFor ?? "").slice(-MAX_FORWARDED_CHARACTERS).split(",").reverse();
  for (const hop of hops) {
    const next = withoutPort(hop.trim());
    // Each trusted hop vouches for the one before it, and no hop before a stranger is believed.
    if (!trusted.has(bucketOf(address)) || !isAddress(next)) break;
    address = next;
  }
  return { bucket: bucketOf(address), address: plainAddress(address) };
}

/**
 * The network that may be proposed for whoever asks. Null where somebody forwards whom nobody has named as trusted: the address
 * is that one's own then.
 */
export function networkToPropose(address: string, headers: Headers): string | null {
  const forwardedFor = headers.get("x-forwarded-for");
  const isForwarded = FORWARDING.some((name) => headers.has(name));
  const isVouched = forwardedFor?.toLowerCase().includes(address) === true;
  return isForwarded && !isVouched ? null : networkAround(address);
}

/** What proxies say of themselves. */
const FORWARDING = ["x-forwarded-for", "forwarded", "via", "x-real-ip"];

/** `bucket`: the name that failures are counted under. `address`: the whole of it. */
export type ClientAddress = { bucket: string; address: string };

/** What a bucket is shared with when there are too many: IPv4 by /16, IPv6 by /32, which is what a provider gets. */
export function networkOf(client: string): string {
  const isIpv6 = client.includes(":");
  return `${client.split(isIpv6 ? ":" : ".", 2).join(isIpv6 ? ":" : ".")}${isIpv6 ? "::/32" : ".0.0/16"}`;
}

const MAX_FORWARDED_CHARACTERS = 1_000;
/** Longest address that is kept as a name: a full IPv6 address has 39 characters. */
const MAX_ADDRESS_CHARACTERS = 45;

/** Some proxies write `1.2.3.4:5678` or `[::1]:5678`: a port of one's choice would be a bucket of one's choice. */
function withoutPort(hop: string): string {
  const [, ipv4, ipv6] = /^(?:([0-9.]{7,15})|\[([^\]]{2,45})\])(?::[0-9]{1,5})?$/.exec(hop) ?? [];
  return ipv4 ?? ipv6 ?? hop;
}

/** Anything else, `unknown` for one, is nobody's name, and the proxy that wrote it answers for it. */
function isAddress(text: string): boolean {
  if (text.length > MAX_ADDRESS_CHARACTERS) return false;
  return /^[0-9]{1,3}(?:\.[0-9]{1,3}){3}$/.test(text) || /^[0-9a-fA-F.]*:[0-9a-fA-F:.]*(?:%[0-9a-zA-Z]*)?$/.test(text);
}

function plainAddress(address: string): string {
  return address
    .slice(0, MAX_ADDRESS_CHARACTERS)
    .toLowerCase()
    .replace(/^::ffff:(?=[0-9.]+$)/, "");
}

function bucketOf(address: string): string {
  const plain = plainAddress(address);
  return plain.includes(":") ? `${prefixOf(plain)}::/64` : plain;
}

/** The first four groups of an IPv6 address, without leading zeros. */
function prefixOf(address: string): string {
  const [head = "", tail] = address.split("%", 1)[0]?.split("::") ?? [];
  const left = groupsOf(head);
  const right = tail === undefined ? [] : groupsOf(tail);
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0");
  return [...left, ...zeros, ...right]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}

function groupsOf(text: string): string[] {
  return text === "" ? [] : text.split(":");
}
