/** What a bot is held to, what it has used of it, and what is left. */
import { html, type TemplateResult } from "lit-html";
import type { ApiKey, KeyLimits } from "../api/resources.ts";
import { compare, subtract } from "../figures/decimal.ts";
import { ageOf, dateAndTime, figure, money, NOTHING } from "../figures/format.ts";
import { facts } from "../parts/section.ts";
import type { App } from "../state/app.ts";
import { changeRails } from "../state/limited-key.ts";
import { boundWords, railsTextOf } from "../state/rails-form.ts";

/** Whose key it is; one that may trade without limits is named. */
export function botOf({ limits, scopes, state }: ApiKey): TemplateResult | string {
  if (limits !== null) return limits.bot;
  const isUnlimited = scopes.includes("trading:write") && state === "active";
  return isUnlimited ? html`<span class="warn">no limits</span>` : NOTHING;
}

export function botLimits(app: App, key: ApiKey): TemplateResult | null {
  const { limits, state } = key;
  if (limits === null || state !== "active") return null;
  const { rails } = limits;
  return html`
    <div class="limits">
      ${uses(limits)}
      ${facts([
        ["It may", html`${rails.may.replaceAll(",", ", ")}`],
        ["Markets", rails.markets.replaceAll(",", ", ")],
        ["One order", rails.max_order],
        ["Price off the market", `${rails.max_distance}; a stop off its trigger ${rails.max_stop_distance}`],
        ["Orders it may change", rails.touches],
        ["From", rails.sources.replaceAll(",", ", ")],
        [
          "Until",
          `${dateAndTime(limits.expires_at)} (in ${ageOf(new Date(app.state.nowMs).toISOString(), Date.parse(limits.expires_at))})`,
        ],
        ["Holds", holdings(limits)],
      ])}
      <p class="words">${boundWords(railsTextOf(limits))}
        <button type="button" @click=${() => change(app, key)}>Change its rails</button></p>
    </div>`;
}

function change(app: App, key: ApiKey): void {
  changeRails(app, key);
  requestAnimationFrame(() => document.querySelector("form.rails")?.scrollIntoView({ block: "center" }));
}

function holdings({ use, rails }: KeyLimits): string {
  const held = use.nets.map(({ market, net }) => `${figure(net)} ${market}`).join(", ");
  return `${held === "" ? "nothing" : held}; at most ${rails.max_position} in a market, ${rails.max_exposure} in all`;
}

/** Figures of the day, with what is left of each. */
function uses({ use, rails }: KeyLimits): TemplateResult {
  return facts([
    ["Turnover today", used(use.turnover_today, rails.max_turnover_per_day, "USD")],
    ["Orders and modifies today", used(String(use.actions_today), rails.max_actions_per_day, "")],
    ["Open orders", used(String(use.open_orders), rails.max_open_orders, "")],
  ]);
}

function used(amount: string, limit: string, unit: string): TemplateResult {
  const shown = unit === "" ? figure(amount) : money(amount);
  if (limit === "any") return html`${shown} ${unit}, <span class="warn">no limit</span>`;
  const most = limit.split(" ")[0] ?? "";
  const left = compare(amount, most) > 0 ? "0" : subtract(most, amount);
  const words = `${shown} of ${figure(most)} ${unit}`;
  return html`${words} <progress max=${most} value=${amount} aria-label=${words}></progress> <span class="note">${unit === "" ? figure(left) : money(left)} left</span>`;
}
