/**
 * How hard a passphrase is to guess for whoever has the data directory, as far as a small rule can tell: it knows repeats,
 * runs of the alphabet and of the keyboard, common passwords, and how letters follow each other in English. It does not know
 * books, songs, names or other languages: a line of a poem passes. Bits are of guesses; a guess costs scrypt at 2^17, about a
 * third of a second of one processor.
 */

/** 2^56 guesses are seven hundred million years of one processor. */
const WANTED_BITS = 56;
/** More is not looked at: it is enough by then, or never. Characters. */
const MAX_CHARACTERS = 256;

/** Why the passphrase is too easily guessed, in words that hold nothing of it; null when it is not. */
export function weaknessOf(passphrase: string): string | null {
  const bits = Math.floor(guessingBits(passphrase));
  if (bits >= WANTED_BITS) return null;
  return `the passphrase is too easily guessed: about 2^${bits} tries by its repeats, runs and common words, and 2^${WANTED_BITS} are wanted`;
}

/** Bits of guessing: of what is random too few rather than too many, of what a person made up the other way round. */
export function guessingBits(passphrase: string): number {
  const text = passphrase.slice(0, MAX_CHARACTERS);
  const plain = plainOf(text);
  if (FAMOUS.has(plain.replaceAll(/[^a-z]/g, ""))) return FAMOUS_BITS;
  const pieces = piecesOf(text, plain);
  const words = wordsOf(text).map(({ from, to }) => {
    const within = pieces.filter(({ at }) => at >= from && at < to);
    return { bits: sumOf(within), isWord: /^[a-z]+$/i.test(text.slice(from, to)) };
  });
  const isOfWords = words.filter(({ isWord }) => isWord).length > 1;
  const spared = words.map(({ bits, isWord }) => (isOfWords && isWord ? Math.max(0, bits - WORD_BITS) : 0));
  return sumOf(pieces) - spared.reduce((sum, bits) => sum + bits, 0);
}

/** Of a word among words, drawn from a list of 7,776. */
const WORD_BITS = 12.9;

function wordsOf(text: string): { from: number; to: number }[] {
  return [...text.matchAll(/[^ _.,-]+/g)].map((found) => ({ from: found.index, to: found.index + found[0].length }));
}

function sumOf(pieces: readonly { bits: number }[]): number {
  return pieces.reduce((sum, { bits }) => sum + bits, 0);
}

/** From left to right: the longest thing that is known there, else the character itself. */
function piecesOf(text: string, plain: string): { at: number; bits: number }[] {
  const pieces: { at: number; bits: number }[] = [];
  for (let at = 0; at < text.length; ) {
    const known = [repeatAt(plain, at), runAt(plain, at), commonAt(plain, at)].reduce(longer);
    pieces.push({ at, bits: known.length > 0 ? known.bits : characterBits(text, plain, at) });
    at += Math.max(1, known.length);
  }
  return pieces;
}

type Piece = { length: number; bits: number };

const NO_PIECE: Piece = { length: 0, bits: 0 };

function longer(one: Piece, other: Piece): Piece {
  return other.length > one.length ? other : one;
}

/** Lower case, with digits and signs that stand for letters read as these. */
function plainOf(text: string): string {
  return [...text.toLowerCase().slice(0, text.length)].map((sign) => STANDS_FOR[sign] ?? sign).join("");
}

const STANDS_FOR: Readonly<Record<string, string>> = {
  "@": "a",
  "4": "a",
  "3": "e",
  "1": "i",
  "!": "i",
  "0": "o",
  $: "s",
  "5": "s",
  "7": "t",
};

const MIN_REPEAT = 3;
const REPEAT_BITS = 5;

/** What stood before already: where, and for how long. */
function repeatAt(plain: string, at: number): Piece {
  let length = 0;
  while (at + length < plain.length && plain.lastIndexOf(plain.slice(at, at + length + 1), at - 1) !== -1 && at > 0) {
    length += 1;
  }
  return length < MIN_REPEAT ? NO_PIECE : { length, bits: REPEAT_BITS };
}

