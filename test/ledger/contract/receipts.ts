import { expect, test } from 'vitest';
import { record, rulesFor } from '../../support/ledgers.ts';
import { arrival, at } from '../../support/votes.ts';
import type { LedgerFactory } from './engine.ts';

const NOON = at('2026-06-01T12:00:00Z');
const HOUR = 60 * 60_000;

const vote = (service: string, receivedAt: number, channel: 'listener-v1' | 'operator' = 'listener-v1') =>
  arrival({ service, site: service, player: `P${receivedAt}`, receivedAt, claim: null, channel });

export function receiptsContract(freshLedger: LedgerFactory): void {
  test('say when the votes of some services came, since an hour', async () => {
    const { ledger } = await freshLedger();
    const votes = [
      vote('One', NOON - HOUR),
      vote('One', NOON),
      vote('Two', NOON + 1),
      vote('Three', NOON + 2),
      vote('One', NOON + 3),
      vote('One', NOON + 4, 'operator'),
    ];
    await record(ledger, votes, rulesFor());
    const services = ['One', 'Two', 'None'];
    expect(await ledger.receipts({ services, after: null, since: NOON + HOUR / 2 })).toEqual({
      ...{ byService: { One: [NOON, NOON + 3], Two: [NOON + 1] } },
      ...{ upTo: 6, isLast: true },
    });
    expect(await ledger.receipts({ services, after: 4, since: 0 })).toEqual({
      ...{ byService: { One: [NOON + 3] } },
      ...{ upTo: 6, isLast: true },
    });
    expect(await ledger.receipts({ services, after: 6, since: 0 })).toEqual({
      ...{ byService: {}, upTo: 6, isLast: true },
    });
  });

  test('of a ledger without votes since then, and of one without votes, are none', async () => {
    const { ledger } = await freshLedger();
    const none = { byService: {}, isLast: true };
    const page = { services: ['One'], after: null, since: NOON + 2 * HOUR };
    expect(await ledger.receipts(page)).toEqual({ ...none, upTo: 0 });
    await record(ledger, [vote('One', NOON)], rulesFor());
    expect(await ledger.receipts(page)).toEqual({ ...none, upTo: 1 });
  });

  test('of 5,000 votes are read in three pages', async () => {
    const { ledger } = await freshLedger();
    const votes = Array.from({ length: 5_000 }, (_, n) => vote('One', NOON + n));
    await record(ledger, votes, rulesFor());
    const read: number[] = [];
    let after: number | null = null;
    for (let pages = 0; pages < 3; pages++) {
      const page = await ledger.receipts({ services: ['One'], after, since: NOON });
      expect(page.isLast).toBe(pages === 2);
      after = page.upTo;
      read.push(...(page.byService.One ?? []));
    }
    expect(read).toEqual(votes.map(({ vote: { receivedAt } }) => receivedAt));
  });
}
