import type { BrowserResponse } from '../support/fake-browser.ts';
import { formsIn, type ShownForm, unescaped } from '../support/page-text.ts';

export type Shown = ReturnType<typeof shownPage>;

/** A parsed page. */
export function shownPage(path: string, { status, headers, text: html }: BrowserResponse) {
  const content = /<main\b[\s\S]*<\/main>/.exec(html)?.[0] ?? html;
  const alerts = alertsOf(content);
  return {
    ...{ path, status, headers, html, alerts },
    /** The title in the browser's tab. */
    tab: visible(/<title>([^<]*)/.exec(html)?.[1]),
    /** The text without markup, with runs of white space as one space. */
    text: visible(content),
    /** The title of the first alert; empty if there is none. */
    said: alerts[0]?.title ?? '',
    /** The tone of the first alert, `good` if the form did what was requested; empty if there is none. */
    tone: alerts[0]?.tone ?? '',
    /** The numbers of its figures, in order. */
    figures: all(content, FIGURE).map(([, value]) => visible(value)),
    /** The labels of its badges. */
    badges: all(content, /<span class="badge [a-z]+">([^<]*)<\/span>/g).map(([, label]) => visible(label)),
    /** The rows of its tables, by column label; the second line of a row is `detail`. */
    rows: rowsOf(content),
    /** The text of the attempts inside its rows. */
    attempts: all(content, /<li class="attempt">([\s\S]*?)<\/li>/g).map(([, item]) => visible(item)),
    /** The faults at its fields, by field. */
    faults: faultsOf(content),
    /** The unescaped text of the element with this ID. */
    code: (id: string): string | null => {
      const [, found] = new RegExp(`<(?:code|pre)[^>]* ?id="${id}"[^>]*>([^<]*)<`).exec(content) ?? [];
      return found === undefined ? null : unescaped(found);
    },
    form: (action: string): ShownForm | null => formsIn(html).find((form) => form.action === action) ?? null,
  };
}

const all = (text: string, pattern: RegExp): RegExpMatchArray[] => [...text.matchAll(pattern)];

const visible = (markup = ''): string =>
  unescaped(markup.replaceAll(/<[^>]*>/g, ' '))
    .replaceAll(/\s+/g, ' ')
    .trim();

const ALERT = /<div class="alert ([a-z]+)" role="([a-z]+)">[\s\S]*?<p class="alert-title">([\s\S]*?)<\/p>/g;

const alertsOf = (content: string) =>
  all(content, ALERT).map((found) => ({
    tone: found[1]!,
    role: found[2]!,
    title: visible(found[3]),
    /** The number of characters of text above it in the page's content. */
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
