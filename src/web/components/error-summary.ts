import { type Content, type Html, html, isEmpty } from '../html.ts';
import { alert } from './notice.ts';

/** Why a form was refused. */
export interface Refused {
  readonly title?: string;
  /** What to do, if no single field is at fault. */
  readonly advice?: Content;
  /** By field name; each becomes a link to its field. */
  readonly faults: Readonly<Record<string, string>>;
}

/**
 * Shown at the top of the page, with the focus, so that a reader who pressed Save far below sees and hears at once that
 * nothing was saved. `autofocus` needs no script.
 */
export function errorSummary({ title, advice, faults }: Refused): Html {
  const links = Object.entries(faults).map(([name, fault]) => html`<li><a href="#${name}">${fault}</a></li>`);
  const body = [isEmpty(advice) ? null : html`<p>${advice}</p>`, links.length > 0 && html`<ul>${links}</ul>`];
  return focused(
    alert({
      tone: 'bad',
      title: title ?? (links.length === 1 ? 'Fix this field' : 'Fix these fields'),
      body,
    }),
  );
}

/** The element that gets focus when the page opens. At most one per page. */
export const focused = (content: Html): Html =>
  html`<div class="focused" tabindex="-1" autofocus>${content}</div>`;

/** For `Page.refused`: null for a form that is shown for the first time. */
export const refusedForm = (faults: Refused['faults']): Refused | null =>
  Object.keys(faults).length === 0 ? null : { faults };
