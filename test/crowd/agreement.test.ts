import { expect, test } from 'vitest';
import { DrivenTeller } from './driven.ts';
import { crowdCases } from './oracle/cases.ts';
import { type CrowdSeen, recomputeCrowd } from './oracle/crowd.ts';
import { type Features, randomCrowd } from './oracle/histories.ts';
import type { CrowdHistory } from './oracle/written.ts';

/** So many take 4 to 20 seconds, by how busy the machine is. `HISTORIES=100 FIRST_HISTORY=2` compares more, from this seed on. */
const HISTORIES_BY_DEFAULT = 2;
const HISTORIES = Number(process.env.HISTORIES ?? HISTORIES_BY_DEFAULT);
const FIRST = Number(process.env.FIRST_HISTORY ?? 0);
const FEATURES: Features = { players: true, parties: true, tops: true };

test(
  'in random histories of many players, a Teller with the practice clock grants exactly what a recomputation from the specification grants',
  async () => {
    const differences: string[] = [];
    for (let seed = FIRST; seed < FIRST + HISTORIES; seed++) {
      const difference = await firstDifference(randomCrowd(seed, FEATURES));
      if (difference.length > 0) differences.push(`seed ${seed}`, ...difference);
    }
    expect(differences).toEqual([]);
  },
  60_000 * HISTORIES,
);

test.each(crowdCases.map((each) => [each.name, each] as const))(
  'as worked out by hand, with a running Teller: %s',
  async (_, { history, commands }) => {
    const sent: string[] = [];
    expect(await firstDifference(history, sent)).toEqual([]);
    if (commands) expect(sent.toSorted()).toEqual(commands);
  },
);

/** What the recomputation and Teller show differently, each after its sign, at the first event where they do. */
async function firstDifference(history: CrowdHistory, sent: string[] = []): Promise<string[]> {
  const teller = await DrivenTeller.start(history);
  const compare = async (expected: CrowdSeen): Promise<string[]> => {
    const seen = await teller.settle(expected);
    return (['votes', 'grants', 'commands'] as const).flatMap((kind) => [
      ...without(apart(expected[kind]), apart(seen[kind])).map((line) => `- ${line}`),
      ...without(apart(seen[kind]), apart(expected[kind])).map((line) => `+ ${line}`),
    ]);
  };
  try {
    for (const [index, { event, before, after }] of recomputeCrowd(history).entries()) {
      await teller.passTo(event.at);
      const early = await compare(before);
      if (early.length > 0) return [`before event ${index}`, ...early];
      await teller.apply(event);
      const late = await compare(after);
      if (late.length > 0) return [`after event ${index}`, ...late];
    }
    sent.push(...teller.sent());
    return [];
  } finally {
    await teller.stop();
  }
}

/**
 * A command for several grants as one for each: several that a player could be paid at the same moment while they are
 * online, as when a service is listed, may be combined or not.
 */
const apart = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => {
    const [, command, count] = /^(say \S+ \S+) (\d+)$/.exec(line) ?? [];
    return command === undefined ? [line] : Array.from({ length: Number(count) }, () => command);
  });

/** The lines of the one list that the other does not have, or not as often. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return lines.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
