import { readJson } from '../../src/config/read-source.ts';
import { readYaml } from '../../src/config/yaml-source.ts';

/** A fenced block of code on a page. */
export interface Block {
  readonly language: string;
  readonly text: string;
}

const BLOCK = /^( *)```([^\n]*)\n([\s\S]*?)^\1```$/gm;

export const blocksIn = (page: string): Block[] =>
  [...page.matchAll(BLOCK)].map(([, indent = '', language = '', text = '']) => ({
    language,
    text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));

/** Inline code in text and tables. */
export const spansIn = (page: string): string[] =>
  [...page.replaceAll(BLOCK, '').matchAll(/`([^`]+)`/g)].map(([, span = '']) => span.replaceAll('\n', ' '));

/** The lines of shell blocks, without comments; a backslash at the end joins a line with the next. */
export const shellLinesIn = (page: string): string[] =>
  blocksIn(page)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.replaceAll(/\\\n\s*/g, '').split('\n'))
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');

/** The text under each heading of the second level. */
export const sectionsIn = (page: string): ReadonlyMap<string, string> =>
  new Map(
    page
      .split(/^## /m)
      .slice(1)
      .map((section) => {
        const end = section.indexOf('\n');
        return [section.slice(0, end), section.slice(end)] as const;
      }),
  );

/** Splits a line as a shell does, without the quotes. */
export const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

/** The configs in JSON and YAML blocks; undefined if one cannot be parsed. A JSON block may leave out the outer braces. */
export const configsIn = (page: string): { readonly text: string; readonly value: unknown }[] =>
  blocksIn(page).flatMap(({ language, text }) => {
    if (language === 'yaml') return [{ text, value: readYaml(text).value }];
    if (language !== 'json') return [];
    const isWhole = /^(?:\s*\/\/.*)*\s*[{[]/.test(text);
    return [{ text, value: readJson(isWhole ? text : `{${text}\n}`).value }];
  });
