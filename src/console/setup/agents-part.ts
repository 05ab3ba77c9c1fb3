/** The agents that the account has at the exchange: before another one is signed for, its owner sees what that does to them. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { ExchangeView } from "../api/resources.ts";
import { dateAndTime, NOTHING } from "../figures/format.ts";
import { table } from "../parts/table.ts";

export function agentsPart(view: ExchangeView): TemplateResult {
  const { agents, agents_notice: notice, is_agents_notice_warning: isWarning } = view;
  const words = html`<p class=${isWarning ? "late" : "note"} role=${isWarning ? "alert" : "note"}>${notice}</p>`;
  return html`
    ${notice === null ? nothing : words}
    ${
      view.are_agents_known
        ? table({
            caption: "Agents of this account at the exchange",
            columns: [
              { name: "Agent", cell: ({ name, is_own: isOwn }) => `${name}${isOwn ? " (this gateway's)" : ""}` },
              { name: "Address", rank: 2, cell: ({ address }) => html`<code>${address}</code>` },
              { name: "Until", cell: ({ valid_until: until }) => (until === null ? NOTHING : dateAndTime(until)) },
            ],
            rows: agents,
            id: ({ address }) => `agent-${address}`,
            empty: "The account has no other agent with a name.",
          })
        : nothing
    }`;
}
