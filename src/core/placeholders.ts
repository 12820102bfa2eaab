/** What a vote itself says. A command that misspells one of these makes the config invalid. */
export const VOTE_PLACEHOLDERS = ['player', 'uuid', 'site', 'service', 'userId'] as const;

/** What follows from the player's earlier votes and the occasion. Fixed when the reward is granted. */
export const FIGURE_PLACEHOLDERS = [
  ...(['votes', 'votesDay', 'votesWeek', 'votesMonth', 'votesSite'] as const),
  ...(['streak', 'bestStreak', 'occasion', 'sitesLeft', 'partyVotes', 'partyLeft'] as const),
] as const;

export type VotePlaceholder = (typeof VOTE_PLACEHOLDERS)[number];
export type Figure = (typeof FIGURE_PLACEHOLDERS)[number];

/** Every placeholder that is one word. `{random 1..6}` contains its bounds. */
export const PLACEHOLDERS = [
  ...VOTE_PLACEHOLDERS,
  ...FIGURE_PLACEHOLDERS,
  ...(['nextVote', 'voteLinks'] as const),
] as const;

export type Placeholder = (typeof PLACEHOLDERS)[number];

/** A whole number is drawn from one to the other, both included. */
export interface RandomRange {
  readonly from: number;
  readonly to: number;
}

/** What is filled in where something is written. */
export type Filled =
  | { readonly kind: 'word'; readonly name: Placeholder }
  | { readonly kind: 'random'; readonly range: RandomRange };

const NAMES = PLACEHOLDERS.join('|');
const WRITTEN = new RegExp(`\\{(${NAMES})\\}|%(${NAMES})%|\\{random (-?\\d{1,9})\\.\\.(-?\\d{1,9})\\}`, 'g');

type Match = readonly [
  braced: Placeholder | undefined,
  percent: Placeholder | undefined,
  from: string,
  to: string,
];

/** @returns null if the text only looks like a placeholder. */
function filledOf([braced, percent, from, to]: Match): Filled | null {
  const name = braced ?? percent;
  if (name !== undefined) return { kind: 'word', name };
  const range = { from: Number(from), to: Number(to) };
  return range.from <= range.to ? { kind: 'random', range } : null;
}

/** The template with a value for each placeholder. */
export const withValues = (template: string, value: (filled: Filled, written: string) => string): string =>
  template.replaceAll(WRITTEN, (written: string, ...match: unknown[]) => {
    const filled = filledOf(match as unknown as Match);
    return filled === null ? written : value(filled, written);
  });

/** Everything that a template asks for. */
export const filledIn = (template: string): readonly Filled[] =>
  [...template.matchAll(WRITTEN)].flatMap(([, ...match]) => filledOf(match as unknown as Match) ?? []);

/** What the commands of a list may ask for: placeholders, and whether ranges are drawn. */
export type Words = readonly (Placeholder | 'random' | (string & {}))[];

/** The first thing that templates ask for and that is none of these words, as it is written; undefined if there is none. */
export const askedBeside = (templates: readonly string[], words: Words): string | undefined =>
  templates
    .flatMap(filledIn)
    .filter((filled) => !words.includes(filled.kind === 'word' ? filled.name : 'random'))
    .map(writtenAs)[0];

const writtenAs = (filled: Filled): string =>
  filled.kind === 'word' ? `{${filled.name}}` : `{random ${filled.range.from}..${filled.range.to}}`;

/** Whether a template asks for this value. */
export const needs = (template: string, wanted: Placeholder): boolean =>
  filledIn(template).some((filled) => filled.kind === 'word' && filled.name === wanted);
