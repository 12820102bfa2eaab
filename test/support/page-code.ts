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

/** What stands between backticks in the running text and the tables. */
export const spansIn = (page: string): string[] =>
  [...page.replaceAll(BLOCK, '').matchAll(/`([^`]+)`/g)].map(([, span = '']) => span.replaceAll('\n', ' '));

/** The lines of shell blocks, without comments; a line that ends in a backslash goes on in the next. */
export const shellLinesIn = (page: string): string[] =>
  blocksIn(page)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.replaceAll(/\\\n\s*/g, '').split('\n'))
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');

/** As a shell would split it, with quotes taken off. */
export const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

/** The configs of JSON blocks, each as a whole text; a block may leave the outer braces out. */
export const configsIn = (page: string): string[] =>
  blocksIn(page)
    .filter(({ language }) => language === 'json')
    .map(({ text }) => (text.trimStart().startsWith('{') ? text : `{ ${text} }`));
