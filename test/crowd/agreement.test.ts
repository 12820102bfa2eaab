import { expect, test } from 'vitest';
import { DrivenTeller } from './driven.ts';
import { type CrowdSeen, recomputeCrowd } from './oracle/crowd.ts';
import { type Features, randomCrowd } from './oracle/histories.ts';

/** So many take about 5 seconds on a quiet machine. */
const HISTORIES_BY_DEFAULT = 3;
const HISTORIES = Number(process.env.HISTORIES ?? HISTORIES_BY_DEFAULT);
/** The seed of the first one. */
const FIRST = Number(process.env.FIRST_HISTORY ?? 0);
const FEATURES: Features = { players: true, parties: true, tops: true };

test(
  'in random histories of many players, a Teller with the practice clock grants exactly what a recomputation from the specification grants',
  async () => {
    const differences: string[] = [];
    for (let seed = FIRST; seed < FIRST + HISTORIES; seed++)
      differences.push(...(await firstDifference(seed)));
    expect(differences).toEqual([]);
  },
  10_000 * HISTORIES,
);

/** What the recomputation and Teller show differently, each after its sign, at the first event where they do. */
async function firstDifference(seed: number): Promise<string[]> {
  const history = randomCrowd(seed, FEATURES);
  const teller = await DrivenTeller.start(history);
  const compare = async (expected: CrowdSeen): Promise<string[]> => {
    const seen = await teller.settle(expected);
    return (['votes', 'grants', 'commands'] as const).flatMap((kind) => [
      ...without(expected[kind], seen[kind]).map((line) => `- ${line}`),
      ...without(seen[kind], expected[kind]).map((line) => `+ ${line}`),
    ]);
  };
  try {
    for (const [index, { event, before, after }] of recomputeCrowd(history).entries()) {
      await teller.passTo(event.at);
      const early = await compare(before);
      if (early.length > 0) return [`seed ${seed}, before event ${index}`, ...early];
      await teller.apply(event);
      const late = await compare(after);
      if (late.length > 0) return [`seed ${seed}, after event ${index}`, ...late];
    }
    return [];
  } finally {
    await teller.stop();
  }
}

/** The lines of the one list that the other does not have, or not as often. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return lines.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
