import { nearestWord } from './nearest-word.ts';
import { VOTE_PLACEHOLDERS, type VotePlaceholder } from './placeholders.ts';
import { COMMAND_BYTES_MAX, longestBytes } from './template-bytes.ts';

/** A mistake in a template that makes the config invalid. */
export type TemplateFault =
  | { readonly kind: 'empty' }
  | { readonly kind: 'line-break' }
  | { readonly kind: 'near-miss'; readonly written: string; readonly meant: VotePlaceholder }
  /** An earlier Teller filled it in; `instead` says what to do. */
  | { readonly kind: 'removed'; readonly written: string; readonly instead: string }
  | { readonly kind: 'too-long'; readonly bytes: number };

export function templateFaults(template: string): readonly TemplateFault[] {
  if (template === '') return [{ kind: 'empty' }];
  const faults: TemplateFault[] = wrongWords(template);
  if (/[\p{Cc}\u2028\u2029]/u.test(template)) faults.push({ kind: 'line-break' });
  const bytes = longestBytes(template);
  if (bytes > COMMAND_BYTES_MAX) faults.push({ kind: 'too-long', bytes });
  return faults;
}

/** The names that other plugins use for our placeholders. */
const CUSTOMARY: ReadonlyMap<string, VotePlaceholder> = new Map([
  ...['name', 'user', 'username', 'nick', 'nickname', 'playername', 'displayname', 'voter', 'p'].map(
    (word) => [word, 'player'] as const,
  ),
  ...['sitename', 'website', 'list', 'listing', 'votesite'].map((word) => [word, 'site'] as const),
  ...['servicename', 'servicesite'].map((word) => [word, 'service'] as const),
  ...['playeruuid', 'uniqueid'].map((word) => [word, 'uuid'] as const),
  ...['uid', 'userid'].map((word) => [word, 'userId'] as const),
]);

// The closing mark is a lookahead, because in `%a%player%` the middle mark closes one word and opens the next.
const WORD_IN_MARKS = /([{%])([\w-]+)(?=([}%]))/g;

/** What earlier Tellers filled in: now it would be sent as text. */
const REMOVED: ReadonlyMap<string, string> = new Map([
  ['count', 'grants are paid one by one, so write what each of them is worth'],
  ['voters', 'an announcement is about one vote, so write {player}'],
]);

/** Words in braces or percent signs that are nearly a placeholder of a vote, or were one. Any other such word belongs to the command. */
function wrongWords(template: string): TemplateFault[] {
  return [...template.matchAll(WORD_IN_MARKS)].flatMap(
    ([start, opening, word = '', closing = '']): TemplateFault[] => {
      const instead = REMOVED.get(word);
      if (instead !== undefined && (opening === '{') === (closing === '}'))
        return [{ kind: 'removed', written: start + closing, instead }];
      const meant = placeholderMeant(word);
      const isExact = meant === word && (opening === '{') === (closing === '}');
      if (meant === null || isExact) return [];
      return [{ kind: 'near-miss', written: start + closing, meant }];
    },
  );
}

function placeholderMeant(word: string): VotePlaceholder | null {
  const exact = VOTE_PLACEHOLDERS.find((known) => known === word);
  const customary = CUSTOMARY.get(word.toLowerCase().replaceAll(/[-_]/g, ''));
  return exact ?? customary ?? nearestWord(word, VOTE_PLACEHOLDERS);
}
