/** Tables of figures: dense, aligned, and no slower with 5,000 rows than with fifty. */
import { html, nothing, type TemplateResult } from "lit-html";
import { classMap } from "lit-html/directives/class-map.js";
import { repeat } from "lit-html/directives/repeat.js";
import { type Slots, slotsFor } from "./row-slots.ts";

export type Column<Row> = {
  name: string;
  /** Figures stand at the right, so that their points line up. */
  isFigure?: boolean;
  /** 1 is always there, 2 not on a phone, 3 only where there is room. */
  rank?: 1 | 2 | 3;
  /** Stands at the head in place of the name. */
  head?: unknown;
  cell: (row: Row) => unknown;
};

export type Table<Row> = {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  id: (row: Row) => string;
  /** Rows before the first that are held no longer: their room stays, so that nothing jumps. */
  skipped?: number;
  /** Said where there is no row. */
  empty: string;
  /** Shown below a row, across its whole width; null for none. */
  below?: (row: Row) => TemplateResult | null;
};

export function table<Row>(about: Table<Row>): TemplateResult {
  if (about.rows.length === 0) return html`<p class="empty">${about.empty}</p>`;
  return html`
    <div class="table" role="region" aria-label=${about.caption} tabindex="0">
      <table>
        <caption class="hidden">${about.caption}</caption>
        ${head(about.columns)}
        <tbody>${repeat(about.rows, about.id, (row) => line(about, row, null))}</tbody>
      </table>
    </div>`;
}

function head<Row>(columns: readonly Column<Row>[]): TemplateResult {
  const cells = columns.map(
    (column) =>
      html`<th scope="col" class=${classesOf(column)}>${column.head ?? (column.name === "" ? hiddenName() : column.name)}</th>`,
  );
  return html`<thead><tr>${cells}</tr></thead>`;
}

function hiddenName(): TemplateResult {
  return html`<span class="hidden">Actions</span>`;
}

function line<Row>(about: Table<Row>, row: Row, index: number | null): TemplateResult {
  const cells = about.columns.map((column) => html`<td class=${classesOf(column)}>${column.cell(row)}</td>`);
  const below = about.below?.(row) ?? null;
  return html`
    <tr aria-rowindex=${index ?? nothing}>${cells}</tr>
    ${below === null ? nothing : html`<tr class="below"><td colspan=${about.columns.length}>${below}</td></tr>`}`;
}

function classesOf<Row>({ name, isFigure = false, rank = 1 }: Column<Row>): unknown {
  return classMap({ figure: isFigure, end: name === "", second: rank === 2, third: rank === 3 });
}

/** CSS pixels of one row of a long table; the style sheet says the same. */
const ROW_PX = 26;
/** CSS pixels of one row on a phone, where a finger has to meet what is in it; the style sheet says the same. */
const PHONE_ROW_PX = 44;

function rowPx(): number {
  return matchMedia("(max-width: 760px)").matches ? PHONE_ROW_PX : ROW_PX;
}
/** Counted as a row, as screen readers do. */
const HEADER_ROWS = 1;
/** Rows drawn above and below what is seen. */
const SPARE_ROWS = 12;

export type Window = {
  scrollTop: number;
  height: number;
  /** Lines that are drawn. */
  slots: Slots;
  /** Id of the row in which something has the focus. */
  focused: string | null;
};

export function newWindow(): Window {
  return { scrollTop: 0, height: 600, slots: new Map(), focused: null };
}

/** Rows left below what is seen. */
const NEAR_ROWS = 40;

export function isNearEnd({ scrollTop, height }: Window, rows: number): boolean {
  return scrollTop + height > (rows - NEAR_ROWS) * rowPx();
}

/** Draws only the rows that are seen, in the lines that there are. `moved` is called when others are. */
export function longTable<Row>(about: Table<Row>, view: Window, moved: () => void): TemplateResult {
  if (about.rows.length === 0) return html`<p class="empty">${about.empty}</p>`;
  const { skipped = 0 } = about;
  const at = (px: number) => px / rowPx() - skipped;
  const first = Math.min(about.rows.length - 1, Math.max(0, Math.floor(at(view.scrollTop)) - SPARE_ROWS));
  const last = Math.min(
    about.rows.length,
    Math.max(first + 1, Math.ceil(at(view.scrollTop + view.height)) + SPARE_ROWS),
  );
  const seen = about.rows.slice(first, last).map((row, index) => ({ row, index: skipped + first + index }));
  const slots = slotsFor(
    view.slots,
    seen.map(({ row }) => about.id(row)),
    view.focused,
  );
  view.slots = slots;
  function focused({ target }: Event): void {
    const line = target instanceof Element ? target.closest("tr")?.getAttribute("aria-rowindex") : null;
    const row = about.rows[Number(line ?? 0) - HEADER_ROWS - 1 - skipped];
    view.focused = row === undefined ? null : about.id(row);
  }
  function left(): void {
    view.focused = null;
  }
  function scrolled({ currentTarget }: Event): void {
    if (!(currentTarget instanceof HTMLElement)) return;
    view.scrollTop = currentTarget.scrollTop;
    view.height = currentTarget.clientHeight;
    moved();
  }
  return html`
    <div class="table long" role="region" aria-label=${about.caption} tabindex="0" @scroll=${scrolled} @focusin=${focused} @focusout=${left}>
      <table aria-rowcount=${skipped + about.rows.length + HEADER_ROWS}>
        <caption class="hidden">${about.caption}</caption>
        ${head(about.columns)}
        <tbody>
          ${spacer(skipped + first)}
          ${repeat(
            seen,
            ({ row }) => slots.get(about.id(row)),
            ({ row, index }) => line(about, row, index + HEADER_ROWS + 1),
          )}
          ${spacer(about.rows.length - last)}
        </tbody>
      </table>
    </div>`;
}

/** Set as a property: a style attribute would need a hole in the content security policy. */
function spacer(rows: number): TemplateResult | typeof nothing {
  return rows === 0
    ? nothing
    : html`<tr class="spacer" aria-hidden="true" .style=${`height:${rows * rowPx()}px`}></tr>`;
}
