// What is told of a scene: each sentence with whether it held, and what was seen where it did not.
export class Report {
  constructor(scene) {
    this.scene = scene;
    this.held = 0;
    this.broken = [];
  }

  say(sentence, isSo, seen = "", severity = "medium") {
    if (isSo) {
      this.held += 1;
      if (process.env.THIRTEENTH_ALL) console.log(`  held    ${sentence}`);
      return;
    }
    const text = typeof seen === "string" ? seen : JSON.stringify(seen);
    this.broken.push({ sentence, severity });
    console.log(`  BROKEN  (${severity}) ${sentence}\n          ${text.slice(0, 600)}`);
  }

  note(text) {
    console.log(`  note    ${text}`);
  }
}
