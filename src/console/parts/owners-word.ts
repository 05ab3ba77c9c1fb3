/** What the owner signs for this gateway: each line that the wallet shows stands on the screen, and just that is signed. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { TypedData } from "../../wire/wallet-form.ts";
import type { App } from "../state/app.ts";
import { readDescription } from "../state/description.ts";
import { type AskedSignature, signingPanel } from "./signing.ts";

export type OwnersWord = Omit<AskedSignature, "typedData"> & {
  write: (audience: string) => TypedData;
  beside?: (name: string) => unknown;
};

export function ownersWord(app: App, { write, beside, ...asked }: OwnersWord): TemplateResult {
  const { value, failure } = app.state.description;
  if (value === null) {
    return html`
      <p class="late" role="status">What is to be signed names this gateway, and how it names itself is not known yet. ${failure ?? ""}</p>
      <button type="button" @click=${() => void readDescription(app)}>Ask again</button>`;
  }
  const data = write(value.audience);
  return html`
    <p class="words">The wallet shows this, line by line:</p>
    <dl class="lines">${linesOf(data).map(([name, line]) => html`<div><dt>${name}</dt><dd><code>${line}</code>${beside?.(name) ?? nothing}</dd></div>`)}</dl>
    ${signingPanel(app, { ...asked, typedData: async () => data })}`;
}

/** In the order in which they are signed. */
function linesOf({ types, primaryType, message }: TypedData): (readonly [name: string, line: string])[] {
  return (types[primaryType] ?? []).map(({ name }) => [name, String(message[name] ?? "")]);
}
