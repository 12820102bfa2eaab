import type { Choice } from '../core/choice.ts';

/** Commands that are run for the thresholds from one to another, both included. */
export interface Prize {
  readonly from: number;
  readonly to: number;
  readonly commands: readonly string[];
}

/** Commands that are drawn. How likely they are is their weight's share of all weights. */
export interface Alternative {
  readonly name: string;
  readonly weight: number;
  readonly commands: readonly string[];
}

/** The parts of a reward that say what is run. */
export interface RewardCommands {
  /** One-line templates, in order (see `core/template.ts`). May be empty if there are prizes or alternatives. */
  readonly commands: readonly string[];
  /** Disjoint, for the total or streak that was reached; without a match, `commands` are run. */
  readonly prizes: readonly Prize[];
  /** One of them is drawn, and run after `commands`. */
  readonly oneOf: readonly Alternative[];
  /** Run where a chance is lost; empty: nothing is. */
  readonly otherwise: readonly string[];
  /** Run after all of these, but not after `otherwise`: what players see and hear. */
  readonly messages: readonly string[];
}

/** Every command that a reward may run. */
export const templatesOf = (reward: RewardCommands): readonly string[] => [
  ...reward.commands,
  ...[...reward.prizes, ...reward.oneOf].flatMap((each) => each.commands),
  ...reward.otherwise,
  ...reward.messages,
];

export const prizeName = ({ from, to }: Omit<Prize, 'commands'>): string =>
  from === to ? String(from) : `${from}..${to}`;

/** What is run for a choice, in order; null if the reward no longer has it. */
export function commandsFor(reward: RewardCommands, choice: Choice | null): readonly string[] | null {
  switch (choice?.from) {
    case undefined:
      return withMessages(reward, reward.commands);
    case 'otherwise':
      return reward.otherwise.length === 0 ? null : reward.otherwise;
    case 'prizes':
      return withMessages(reward, reward.prizes.find((prize) => prizeName(prize) === choice.name)?.commands);
    case 'oneOf': {
      const drawn = reward.oneOf.find(({ name }) => name === choice.name);
      return withMessages(reward, drawn && [...reward.commands, ...drawn.commands]);
    }
  }
}

/** null without commands. The same list where there are no messages, because what it asks for is remembered by list. */
function withMessages(
  { messages }: RewardCommands,
  commands: readonly string[] | undefined,
): readonly string[] | null {
  if (commands === undefined) return null;
  return messages.length === 0 ? commands : [...commands, ...messages];
}

/** How likely it is to be drawn, from 0 to 1. */
export const shareOf = (reward: Pick<RewardCommands, 'oneOf'>, { weight }: Alternative): number =>
  weight / reward.oneOf.reduce((sum, each) => sum + each.weight, 0);

const drawnChoice = (reward: RewardCommands, drawn: Alternative): Choice => ({
  from: 'oneOf',
  name: drawn.name,
  share: shareOf(reward, drawn),
});

/**
 * What is run for a threshold, by one draw.
 *
 * @param threshold the total or streak that was reached; null if there is none.
 * @param drawn from 0 (included) to 1 (excluded).
 * @returns undefined if nothing is; null if only `commands` are.
 */
export function chosen(
  reward: RewardCommands,
  threshold: number | null,
  drawn: () => number,
): Choice | null | undefined {
  if (reward.oneOf.length > 0) return drawnChoice(reward, alternativeAt(reward, drawn()));
  const prize =
    threshold === null
      ? undefined
      : reward.prizes.find(({ from, to }) => threshold >= from && threshold <= to);
  if (prize !== undefined) return { from: 'prizes', name: prizeName(prize) };
  const isMessage = reward.prizes.length === 0 && reward.messages.length > 0;
  return reward.commands.length > 0 || isMessage ? null : undefined;
}

function alternativeAt({ oneOf }: RewardCommands, drawn: number): Alternative {
  const at = drawn * oneOf.reduce((sum, { weight }) => sum + weight, 0);
  let below = 0;
  const found = oneOf.find(({ weight }) => {
    below += weight;
    return at < below;
  });
  // The last one, should rounding make the product reach the sum.
  return found ?? (oneOf.at(-1) as Alternative);
}

/** Everything that may be run for a threshold, whatever is drawn. */
export function allChoices(
  reward: RewardCommands,
  threshold: number | null,
  mayLose: boolean,
): readonly (Choice | null)[] {
  const won =
    reward.oneOf.length > 0
      ? reward.oneOf.map((each) => drawnChoice(reward, each))
      : [chosen(reward, threshold, () => 0)].filter((choice) => choice !== undefined);
  const lost: Choice = { from: 'otherwise' };
  return mayLose && reward.otherwise.length > 0 ? [...won, lost] : won;
}
