import type { Choice } from '../../../core/choice.ts';
import { allChoices, prizeName } from '../../../rewards/choices.ts';
import type { Reward } from '../../../rewards/reward.ts';
import type { SimulatedGrant } from '../simulated-grant.ts';

/** How often one of a reward's choices was made. */
export interface ChoiceFigures {
  /** Such as `rare`, `won`, `otherwise` or `prize 10`. */
  readonly name: string;
  readonly times: number;
  /** Of all times that one of its kind was made, from 0 to 1. */
  readonly share: number;
  /** As configured, from 0 to 1; null if it does not depend on a draw. */
  readonly expected: number | null;
}

export interface RewardFigures {
  readonly reward: string;
  /** Once for each vote and occasion, on however many game servers. */
  readonly grants: number;
  /** Of all players, also those who were granted none. */
  readonly median: number;
  readonly most: number;
  /** Of the votes that were rewarded, from 0 to 1. */
  readonly share: number;
  readonly choices: readonly ChoiceFigures[];
}

interface Draws {
  won: number;
  lost: number;
  readonly chance: number;
}

const keyOf = (choice: Choice): string => JSON.stringify([choice.from, 'name' in choice ? choice.name : '']);

/** What is counted for one reward. */
export class Counts {
  constructor(readonly reward: Reward) {}

  readonly byPlayer = new Map<string, number>();
  private readonly choices = new Map<string, number>();
  draws: Draws | null = null;

  add(player: string, { choice }: SimulatedGrant): void {
    this.byPlayer.set(player, (this.byPlayer.get(player) ?? 0) + 1);
    if (choice === null) return;
    this.choices.set(keyOf(choice), this.timesOf(choice) + 1);
  }

  timesOf(choice: Choice): number {
    return this.choices.get(keyOf(choice)) ?? 0;
  }

  draw(chance: number, rolled: number): void {
    this.draws ??= { won: 0, lost: 0, chance };
    if (rolled < chance) this.draws.won++;
    else this.draws.lost++;
  }
}

/** @param of how many the share is of. */
export function rewardFigures(counts: Counts, players: number, of: number): RewardFigures {
  const each = [...counts.byPlayer.values()];
  const grants = each.reduce((sum, times) => sum + times, 0);
  const all = [...Array.from({ length: Math.max(0, players - each.length) }, () => 0), ...each].sort(
    (a, b) => a - b,
  );
  return {
    ...{ reward: counts.reward.name, grants },
    median: all[Math.floor((all.length - 1) / 2)] ?? 0,
    most: all.at(-1) ?? 0,
    share: of === 0 ? 0 : grants / of,
    choices: [...drawFigures(counts), ...choiceFigures(counts)],
  };
}

function drawFigures({ draws, reward: { otherwise } }: Counts): readonly ChoiceFigures[] {
  if (draws === null) return [];
  const { won, lost, chance } = draws;
  const of = (name: string, times: number, expected: number): ChoiceFigures => ({
    ...{ name, times, expected },
    share: times / (won + lost),
  });
  return [of('won', won, chance), of(otherwise.length === 0 ? 'lost' : 'otherwise', lost, 1 - chance)];
}

/** The entries of `oneOf` and of `prizes`, also those that nobody got. */
function choiceFigures(counts: Counts): readonly ChoiceFigures[] {
  const { oneOf, prizes } = counts.reward;
  const drawn = oneOf.length === 0 ? [] : allChoices(counts.reward, null, false).filter(isDrawnEntry);
  const named = [
    ...drawn.map((choice) => ({ choice, name: choice.name, expected: choice.share })),
    ...prizes.map((prize) => {
      const name = prizeName(prize);
      return { choice: { from: 'prizes', name } as const, name: `prize ${name}`, expected: null };
    }),
  ];
  const total = named.reduce((sum, { choice }) => sum + counts.timesOf(choice), 0);
  return named.map(({ choice, name, expected }) => {
    const times = counts.timesOf(choice);
    return { name, times, share: total === 0 ? 0 : times / total, expected };
  });
}

const isDrawnEntry = (choice: Choice | null): choice is Extract<Choice, { from: 'oneOf' }> =>
  choice?.from === 'oneOf';
