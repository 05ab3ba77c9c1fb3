// What was told and what was true, sentence by sentence.
export class Report {
  constructor() {
    this.broken = 0;
    this.held = 0;
  }

  check(sentence, holds, seen = null) {
    if (holds) this.held += 1;
    else this.broken += 1;
    if (!holds || process.env.ELEVENTH_ALL)
      console.log(`${holds ? "holds " : "BROKEN"} ${sentence}${seen === null ? "" : `\n         ${short(seen)}`}`);
  }

  /** Something seen of which no document says how it should be. */
  note(what, seen) {
    console.log(`note   ${what}\n         ${short(seen)}`);
  }
}

const short = (seen) => (typeof seen === "string" ? seen : JSON.stringify(seen)).slice(0, 1500);
