/** What a player has to be or have on the game server that pays a grant. */
export type PlayerCondition =
  | { readonly kind: 'tag'; readonly tag: string }
  | { readonly kind: 'team'; readonly team: string }
  /** `range` as the game writes it: `5..`, `..10`, `3`, `1..5`. */
  | { readonly kind: 'score'; readonly objective: string; readonly range: string }
  | { readonly kind: 'dimension'; readonly dimension: string };

/** As the operator reads it: `tag vip`, `score votes 5..`. */
export function conditionText(condition: PlayerCondition): string {
  switch (condition.kind) {
    case 'tag':
      return `tag ${condition.tag}`;
    case 'team':
      return `team ${condition.team}`;
    case 'score':
      return `score ${condition.objective} ${condition.range}`;
    case 'dimension':
      return `dimension ${condition.dimension}`;
  }
}

/** What the operator may write as the name of a tag, a team or an objective: one word of a command without quotes. */
export const GAME_WORD = /^[0-9A-Za-z_.+-]{1,64}$/;

export const DIMENSION = /^(?:[a-z0-9_.-]{1,64}:)?[a-z0-9_./-]{1,128}$/;

const BOUND = /^-?\d{1,10}$/;
const [LEAST, MOST] = [-(2 ** 31), 2 ** 31 - 1];

/** Whether a text is a range of whole numbers as the game reads them. */
export function isRange(text: string): boolean {
  const bounds = text.split('..');
  const written = bounds.filter((bound) => bound !== '');
  if (bounds.length > 2 || written.length === 0 || !written.every((bound) => BOUND.test(bound))) return false;
  const numbers = written.map(Number);
  const isOrdered = numbers.every((value, at) => value >= (numbers[at - 1] ?? LEAST));
  return isOrdered && numbers.every((value) => value >= LEAST && value <= MOST);
}
