import { html, type TemplateResult } from "lit-html";

/** A text to be taken along: selectable, and copied by a button. */
export function copyable(text: string, words: string): TemplateResult {
  async function copy(event: Event): Promise<void> {
    const button = event.currentTarget;
    if (!(button instanceof HTMLButtonElement)) return;
    const isCopied = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    button.textContent = isCopied ? "Copied" : "Copy it by hand";
  }
  return html`
    <div class="copy">
      <pre tabindex="0" aria-label=${words}>${text}</pre>
      <button type="button" @click=${copy} aria-label=${`Copy ${words}`}>Copy</button>
    </div>`;
}
