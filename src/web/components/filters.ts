import { type Content, type Html, html } from '../html.ts';

interface Filters {
  /** The list's URL; the filters become its query string. */
  readonly action: string;
  readonly label: string;
  readonly fields: Content;
  readonly submit: string;
  /** The URL of the unfiltered list; null if no filter is set. */
  readonly clear: string | null;
  /** In one line if there is room, and two fields beside each other on a phone. */
  readonly compact?: boolean;
}

/** A form that filters a list. It sends a GET, so that the filtered list has a URL of its own. */
export const filters = ({ action, label, fields, submit, clear, compact }: Filters): Html =>
  html`<form class="filters${compact && ' compact'}" method="get" action="${action}" role="search" aria-label="${label}">
    ${fields}
    <div class="actions"><button class="button quiet" type="submit">${submit}</button>${
      clear !== null && html`<a class="button plain" href="${clear}">Clear</a>`
    }</div>
  </form>`;

interface FilterField {
  /** Unique on the page. */
  readonly name: string;
  readonly label: string;
  readonly value: string;
}

interface SelectFilter extends FilterField {
  /** Values and labels; an empty value means no filter. */
  readonly choices: readonly (readonly [value: string, label: string])[];
}

export const selectFilter = ({ name, label, value, choices }: SelectFilter): Html =>
  html`<div class="field"><label for="${name}">${label}</label>
    <select class="input" id="${name}" name="${name}">${choices.map(
      ([choice, text]) =>
        html`<option value="${choice}"${choice === value && html` selected`}>${text}</option>`,
    )}</select></div>`;

export const textFilter = ({ name, label, value }: FilterField): Html =>
  html`<div class="field"><label for="${name}">${label}</label>
    <input class="input" id="${name}" name="${name}" type="text" value="${value}" autocomplete="off" spellcheck="false"
      autocapitalize="none"></div>`;

/** A day, such as `2026-06-03` (`parseDay`). Browsers show a calendar. */
export const dateFilter = ({ name, label, value }: FilterField): Html =>
  html`<div class="field"><label for="${name}">${label}</label>
    <input class="input" id="${name}" name="${name}" type="date" value="${value}"></div>`;
