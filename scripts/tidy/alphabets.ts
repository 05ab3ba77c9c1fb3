/** Which characters a part of a regular expression takes, as a set of bits: the engine itself is asked. */

/** ASCII, Latin-1 and the next page; every white space; the odd ones of case folding; the ends of what there is. */
const SAMPLED: readonly number[] = [
  ...Array.from({ length: 0x180 }, (_, code) => code),
  0x1680,
  0x180e,
  0x2000,
  0x200a,
  0x2026,
  0x2028,
  0x2029,
  0x202f,
  0x205f,
  0x3000,
  0xfeff,
  0x3b1,
  0x430,
  0x1e9e,
  0x212a,
  0x4e00,
  0xd7ff,
  0xd800,
  0xdbff,
  0xdc00,
  0xdfff,
  0xe000,
  0xffff,
  0x1f600,
  0x10ffff,
];

export type Alphabets = {
  /** What `raw` takes: one bit for each sampled character. */
  of(raw: string): bigint;
  all: bigint;
};

const known = new Map<string, bigint>();

/** Besides the sample: what the expression names itself, and the characters beside that. */
export function openAlphabets(source: string, flags: string): Alphabets {
  const named = [...source, ...escaped(source)].map((character) => character.codePointAt(0) ?? 0);
  const beside = named.filter((code) => code >= 0x180).flatMap((code) => [code - 1, code, code + 1]);
  const codes = [...new Set([...SAMPLED, ...beside])];
  const kept = flags.replaceAll(/[gyd]/g, "");
  return {
    all: (1n << BigInt(codes.length)) - 1n,
    of(raw) {
      const name = `${kept} ${beside.join()} ${raw}`;
      const found = known.get(name) ?? bitsOf(new RegExp(`^(?:${raw})$`, kept), codes);
      known.set(name, found);
      return found;
    },
  };
}

function escaped(source: string): string[] {
  return [...source.matchAll(/\\u\{?([0-9a-fA-F]{4,6})/g)].map(([, hex]) =>
    String.fromCodePoint(Math.min(Number.parseInt(hex ?? "0", 16), 0x10ffff)),
  );
}

function bitsOf(pattern: RegExp, codes: readonly number[]): bigint {
  let bits = "";
  for (const code of codes) bits = `${pattern.test(String.fromCodePoint(code)) ? 1 : 0}${bits}`;
  return BigInt(`0b${bits}`);
}
