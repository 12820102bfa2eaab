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
    <div class="code-head"><span id="${id}-label">${label}</span>${copyButton(id, true, `${id}-label`)}</div>
    <pre class="code-block" id="${id}" tabindex="0" role="group" aria-labelledby="${id}-label">${text}</pre>
  </div>`;

/** One line to copy into a chat or a form. */
export const copyLine = ({ id, label, text }: CodeBlock): Html =>
  html`<div class="code-line">
    <span class="code-label" id="${id}-label">${label}</span>
    <div class="copy-line"><code id="${id}">${text}</code>${copyButton(id, false, `${id}-label`)}</div>
  </div>`;

interface Diff {
  /** Unique on the page. */
  readonly id: string;
  readonly label: string;
  /** Each begins with `+ ` if it was added, with `- ` if it was removed, and with two spaces if it stays. */
  readonly lines: readonly string[];
}

/** Changed lines of a file. What was added and removed is told by sign, and by colour. */
export const diff = ({ id, label, lines }: Diff): Html =>
  html`<div class="code-line">
    <div class="code-head"><span id="${id}-label">${label}</span><span class="diff-count">${[
      counted(lines, '+', 'good', 'added'),
      counted(lines, '-', 'bad', 'removed'),
    ]}</span></div>
    <pre class="code-block diff" id="${id}" tabindex="0" role="group" aria-labelledby="${id}-label">${lines.map(changedLine)}</pre>
  </div>`;

function counted(lines: readonly string[], sign: string, tone: 'good' | 'bad', word: string): Html | null {
  const count = lines.filter((line) => line.startsWith(sign)).length;
  return count === 0 ? null : html`<span class="${tone}">${count} ${word}</span>`;
}

/** Each ends with a line break, so that what is copied has one. */
function changedLine(line: string): Html {
  const text = html`<span class="diff-sign">${line.slice(0, 1)}</span>${line.slice(2)}${'\n'}`;
  if (line.startsWith('+')) return html`<ins>${text}</ins>`;
  return line.startsWith('-') ? html`<del>${text}</del>` : html`<span>${text}</span>`;
}

/** Content that is hidden until it is opened, without script. */
export const disclosure = (label: Content, body: Content, isOpen = false): Html =>
  html`<details class="disclosure"${isOpen && html` open`}>
    <summary>${label}</summary>
    <div class="disclosure-body">${body}</div>
  </details>`;
