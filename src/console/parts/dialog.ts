import { html, nothing, type TemplateResult } from "lit-html";
import { ref } from "lit-html/directives/ref.js";

/**
 * A modal dialog of the browser's own: focus stays inside, Escape closes it, and focus goes back to where it was. The
 * element stays in the page; only its content comes and goes.
 */
export function dialog(title: string, content: TemplateResult | null, closed: () => void): TemplateResult {
  function sync(element: Element | undefined): void {
    if (!(element instanceof HTMLDialogElement)) return;
    if (content !== null && !element.open) element.showModal();
    if (content === null && element.open) element.close();
  }
  const inside =
    content === null
      ? nothing
      : html`
        <div class="dialog-head">
          <h2>${title}</h2>
          <button type="button" class="quiet" @click=${closed} aria-label="Close">×</button>
        </div>
        ${content}`;
  return html`<dialog aria-label=${title} ${ref(sync)} @close=${closed}>${inside}</dialog>`;
}
