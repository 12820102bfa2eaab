import { expect, test } from 'vitest';
import { OTHER_SERVICES } from '../../../src/core/service-name.ts';
import type { Ledger, TallyRow } from '../../../src/ledger/ledger.ts';
import { record, rulesFor } from '../../support/ledgers.ts';
import { arrival, at, DAY, type VoteFacts } from '../../support/votes.ts';
import type { LedgerFactory } from './engine.ts';

export const NOON = at('2026-06-01T12:00:00Z');

export const unlisted = (service: string, receivedAt: number, facts: VoteFacts = {}) =>
  arrival({
    service,
    site: 'default',
    channel: 'listener-v1',
    claim: null,
    receivedAt,
    castAt: receivedAt,
    ...facts,
  });

const invented = (count: number, receivedAt: number, from = 0) =>
  Array.from({ length: count }, (_, n) => unlisted(`Invented-${from + n}`, receivedAt + n));

const rowsOf = (ledger: Ledger): Promise<readonly TallyRow[]> => ledger.tallies(at('2026-06-02'));
const votesIn = (rows: readonly TallyRow[]): number =>
  rows.flatMap(({ decisions }) => Object.values(decisions)).reduce((sum, votes) => sum + votes, 0);

export function talliesContract(freshLedger: LedgerFactory): void {
  test('unlisted names beyond the newest thousand are counted together, without losing a vote', async () => {
    const { ledger } = await freshLedger();
    await record(ledger, [unlisted('Genuine', NOON), ...invented(1_500, NOON)], rulesFor());
    const rows = await rowsOf(ledger);
    expect(rows).toHaveLength(1_001);
    expect(rows.find(({ service }) => service === OTHER_SERVICES)?.decisions).toEqual({ unlisted: 501 });
    expect(votesIn(rows)).toBe(1_501);
  });

  test('a service that sends votes every day keeps its statistics during a flood of invented names', async () => {
    const { ledger } = await freshLedger();
    for (let day = 0; day < 3; day++) {
      const noon = NOON + day * DAY;
      await record(
        ledger,
        [unlisted('Genuine', noon), ...invented(1_200, noon + 1, day * 1_200)],
        rulesFor(),
      );
    }
    const rows = await rowsOf(ledger);
    expect(rows.find(({ service }) => service === 'Genuine')?.decisions).toEqual({ rewarded: 3 });
    expect(rows).toHaveLength(1_001);
    expect(votesIn(rows)).toBe(3 * 1_201);
  });

  test('a new service that is proven by a token gets its own statistics at once', async () => {
    const { ledger } = await freshLedger();
    const proven = unlisted('Proven', NOON + 5_000, { channel: 'listener-v2' });
    await record(ledger, [...invented(1_100, NOON), proven], rulesFor());
    expect((await rowsOf(ledger)).map(({ service }) => service)).toContain('Proven');
  });

  test('statistics for listed services are not capped', async () => {
    const { ledger } = await freshLedger();
    const listed = unlisted('My-List.com', NOON + 5_000, { site: 'My-List.com' });
    await record(ledger, [...invented(1_100, NOON), listed], rulesFor());
    expect(await rowsOf(ledger)).toContainEqual(
      expect.objectContaining({ service: 'My-List.com', today: 0 }),
    );
  });
}
