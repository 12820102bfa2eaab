/** What is written where JSON should be, by what the parser stumbled over and what stands there. */
export function syntaxSentence(name: string, text: string, offset: number): string {
  const rest = text.slice(offset);
  const slip = SLIPS.find(({ at }) => at.test(rest));
  if (slip !== undefined && (slip.insideOf === undefined || slip.insideOf === name)) return slip.sentence;
  return SENTENCES[name] ?? 'expected a text in double quotes, a number, true, false, null, { or [';
}

const CURLY = 'this is a curly quote, as word processors write it; JSON takes straight ones: "';

interface Slip {
  /** What stands where the parser stumbled. */
  readonly at: RegExp;
  readonly sentence: string;
  /** Only with this error of the parser. */
  readonly insideOf?: string;
}

const SLIPS: readonly Slip[] = [
  { at: /^[“”„‟«»]/, sentence: CURLY },
  { at: /^"[^"\r\n]*[“”„‟][^"\r\n]*(?:[\r\n]|$)/, sentence: CURLY, insideOf: 'UnexpectedEndOfString' },
  { at: /^['‘’‚‛`]/, sentence: 'this is a single quote; JSON takes double quotes: "' },
  { at: /^#/, sentence: 'comments are not JSON; write them as a key that begins with "//"' },
];

const SENTENCES: Readonly<Record<string, string>> = {
  InvalidCommentToken: 'comments are not JSON; write them as a key that begins with "//"',
  PropertyNameExpected: 'expected a key in double quotes (is there a comma too many?)',
  ValueExpected: 'expected a value (is there a comma too many?)',
  ColonExpected: 'expected a colon between key and value',
  CommaExpected: 'expected a comma before this',
  CloseBraceExpected: 'an opening brace { is never closed',
  CloseBracketExpected: 'an opening bracket [ is never closed',
  EndOfFileExpected: 'the config has ended before this',
  UnexpectedEndOfString: 'a text in double quotes is not closed on its line',
  NestedTooDeeply: 'brackets are nested too deeply',
  InvalidEscapeCharacter: 'in a text, \\ must be written \\\\',
};

/** Formats that configs of plugins and proxies are in, by their first line that is no comment. */
const FORMATS: readonly { readonly format: string; readonly firstLine: RegExp }[] = [
  { format: 'YAML', firstLine: /^\s*(?:---|- |[\w."'-]+\s*:(?:\s|$))/ },
  { format: 'TOML', firstLine: /^\s*(?:\[\[?[\w."'-]+\]\]?\s*$|[\w."'-]+\s*=)/ },
];

/** The sentence for a text that is as a whole in another format; null where it begins as JSON does. */
export function otherFormat(text: string): string | null {
  const firstLine = text.split(/\r\n|\n|\r/).find((line) => !/^\s*(?:#.*)?$/.test(line)) ?? '';
  const found = FORMATS.find((format) => format.firstLine.test(firstLine));
  if (found === undefined) return null;
  return `this is ${found.format}; the config is JSON, which begins with { (\`teller config explain\` shows every key)`;
}
