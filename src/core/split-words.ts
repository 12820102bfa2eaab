const WORD = /(?:"[^"]*"|'[^']*'|[^ \t"'])+/g;

/**
 * The words of a typed line: spaces and tabs separate them, except between two " or two '. Nothing else has a meaning, not
 * even a backslash, because Windows paths have them. Null: a quote is not closed.
 */
export function splitWords(line: string): readonly string[] | null {
  if (line.replaceAll(WORD, '').trim() !== '') return null;
  return (line.match(WORD) ?? []).map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}
