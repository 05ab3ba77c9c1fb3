/** What is printed of the scenes, and written for CI. */
import type { Played } from "./play.ts";

export function summaryOf(played: readonly Played[]): Record<Played["verdict"], number> {
  const of = (verdict: Played["verdict"]) => played.filter((one) => one.verdict === verdict).length;
  return { passed: of("passed"), failed: of("failed"), "not exercised": of("not exercised") };
}

/** Cells of a row: verdict, scene, what the log shows. */
export function rowOf({ verdict, scene, why, requests, busiestSecond, tookMs }: Played): string[] {
  const asked = `${requests} requests, ${busiestSecond} in the busiest second`;
  return [verdict === "failed" ? "FAILED" : verdict, scene, `${seconds(tookMs)} s`, asked, why];
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}

/** The form that CI systems read: JUnit XML */
export function junitOf(played: readonly Played[]): string {
  const counts = summaryOf(played);
  const took = seconds(played.reduce((all, { tookMs }) => all + tookMs, 0));
  const head = `tests="${played.length}" failures="${counts.failed}" skipped="${counts["not exercised"]}" time="${took}"`;
  const cases = played.map((one) => caseOf(one));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${head}>`,
    `<testsuite name="postern paper --scenes" errors="0" ${head}>`,
    ...cases,
    "</testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function caseOf({ scene, verdict, why, tookMs, output, orders, requests, busiestSecond }: Played): string {
  const elements = {
    passed: "",
    failed: `<failure message="${escaped(why)}"/>`,
    "not exercised": `<skipped message="${escaped(why)}"/>`,
  };
  const facts = `${verdict}: ${why}\n${orders} orders taken, ${requests} requests, ${busiestSecond} in the busiest second\n${output}`;
  const words = `<testcase classname="scenes" name="${escaped(scene)}" time="${seconds(tookMs)}">`;
  return `${words}${elements[verdict]}<system-out>${escaped(facts)}</system-out></testcase>`;
}

/** What XML 1.0 cannot say at all, and what it would rather not. */
const UNSAYABLE = /(?![\t\n\r])[\p{Cc}\p{Cs}\ufffe\uffff]/gu;
const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: string): string {
  return text.replace(UNSAYABLE, "?").replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character);
}
