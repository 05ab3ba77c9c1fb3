/** Which network this is and whether the money is real: on every screen, in words. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { ExchangePlace } from "../../core/exchange-place.ts";
import type { NetworkName } from "../api/resources.ts";

const WORDS: Record<NetworkName, { name: string; money: string }> = {
  mainnet: { name: "MAINNET", money: "real money" },
  testnet: { name: "TESTNET", money: "no real money: the exchange's test network" },
  paper: { name: "PAPER", money: "no real money: simulated on this machine" },
};

type NetworkPlace = { network: NetworkName; exchange: ExchangePlace };

export function ribbon(where: NetworkPlace | null): TemplateResult {
  if (where === null) return html`<p class="ribbon">Network not known yet</p>`;
  const { network, exchange } = where;
  const { name, money } = WORDS[network];
  const elsewhere = html` · <strong>UNOFFICIAL EXCHANGE</strong>: not the exchange's own host`;
  return html`<p class="ribbon ${network}"><strong>${name}</strong> · ${money}${exchange === "unofficial" ? elsewhere : nothing}</p>`;
}

/** For sentences: `real money on mainnet`. */
export function moneyWords(network: NetworkName): string {
  return network === "mainnet" ? "real money" : "no real money";
}

export function side(word: "buy" | "sell" | "long" | "short"): TemplateResult {
  return html`<span class=${word === "buy" || word === "long" ? "buy" : "sell"}>${word}</span>`;
}

export function state(word: string): TemplateResult {
  const tones: Record<string, string> = { unknown: "warn", rejected: "warn", open: "plain", filled: "plain" };
  return html`<span class="state ${tones[word] ?? ""}">${word.replaceAll("_", " ")}</span>`;
}
