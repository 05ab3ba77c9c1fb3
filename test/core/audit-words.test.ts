import { expect, test } from "bun:test";
import { auditFacts, factWords } from "../../src/core/audit-words.ts";

test.each([
  [
    "when an approval ends",
    { name: "postern-1", valid_until: 1_803_624_380_738 },
    "name postern-1, valid until 2027-02-26T06:46:20.738Z",
  ],
  ["when it ended before", { before: 1_803_624_380_738 }, "before 2027-02-26T06:46:20.738Z"],
  ["when a grant was made", { issued_at: 1_795_848_380_868 }, "issued at 2026-11-28T06:46:20.868Z"],
  ["a nonce is a number", { nonce: 1_795_848_382_681 }, "nonce 1795848382681"],
  ["none", { valid_until: null }, "valid until null"],
])("%s is told in words", (_what, detail, words) => {
  expect(factWords(auditFacts(JSON.stringify(detail)))).toBe(words);
});
