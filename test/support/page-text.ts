import type { BrowserResponse } from './fake-browser.ts';

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** The text of a page or of a part of it, without markup. */
export const textOf = ({ text }: Pick<BrowserResponse, 'text'>): string =>
  text
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(#?\w+);/g, (_, name: string) => ENTITIES[name] ?? '?')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** The texts of a table's rows by the label of their column; none if the page does not have the table. */
export function rowsOf(text: string, caption: string): readonly Readonly<Record<string, string>>[] {
  const [, table = ''] = text.split(`<table class="table" role="table" aria-label="${caption}">`);
  const [, body = ''] = (table.split('</table>')[0] ?? '').split('<tbody');
  return body
    .split('<tr ')
    .slice(1)
    .filter((row) => !row.includes('class="detail"'))
    .map((row) =>
      Object.fromEntries(
        [...row.matchAll(/<td [^>]*data-label="([^"]*)">(.*?)<\/td>/gs)].map(([, label = '', cell = '']) => [
          label,
          textOf({ text: cell }),
        ]),
      ),
    );
}

/** How everything is, in the large sentence at the top of the page. */
export const stateSentenceOf = (text: string): string =>
  textOf({ text: /<p class="state-sentence">(.*?)<\/p>/s.exec(text)?.[1] ?? '' });

/** The number in a tile of figures. */
export const tileOf = (text: string, label: string): string | undefined =>
  new RegExp(`>${label}</dt>\\s*<dd[^>]*>\\s*([^<]*?)\\s*<`).exec(text)?.[1];

/** The names of the fields that a form says something wrong of. */
export const faultsOf = (text: string): readonly string[] =>
  [...text.matchAll(/class="fault" id="(\w+)-fault"/g)].map(([, field = '']) => field);
