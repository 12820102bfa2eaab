import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lookInto } from '../support/config-folder.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runDying } from '../support/processes.ts';

const DELIVERER = join(import.meta.dirname, '../support/dying-deliverer.ts');

type When = 'before' | 'after' | 'never';

/** @returns how many changes it made; null if it was killed. */
function deliverIn(folder: string, when: When, at = 0): number | null {
  const printed = runDying(DELIVERER, [folder, when, at]);
  return printed === null ? null : Number(printed);
}

/** By reward: the states of its grants, each once, and what the game server received for it. */
async function paidIn(folder: string) {
  const ledger = lookInto(join(folder, 'teller.db'));
  const grants = await ledger.grants({ limit: 99 });
  const file = join(folder, 'received');
  const received = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  const of = (reward: string, ...commands: string[]) => ({
    grants: grants.filter((grant) => grant.reward === reward).length,
    states: [...new Set(grants.filter((grant) => grant.reward === reward).map(({ state }) => state))],
    received: received.filter((command) => commands.includes(command)),
  });
  return {
    late: of('late', 'say late', 'say late is paid'),
    gone: of('gone', 'say gone', 'say gone is paid'),
    pauses: await ledger.pauses(),
  };
}

const EXPECTED = {
  late: ['say late', 'say late is paid'],
} as const;

/** Commits of the ledger, and commands that the game server received. */
const CHANGES = 11;

describe('what is owed on terms, after kill -9 and a new start', () => {
  test('is paid once if nothing is killed, and nothing that expired', async () => {
    const folder = temporaryFolder();
    expect(deliverIn(folder, 'never')).toBe(CHANGES);
    expect(await paidIn(folder)).toEqual({
      late: { grants: 1, states: ['delivered'], received: EXPECTED.late },
      gone: { grants: 1, states: ['cancelled'], received: [] },
      pauses: [],
    });
  });

  const cases = Array.from({ length: CHANGES }, (_, index) => index + 1).flatMap((at) =>
    (['before', 'after'] as const).map((when) => [when, at] as const),
  );

  test.each(cases)('is paid once, or held, if it came %s change %i', async (when, at) => {
    const folder = temporaryFolder();
    expect(deliverIn(folder, when, at)).toBeNull();
    expect(deliverIn(folder, 'never')).not.toBeNull();
    const { gone, pauses, ...paid } = await paidIn(folder);
    expect({ gone, pauses }).toEqual({
      gone: { grants: 1, states: ['cancelled'], received: [] },
      pauses: [],
    });
    for (const [reward, { grants, states, received }] of Object.entries(paid)) {
      expect(grants).toBe(1);
      // No command twice.
      expect([['delivered'], ['held']]).toContainEqual(states);
      expect(received).toEqual([...new Set(received)]);
      if (states[0] === 'delivered') expect(received).toEqual(EXPECTED[reward as keyof typeof EXPECTED]);
    }
    // At most the command that was being sent is unknown.
    expect(Object.values(paid).filter(({ states }) => states[0] === 'held').length).toBeLessThan(2);
  });
});
