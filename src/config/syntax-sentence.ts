/** The sentence for a syntax error, by the parser's error name and the text at its position. */
export function syntaxSentence(name: string, text: string, offset: number): string {
  const rest = text.slice(offset);
  const mistake = COMMON_MISTAKES.find(({ at }) => at.test(rest));
  if (mistake !== undefined && (mistake.onlyFor === undefined || mistake.onlyFor === name))
    return mistake.sentence;
  return SENTENCES[name] ?? 'expected a string in double quotes, a number, true, false, null, { or [';
}

const CURLY = 'this is a curly quote, as word processors write it; JSON needs straight ones: "';

interface CommonMistake {
  /** Matches the text at the position of the error. */
  readonly at: RegExp;
  readonly sentence: string;
  /** Applies only to this error of the parser. */
  readonly onlyFor?: string;
}

const COMMON_MISTAKES: readonly CommonMistake[] = [
  { at: /^[“”„‟«»]/, sentence: CURLY },
  { at: /^"[^"\r\n]*[“”„‟][^"\r\n]*(?:[\r\n]|$)/, sentence: CURLY, onlyFor: 'UnexpectedEndOfString' },
  { at: /^['‘’‚‛`]/, sentence: 'this is a single quote; JSON needs double quotes: "' },
  { at: /^#/, sentence: 'a comment begins with // here, not with #' },
];

const SENTENCES: Readonly<Record<string, string>> = {
  UnexpectedEndOfComment: 'a comment that begins with /* is never closed; end it with */',
  PropertyNameExpected: 'expected a key in double quotes (is there an extra comma?)',
  ValueExpected: 'expected a value (is there an extra comma?)',
  ColonExpected: 'expected a colon between key and value',
  CommaExpected: 'expected a comma before this',
  CloseBraceExpected: 'an opening brace { is never closed',
  CloseBracketExpected: 'an opening bracket [ is never closed',
  EndOfFileExpected: 'unexpected text after the end of the config',
  UnexpectedEndOfString: 'a string in double quotes is not closed on its line',
  NestedTooDeeply: 'brackets are nested too deeply',
  InvalidEscapeCharacter: 'in a string, \\ must be written as \\\\',
};

/** Formats that plugins and proxies use for their configs, recognized by the first line that is not a comment. */
const FORMATS: readonly { readonly format: string; readonly firstLine: RegExp }[] = [
  { format: 'YAML', firstLine: /^\s*(?:---|- |[\w."'-]+\s*:(?:\s|$))/ },
  { format: 'TOML', firstLine: /^\s*(?:\[\[?[\w."'-]+\]\]?\s*$|[\w."'-]+\s*=)/ },
];

/** The sentence for a file in another format; null if it begins like JSON. */
export function otherFormat(text: string): string | null {
  const firstLine = text.split(/\r\n|\n|\r/).find((line) => !/^\s*(?:(?:#|\/\/).*)?$/.test(line)) ?? '';
  const found = FORMATS.find((format) => format.firstLine.test(firstLine));
  if (found === undefined) return null;
  const where =
    found.format === 'YAML'
      ? 'which needs a file name that ends in .yml; this file is read as'
      : 'but the config is';
  return `this is ${found.format}, ${where} JSON, which begins with { (\`teller config explain\` lists every key)`;
}
