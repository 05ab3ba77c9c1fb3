/**
 * Who is at the other end, for the limits on failures. A forwarded address counts only from a proxy that the
 * operator named; IPv6 counts by /64, because that is what one customer gets.
 */
export function clientAddress(socketAddress: string, forwardedFor: string | null, proxies: readonly string[]): string {
  const trusted = new Set(proxies.map(bucketOf));
  let address = bucketOf(socketAddress);
  const hops = (forwardedFor ?? "").slice(-MAX_FORWARDED_CHARACTERS).split(",").reverse();
  for (const hop of hops) {
    // Each trusted hop vouches for the one before it, and no hop before a stranger is believed.
    if (!trusted.has(address) || hop.trim() === "") return address;
    address = bucketOf(hop.trim());
  }
  return address;
}

const MAX_FORWARDED_CHARACTERS = 1_000;
/** Longest address that is kept as a name: a full IPv6 address has 39 characters. */
const MAX_ADDRESS_CHARACTERS = 45;

function bucketOf(address: string): string {
  const plain = address
    .slice(0, MAX_ADDRESS_CHARACTERS)
    .toLowerCase()
    .replace(/^::ffff:(?=[0-9.]+$)/, "");
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
