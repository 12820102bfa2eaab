/**
 * The only place that turns text into markup: the tag escapes every value in a template, except `Html` from this module.
 * Attribute values must be in double quotes. The tag refuses a template with an unquoted one, because a space in the
 * value would start another attribute.
 *
 * hono/html does not fit: it accepts values of any type (an object prints as `[object Object]`), trusts every object with
 * a property `isEscaped`, and returns a value or a promise of one, so that each component would have to be typed as both.
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

/** Values that a template accepts. null, undefined and false print nothing. */
export type Content = string | number | Html | null | undefined | false | readonly Content[];

export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  if (!checked.has(strings)) requireQuotes(strings);
  let markup = strings[0] ?? '';
  for (let index = 0; index < values.length; index++)
    markup += markupOf(values[index]) + (strings[index + 1] ?? '');
  return new Html(markup);
}

/** Templates that were checked already. A template has the same array of literals each time. */
const checked = new WeakSet<TemplateStringsArray>();

/** Matches a tag that is still open at the end of the literals so far. */
const OPEN_TAG = /<[a-z][^<>"]*(?:"[^"]*"[^<>"]*)*$/i;

/** Matches a tag that ends within an attribute value that is unquoted or in single quotes. */
const UNQUOTED = /=\s*(?:'[^']*|[^"'\s]*)$/;

/** Throws an Error if a value is not in double quotes: such a template is a bug, found at its first use. */
function requireQuotes(strings: TemplateStringsArray): void {
  let before = '';
  for (const literal of strings.slice(0, -1)) {
    before += literal;
    const [tag = ''] = OPEN_TAG.exec(before) ?? [];
    if (UNQUOTED.test(tag)) throw new Error(`the value after ${tag} must be in double quotes`);
    before += 'x';
  }
  checked.add(strings);
}

/** Marks our own text as markup, such as an SVG drawing. Never use it for text that was entered. */
export const trusted = (markup: string): Html => new Html(markup);

/**
 * Text that others wrote, inside our own sentence: isolates its writing direction from ours. Cells, links, buttons and
 * badges already do that in the stylesheet.
 */
export const quoted = (text: string): Html => html`<bdi>${text}</bdi>`;

export const isEmpty = (content: Content): boolean => markupOf(content) === '';

/** A template tag for stylesheets and scripts. It changes nothing; editors use it to highlight the code. */
export const verbatim = String.raw;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string =>
  /[&<>"']/.test(text) ? text.replaceAll(/[&<>"']/g, (sign) => ESCAPES[sign] ?? '') : text;

function markupOf(value: Content): string {
  if (value === null || value === undefined || value === false) return '';
  if (typeof value === 'string') return escaped(value);
  if (typeof value === 'number') return String(value);
  if (value instanceof Html) return value.toString();
  return value.map(markupOf).join('');
}
