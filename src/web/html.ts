/**
 * Text becomes markup here and nowhere else: the tag escapes whatever is put into a template, unless this module
 * made it. An attribute's value has to stand between double quotes: the tag refuses a template in which one does not,
 * because a space in the value would begin another attribute.
 *
 * Not hono/html: it takes values of any type (an object prints as `[object Object]`), trusts every object that says
 * `isEscaped` of itself, and answers a value or a promise of one, so that each component would be typed as both.
 */
export class Html {
  readonly #markup: string;

  constructor(markup: string) {
    this.#markup = markup;
  }

  toString(): string {
    return this.#markup;
  }
}

/** What may stand in a template. Nothing is printed for null, undefined and false. */
export type Content = string | number | Html | null | undefined | false | readonly Content[];

export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  if (!checked.has(strings)) requireQuotes(strings);
  const parts = strings.map((literal, index) => literal + markupOf(values[index]));
  return new Html(parts.join(''));
}

/** Templates that have been looked at: the literals of one are the same array each time. */
const checked = new WeakSet<TemplateStringsArray>();

/** A tag that is open where the literals so far end, without the values that stand between double quotes. */
const OPEN_TAG = /<[a-z][^<>"]*(?:"[^"]*"[^<>"]*)*$/i;

/** At its end a value that has begun without quotes, or after a single one. */
const UNQUOTED = /=\s*(?:'[^']*|[^"'\s]*)$/;

/** Throws an Error: such a template is a bug, and shows at its first use. */
function requireQuotes(strings: TemplateStringsArray): void {
  let before = '';
  for (const literal of strings.slice(0, -1)) {
    before += literal;
    const [tag = ''] = OPEN_TAG.exec(before) ?? [];
    if (UNQUOTED.test(tag)) throw new Error(`a value without double quotes follows ${tag}`);
    before += 'x';
  }
  checked.add(strings);
}

/** Text of ours that is markup already, such as a stylesheet's drawing. Never for anything that was entered. */
export const trusted = (markup: string): Html => new Html(markup);

/**
 * What somebody else wrote, inside a sentence or a line of ours: its writing direction ends where it ends. Cells,
 * links, buttons and badges isolate their text in the stylesheet already.
 */
export const quoted = (text: string): Html => html`<bdi>${text}</bdi>`;

export const isEmpty = (content: Content): boolean => markupOf(content) === '';

/** A template tag for stylesheets and scripts: only editors see the difference to a plain string. */
export const verbatim = String.raw;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => ESCAPES[sign] ?? '');

function markupOf(value: Content): string {
  if (value === null || value === undefined || value === false) return '';
  if (typeof value === 'string') return escaped(value);
  if (typeof value === 'number') return String(value);
  if (value instanceof Html) return value.toString();
  return value.map(markupOf).join('');
}
