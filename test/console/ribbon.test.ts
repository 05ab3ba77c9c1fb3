import { expect, test } from "bun:test";
import { nothing, type TemplateResult } from "lit-html";
import { ribbon } from "../../src/console/parts/badges.ts";

/** The text of a template without its marks. */
function textOf(part: unknown): string {
  if (part === nothing) return "";
  if (typeof part !== "object" || part === null || !("strings" in part)) return String(part);
  // What `html` makes.
  const { strings, values } = part as TemplateResult;
  const whole = strings.map((text, index) => text + (index < values.length ? textOf(values[index]) : "")).join("");
  return whole.replace(/<[^>]*>/g, "");
}

test("the ribbon tells the network, the money, and a place that is not the exchange's own", () => {
  expect(textOf(ribbon({ network: "mainnet", exchange: "official" }))).toBe("MAINNET · real money");
  expect(textOf(ribbon({ network: "mainnet", exchange: "unofficial" }))).toContain("real money · UNOFFICIAL EXCHANGE");
  expect(textOf(ribbon({ network: "paper", exchange: "simulated" }))).not.toContain("UNOFFICIAL");
  expect(textOf(ribbon(null))).toContain("not known");
});
