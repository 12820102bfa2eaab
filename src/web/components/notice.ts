import { type Content, type Html, html, isEmpty } from '../html.ts';
import type { Tone } from './tone.ts';

/** A state in one or two words. */
export const badge = (label: string, tone: Tone = 'idle'): Html =>
  html`<span class="badge ${tone}">${label}</span>`;

/** A kind or a role. It is not a state, so it has no tone. */
export const tag = (label: string): Html => html`<span class="tag">${label}</span>`;

interface Alert {
  readonly tone: Exclude<Tone, 'idle'>;
  readonly title: string;
  /** What it means and what to do. */
  readonly body?: Content;
}

/** A failure interrupts a screen reader (`alert`); everything else waits for a pause (`status`). */
export const alert = ({ tone, title, body }: Alert): Html =>
  html`<div class="alert ${tone}" role="${tone === 'bad' ? 'alert' : 'status'}">
    <span class="alert-sign" aria-hidden="true"></span>
    <div class="alert-body"><p class="alert-title">${title}</p>${isEmpty(body) ? null : html`<div>${body}</div>`}</div>
  </div>`;

interface Empty {
  readonly title: string;
  /** What to do next. */
  readonly advice: Content;
  readonly actions?: Content;
}

/** Shown instead of an empty list. */
export const empty = ({ title, advice, actions }: Empty): Html =>
  html`<div class="empty">
    <p class="empty-title">${title}</p>
    <p>${advice}</p>
    ${isEmpty(actions) ? null : html`<div class="actions">${actions}</div>`}
  </div>`;

interface OneTimeSecret {
  /** Unique on the page; the copy button finds the value by it. */
  readonly id: string;
  readonly title: string;
  readonly value: string;
  readonly advice: Content;
}

/** Only for the response to the POST that created the secret: no other page can show it. */
export const oneTimeSecret = ({ id, title, value, advice }: OneTimeSecret): Html =>
  html`<section class="secret" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${title}</h2>
    <p>${advice}</p>
    <div class="copy-line"><code id="${id}">${value}</code>${copyButton(id)}</div>
  </section>`;

/** Hidden until the script runs, because it does not work without it. */
export const copyButton = (sourceId: string, small = false, labelId?: string): Html =>
  html`<button class="button quiet${small && ' small'}" type="button" data-copy="${sourceId}"${
    labelId !== undefined && html` aria-describedby="${labelId}"`
  } hidden>Copy</button>`;
