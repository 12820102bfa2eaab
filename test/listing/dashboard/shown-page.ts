import type { BrowserResponse } from '../../support/fake-browser.ts';

export interface ShownForm {
  /** By name, as they would be sent without any change. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** What can be chosen, by the name of the choice. */
  readonly choices: Readonly<Record<string, readonly string[]>>;
}

export interface ShownAlert {
  readonly tone: string;
  readonly role: string;
  readonly title: string;
  /** How many characters of text stand above it in the page's content. */
  readonly textAbove: number;
}

/** A page as it is read: by people for `text`, by the test for the rest. */
export interface Shown {
  /** In the browser's tab. */
  readonly tab: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** Without markup, spaces as one. */
  readonly text: string;
  readonly alerts: readonly ShownAlert[];
  /** What the form came to: the title of the first alert. */
  readonly said: string;
  /** How it came out: `good` where the form did what was asked; that of the first alert, empty where there is none. */
  readonly tone: string;
  /** The numbers of its figures, in their order. */
  readonly figures: readonly string[];
  /** The labels of its badges. */
  readonly badges: readonly string[];
  /** Each row of its tables by the columns' labels; a second line under it is `detail`. */
  readonly rows: readonly Readonly<Record<string, string>>[];
  /** The attempts that its rows open, as they are read. */
  readonly attempts: readonly string[];
  /** The faults beside its fields, by field. */
  readonly faults: Readonly<Record<string, string>>;
  /** The text of an element with this id, as it was before it became markup. */
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
