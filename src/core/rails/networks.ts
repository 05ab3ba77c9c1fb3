/** Networks in CIDR notation, and what addresses are in them. Each has one form: IPv6 as RFC 5952 writes it, no bits behind its length. */

type NetworkAddress = { bits: 32 | 128; value: bigint };

/** Whether the text is a network in its one form. */
export function isNetwork(text: string): boolean {
  return networkOf(text) !== null;
}

/** Nothing is in a network that cannot be read, and no address that cannot be read is in any. */
export function isWithin(address: string, networks: readonly string[]): boolean {
  const asked = addressOf(address);
  if (asked === null) return false;
  return networks.some((text) => {
    const network = networkOf(text);
    if (network === null || network.bits !== asked.bits) return false;
    const hostBits = BigInt(network.bits - network.length);
    return asked.value >> hostBits === network.value >> hostBits;
  });
}

/**
 * What is proposed for whoever asks from this address: IPv4 alone, IPv6 by its /64, which is what one customer gets. Null for
 * this machine itself, which is nobody's place, and for what cannot be read.
 */
export function networkAround(address: string): string | null {
  const asked = addressOf(address);
  if (asked === null || isWithin(address, LOOPBACK)) return null;
  const { bits, value } = asked;
  const length = bits === 32 ? 32 : 64;
  const hostBits = BigInt(bits - length);
  return `${textOf({ bits, value: (value >> hostBits) << hostBits })}/${length}`;
}

const LOOPBACK = ["127.0.0.0/8", "::1/128"];

function networkOf(text: string): (NetworkAddress & { length: number }) | null {
  const [start = "", lengthText = "", more] = text.split("/");
  const address = addressOf(start);
  if (address === null || more !== undefined || !/^(0|[1-9][0-9]{0,2})$/.test(lengthText)) return null;
  const length = Number(lengthText);
  const isOneForm = length <= address.bits && textOf(address) === start;
  const hostBits = BigInt(Math.max(0, address.bits - length));
  return isOneForm && (address.value >> hostBits) << hostBits === address.value ? { ...address, length } : null;
}

function addressOf(text: string): NetworkAddress | null {
  return text.includes(":") ? ipv6Of(text) : ipv4Of(text);
}

function ipv4Of(text: string): NetworkAddress | null {
  const parts = text.split(".");
  const isWhole =
    parts.length === 4 && parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part) && Number(part) <= 255);
  return isWhole ? { bits: 32, value: joined(parts.map(BigInt), 8n) } : null;
}

const GROUPS = 8;

function ipv6Of(text: string): NetworkAddress | null {
  const halves = text.split("::");
  if (halves.length > 2) return null;
  const [head = [], tail = []] = halves.map((half) => (half === "" ? [] : half.split(":")));
  const missing = GROUPS - head.length - tail.length;
  const isWhole = halves.length === 2 ? missing > 0 : missing === 0;
  const groups = [...head, ...Array.from({ length: Math.max(0, missing) }, () => "0"), ...tail];
  if (!isWhole || !groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return null;
  return {
    bits: 128,
    value: joined(
      groups.map((group) => BigInt(`0x${group}`)),
      16n,
    ),
  };
}

function joined(parts: readonly bigint[], bitsOfPart: bigint): bigint {
  return parts.reduce((value, part) => (value << bitsOfPart) | part, 0n);
}

/** The longest run of zero groups, the first of equal ones, is left out; one group alone is not. */
function textOf({ bits, value }: NetworkAddress): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join(".");
  const groups = Array.from({ length: GROUPS }, (_, nth) =>
    ((value >> BigInt(16 * (GROUPS - 1 - nth))) & 0xffffn).toString(16),
  );
  const runs = groups.map((_, start) => groups.slice(start).findIndex((group) => group !== "0"));
  const lengths = runs.map((run, start) => (run === -1 ? GROUPS - start : run));
  const longest = Math.max(...lengths);
  if (longest < 2) return groups.join(":");
  const start = lengths.indexOf(longest);
  return `${groups.slice(0, start).join(":")}::${groups.slice(start + longest).join(":")}`;
}

/** Whether all of one network is in another. */
export function isPartOf(inner: string, outer: string): boolean {
  const [a, b] = [networkOf(inner), networkOf(outer)];
  if (a === null || b === null || a.bits !== b.bits || a.length < b.length) return false;
  const hostBits = BigInt(b.bits - b.length);
  return a.value >> hostBits === b.value >> hostBits;
}
