// Every sentence that says how something is: what it asserts, as a question to the exchange's log.
import { rules } from "./words-rules.mjs";

export function judgeText(judge, told, text, about) {
  for (const [pattern, check] of rules) {
    const found = pattern.exec(text);
    if (found === null) continue;
    judge.count(`words ${about.code}`);
    if (check === null) return;
    const verdict = check({ judge, told, about, found: found.groups ?? {}, stage: judge.stage, text });
    if (verdict !== true)
      judge.fault(
        `words: ${about.code}`,
        { text, who: told.who, path: told.path, body: told.body, from: told.from, to: told.to },
        verdict,
      );
    return;
  }
  const key = `${about.code}: ${text
    .replace(/0x[0-9a-f]{8,}/g, "0x…")
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "UUID")
    .replace(/\d+(\.\d+)?/g, "N")}`;
  if (!judge.unjudged.has(key)) judge.unjudged.set(key, text);
}
