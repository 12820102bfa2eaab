import type { BrowserResponse } from '../support/fake-browser.ts';

export interface ShownForm {
  /** By name, with the values that would be sent unchanged. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** The options of radio buttons and checkboxes, by name. */
  readonly choices: Readonly<Record<string, readonly string[]>>;
}

export interface ShownAlert {
  readonly tone: string;
  readonly role: string;
  readonly title: string;
  /** The number of characters of text above it in the page's content. */
  readonly textAbove: number;
}

/** A parsed page. */
export interface Shown {
  /** The title in the browser's tab. */
  readonly tab: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** The text without markup, with runs of white space as one space. */
  readonly text: string;
  readonly alerts: readonly ShownAlert[];
  /** The title of the first alert; empty if there is none. */
  readonly said: string;
  /** The tone of the first alert, `good` if the form did what was requested; empty if there is none. */
  readonly tone: string;
  /** The numbers of its figures, in order. */
  readonly figures: readonly string[];
  /** The labels of its badges. */
  readonly badges: readonly string[];
  /** The rows of its tables, by column label; the second line of a row is `detail`. */
  readonly rows: readonly Readonly<Record<string, string>>[];
  /** The text of the attempts inside its rows. */
  readonly attempts: readonly string[];
  /** The faults at its fields, by field. */
  readonly faults: Readonly<Record<string, string>>;
  /** The unescaped text of the element with this ID. */
  code(id: string): string | null;
  form(action: string): ShownForm | null;
}

export function shownPage(path: string, { status, headers, text: html }: BrowserResponse): Shown {
  const content = /<main\b[\s\S]*<\/main>/.exec(html)?.[0] ?? html;
  const alerts = alertsOf(content);
  return {
    ...{ path, status, headers, html, alerts },
    tab: visible(/<title>([^<]*)/.exec(html)?.[1]),
    text: visible(content),
    said: alerts[0]?.title ?? '',
    tone: alerts[0]?.tone ?? '',
    figures: all(content, FIGURE).map(([, value]) => visible(value)),
    badges: all(content, /<span class="badge [a-z]+">([^<]*)<\/span>/g).map(([, label]) => visible(label)),
    rows: rowsOf(content),
    attempts: all(content, /<li class="attempt">([\s\S]*?)<\/li>/g).map(([, item]) => visible(item)),
    faults: faultsOf(content),
    code: (id) => {
      const [, found] = new RegExp(`<(?:code|pre)[^>]* ?id="${id}"[^>]*>([^<]*)<`).exec(content) ?? [];
      return found === undefined ? null : unescaped(found);
    },
    form: (action) => formOf(html, action),
  };
}

const all = (text: string, pattern: RegExp): RegExpMatchArray[] => [...text.matchAll(pattern)];

const SIGNS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const unescaped = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => SIGNS[name]!);

const visible = (markup = ''): string =>
  unescaped(markup.replaceAll(/<[^>]*>/g, ' '))
    .replaceAll(/\s+/g, ' ')
    .trim();

const ALERT = /<div class="alert ([a-z]+)" role="([a-z]+)">[\s\S]*?<p class="alert-title">([\s\S]*?)<\/p>/g;

const alertsOf = (content: string): ShownAlert[] =>
  all(content, ALERT).map((found) => ({
    tone: found[1]!,
    role: found[2]!,
    title: visible(found[3]),
    textAbove: visible(content.slice(0, found.index)).length,
  }));

const FIGURE = /<div class="[a-z]+"><dt>[^<]*<\/dt><dd>([\s\S]*?)<\/dd><\/div>/g;

const ROW =
  /<tr role="row" class="(detailed)?">([\s\S]*?)<\/tr>(?:\s*<tr role="row" class="detail">([\s\S]*?)<\/tr>)?/g;

const rowsOf = (content: string): Record<string, string>[] =>
  all(content, ROW).map(([, , cells = '', detail]) => ({
    ...Object.fromEntries(
      all(cells, /data-label="([^"]*)">([\s\S]*?)<\/td>/g).map(([, label, cell]) => [label, visible(cell)]),
    ),
    ...(detail === undefined ? {} : { detail: visible(detail) }),
  }));

const faultsOf = (content: string): Record<string, string> =>
  Object.fromEntries(
    all(content, /id="(\w+)-fault"><span>([^<]*)</g).map(([, name, fault]) => [name, unescaped(fault!)]),
  );

function formOf(html: string, action: string): ShownForm | null {
  const bodies = all(html, /<form\b([^>]*)>([\s\S]*?)<\/form>/g);
  const found = bodies.find(([, attributes]) => attributes!.includes(` action="${action}"`));
  if (found === undefined) return null;
  const fields: Record<string, string[]> = {};
  const choices: Record<string, string[]> = {};
  const add = (to: Record<string, string[]>, name: string, value: string) => {
    to[name] = [...(to[name] ?? []), value];
  };
  for (const [, attributes = ''] of all(found[2]!, /<input\b([^>]*)>/g)) {
    const of = (name: string) => unescaped(new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1] ?? '');
    const isChoice = / type="(?:radio|checkbox)"/.test(attributes);
    if (isChoice) add(choices, of('name'), of('value'));
    if (!isChoice || / checked\b/.test(attributes)) add(fields, of('name'), of('value'));
  }
  for (const [, name, value] of all(found[2]!, /<textarea\b[^>]* name="(\w+)"[^>]*>\n?([^<]*)</g))
    add(fields, name!, unescaped(value!));
  return { fields, choices };
}