const MIN_RUN = 3;
const RUN_BITS = 6;
const RUNS = [
  "abcdefghijklmnopqrstuvwxyz",
  "0123456789",
  "qwertyuiop",
  "asdfghjkl",
  "zxcvbnm",
  "qwertzuiop",
  "yxcvbnm",
  "qazwsxedcrfvtgbyhnujm",
];
const BOTH_WAYS = RUNS.flatMap((run) => [plainOf(run), plainOf([...run].reverse().join(""))]);

/** A stretch of the alphabet, the digits or a row of keys, either way. */
function runAt(plain: string, at: number): Piece {
  let length = 0;
  for (const run of BOTH_WAYS) {
    const start = run.indexOf(plain[at] ?? " ");
    let same = 0;
    while (start !== -1 && start + same < run.length && plain[at + same] === run[start + same]) same += 1;
    length = Math.max(length, same);
  }
  return length < MIN_RUN ? NO_PIECE : { length, bits: RUN_BITS };
}

const COMMON_BITS = 8;

/** Of the lists of leaked passwords, those that passwords are made of. */
const COMMON = plainOf(
  "password passwort passphrase pass admin root user login welcome letmein secret monkey dragon master shadow sunshine princess football baseball soccer hockey superman batman iloveyou love trustno ninja mustang access flower hello freedom whatever michael jordan jennifer hunter ranger buster thomas robert george charlie daniel jessica ashley pepper summer winter spring autumn january february august october november december computer internet server system default changeme test guest qwerty hyperliquid postern trading trader bitcoin ethereum crypto wallet mainnet testnet correct horse battery staple",
).split(" ");

function commonAt(plain: string, at: number): Piece {
  const found = COMMON.filter((word) => plain.startsWith(word, at));
  const length = Math.max(0, ...found.map((word) => word.length));
  return length === 0 ? NO_PIECE : { length, bits: COMMON_BITS };
}

const FAMOUS_BITS = 10;
const FAMOUS = new Set(
  ["correcthorsebatterystaple", "passwordpassword", "thequickbrownfoxjumpsoverthelazydog"].map(plainOf),
);

const LETTER_BITS = 4.7;
/** Of a letter behind one that it often follows: a person's word, more likely than not. */
const EXPECTED_LETTER_BITS = 2;
const DIGIT_BITS = 3.3;
const SIGN_BITS = 5;
/** A second space or dash says nothing new. */
const SEPARATOR_BITS = 1;
/** For a capital, and for a digit or sign that stands for a letter. */
const CHANGED_BITS = 1;

function characterBits(text: string, plain: string, at: number): number {
  const sign = text[at] ?? "";
  const pair = `${plain[at - 1] ?? ""}${plain[at] ?? ""}`;
  const isExpected = FOLLOWING.has(pair) && !breaks(text, at);
  const isLower = /[a-z]/.test(sign);
  if (isExpected) return EXPECTED_LETTER_BITS + (isLower ? 0 : CHANGED_BITS);
  if (/[a-z]/i.test(sign)) return LETTER_BITS + (isLower ? 0 : CHANGED_BITS);
  if (/[0-9]/.test(sign)) return DIGIT_BITS;
  return text.slice(0, at).includes(sign) ? SEPARATOR_BITS : SIGN_BITS;
}

/** True where no word goes on: a capital behind a small letter, a digit or sign that stands for a letter at a word's edge. */
function breaks(text: string, at: number): boolean {
  const isLetter = (index: number) => /[a-z]/i.test(text[index] ?? "");
  const [before, sign, after] = [text[at - 1] ?? "", text[at] ?? "", at + 1];
  if (isLetter(at) && isLetter(at - 1)) return /[a-z]/.test(before) && /[A-Z]/.test(sign);
  return !(isLetter(at) || (isLetter(at - 1) && isLetter(after)));
}

/** Pairs of letters that make up four fifths of English text. */
const FOLLOWING = new Set(
  "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl ig tu ev ld ry mp fe bl ab gh ty op wo sa ay ex ke fr oo av ag if ap gr od bo sp rd do uc bu ei ov by rm ep tt oc".split(
    " ",
  ),
);
