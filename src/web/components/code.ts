import { type Content, type Html, html } from '../html.ts';
import { copyButton } from './notice.ts';

export const code = (text: string): Html => html`<code>${text}</code>`;

interface CodeBlock {
  /** Unique on the page. */
  readonly id: string;
  readonly label: string;
  readonly text: string;
}

export const codeBlock = ({ id, label, text }: CodeBlock): Html =>
  html`<div class="code-line">
    <div class="code-head"><span id="${id}-label">${label}</span>${copyButton(id, true)}</div>
    <pre class="code-block" id="${id}" tabindex="0" role="region" aria-labelledby="${id}-label">${text}</pre>
  </div>`;

/** Content that is hidden until it is opened, without script. */
export const disclosure = (label: Content, body: Content, isOpen = false): Html =>
  html`<details class="disclosure"${isOpen && html` open`}>
    <summary>${label}</summary>
    <div class="disclosure-body">${body}</div>
  </details>`;

interface Exchange {
  /** Unique on the page. */
  readonly id: string;
  readonly label?: string;
  readonly request: string;
  /** null if there was none; `noResponse` then says why. */
  readonly response: string | null;
  readonly noResponse?: string;
}

/** A request and its response, in a disclosure. */
export const exchange = ({ id, label = 'Request and response', noResponse, ...texts }: Exchange): Html =>
  disclosure(label, [
    codeBlock({ id: `${id}-request`, label: 'Request', text: texts.request }),
    texts.response === null
      ? html`<p class="soft">${noResponse ?? 'No response.'}</p>`
      : codeBlock({ id: `${id}-response`, label: 'Response', text: texts.response }),
  ]);
