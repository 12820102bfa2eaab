import type { BrowserResponse } from './fake-browser.ts';

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

export const unescaped = (text: string): string =>
  text.replaceAll(/&(#?\w+);/g, (_, name: string) => ENTITIES[name] ?? '?');

/** The text of a page or of a part of it, without markup. */
export const textOf = ({ text }: Pick<BrowserResponse, 'text'>): string =>
  unescaped(text.replaceAll(/<[^>]*>/g, ''))
    .replaceAll(/\s+/g, ' ')
    .trim();

const attributesOf = (tag: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...tag.matchAll(/\s([\w-]+)(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => [
      name,
      unescaped(value),
    ]),
  );

/** A form, as it is filled in when its page is shown. */
export interface ShownForm {
  readonly method: string;
  readonly action: string;
  /** By name, with the values that would be sent unchanged. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** The options of radio buttons and checkboxes, by name. */
  readonly choices: Readonly<Record<string, readonly string[]>>;
  /** Whether something can be typed into it. */
  readonly isTyped: boolean;
}

export const formsIn = (html: string): readonly ShownForm[] =>
  [...html.matchAll(/<form( [^>]*)>([\s\S]*?)<\/form>/g)].map(([, tag = '', body = '']) => {
    const { method = 'get', action = '' } = attributesOf(tag);
    const isTyped = /<(?:textarea|input) ?class="input/.test(body);
    return { method, action, isTyped, ...controlsIn(body) };
  });

function controlsIn(form: string): Pick<ShownForm, 'fields' | 'choices'> {
  const fields: Record<string, string[]> = {};
  const choices: Record<string, string[]> = {};
  const add = (to: Record<string, string[]>, name: string, value: string): void => {
    to[name] = [...(to[name] ?? []), value];
  };
  for (const [, tag = ''] of form.matchAll(/<input( [^>]*)>/g)) {
    const { type = '', name = '', value = '', ...more } = attributesOf(tag);
    const isChoice = type === 'radio' || type === 'checkbox';
    if (isChoice) add(choices, name, value);
    if (!isChoice || 'checked' in more) add(fields, name, value);
  }
  for (const [, tag = '', value = ''] of form.matchAll(/<textarea( [^>]*)>\n?([^<]*)</g))
    add(fields, attributesOf(tag).name ?? '', unescaped(value));
  for (const [, tag = '', list = ''] of form.matchAll(/<select( [^>]*)>([\s\S]*?)<\/select>/g)) {
    const options = [...list.matchAll(/<option( [^>]*)>/g)].map(([, option = '']) => attributesOf(option));
    const chosen = options.find((option) => 'selected' in option) ?? options[0];
    add(fields, attributesOf(tag).name ?? '', chosen?.value ?? '');
  }
  return { fields, choices };
}

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

/** What is said below the header of every page; empty if nothing is. */
export const noticeOf = (text: string): string =>
  textOf({ text: /<aside class="site-notice".*?<\/aside>/s.exec(text)?.[0] ?? '' });

/** The lists of names and values of a page, from the top. */
export const factsOf = (text: string): readonly Readonly<Record<string, string>>[] =>
  [...text.matchAll(/<dl class="facts">(.*?)<\/dl>/gs)].map(([, list = '']) =>
    Object.fromEntries(
      [...list.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/gs)].map(([, name = '', value = '']) => [
        textOf({ text: name }),
        textOf({ text: value }),
      ]),
    ),
  );

/** Whether a check has ended, so that *Now* shows what it found. */
export const isChecked = (text: string): boolean => text.includes('found nothing wrong');

/** What a check found, as *Now* shows it. */
export interface ShownFinding {
  readonly mark: 'problem' | 'warning';
  readonly code: string;
  readonly sentence: string;
  readonly toDo: string;
  /** Where its button leads; null: it has none. */
  readonly button: string | null;
}

/** What is wrong and what is worth a look, without what was found to be fine. */
export function findingsOf(text: string): readonly ShownFinding[] {
  const urgent = [...text.matchAll(/<li class="problem (\w+)">(.*?)<\/li>/gs)].map(([, tone, item = '']) => {
    const [said = '', actions = ''] = item.split('<div class="actions">');
    const [sentence = '', advice = ''] = said.split('<div class="problem-advice">');
    const [toDo = '', code = ''] = advice.split('<span class="tag">').map((part) => textOf({ text: part }));
    const [, button = null] = /action="([^"]*)"/.exec(actions) ?? /href="([^"]*)"/.exec(actions) ?? [];
    const mark = tone === 'bad' ? ('problem' as const) : ('warning' as const);
    return { mark, code, sentence: textOf({ text: sentence }), toDo, button };
  });
  const others = rowsOf(text, 'Worth a look').map(
    ({ Code: code = '', What: sentence = '', 'What to do': toDo = '' }) =>
      ({ mark: 'warning', code, sentence, toDo, button: null }) as const,
  );
  return [...urgent, ...others];
}

const OPENING = /<(div|span) class="region[^>]*>/;

/** The markup of a page without the time, and without what its script refreshes: an open page keeps the rest. */
export function outsideRegions(html: string): string {
  let rest = html.replace(/ data-now="\d+"/, '');
  for (let found = OPENING.exec(rest); found !== null; found = OPENING.exec(rest)) {
    const tags = new RegExp(`<(/?)${found[1]}\\b[^>]*>`, 'g');
    tags.lastIndex = found.index + 1;
    for (let open = 1; open > 0; ) open += tags.exec(rest)![1] === '/' ? -1 : 1;
    rest = rest.slice(0, found.index) + rest.slice(tags.lastIndex);
  }
  return rest;
}
