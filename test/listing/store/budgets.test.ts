import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type BudgetName, STORED_AFTER_MS } from '../../../src/listing/store/budgets.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { keptLog } from '../../support/log.ts';
import { type ListingService, listingService, MINUTE, SECOND } from '../listing-service.ts';

/** Charges the budget of a new listing. */
async function charging(service: ListingService, budget: BudgetName) {
  const { id: listingId } = await service.listing();
  return (cost: number) => service.store.budgets.charge({ listingId, budget, cost });
}

/** Resolves when the changes that were asked for earlier are on disk. */
const stored = ({ store }: ListingService): Promise<void> => store.changes.saveBudgets([]);

/** A second listing service over the same file, like a restarted process. */
const restarted = ({ clock }: ListingService, file: string) => listingService({ file, clock });

test('NS-16: the whole budget is available again 60 s after the first charge', async () => {
  const service = listingService();
  const charge = await charging(service, 'vote-reads');
  expect(charge(10)).toEqual({ kind: 'charged', left: 20, resetMs: MINUTE });
  service.clock.advance(59 * SECOND);
  expect(charge(20)).toEqual({ kind: 'charged', left: 0, resetMs: SECOND });
  expect(charge(1)).toEqual({ kind: 'over', left: 0, resetMs: SECOND });
  service.clock.advance(SECOND);
  expect(charge(30)).toEqual({ kind: 'charged', left: 0, resetMs: MINUTE });
});

test('NS-13: a request over the budget is not charged', async () => {
  const charge = await charging(listingService(), 'vote-checks');
  charge(100);
  expect(charge(50)).toMatchObject({ kind: 'over', left: 20 });
  expect(charge(20)).toMatchObject({ kind: 'charged', left: 0 });
});

describe('NS-13: a charge is rolled back', () => {
  const failing = (): never => {
    throw new Error('the work failed');
  };

  test('if a read failed', async () => {
    const service = listingService();
    const cost = { listingId: (await service.listing()).id, budget: 'bot-stats', cost: 1 } as const;
    await expect(service.store.budgets.charged(cost, failing)).rejects.toThrow('the work failed');
    expect(service.store.budgets.charge(cost)).toMatchObject({ kind: 'charged' });
  });

  test('if a change could not be stored', async () => {
    const service = listingService();
    const { budgets, changes } = service.store;
    const listingId = (await service.listing('bot')).id;
    const cost = { listingId, budget: 'bot-stats', cost: 1 } as const;
    const snapshot = { serverCount: 1, shardCount: null, updatedAt: 0 };
    service.database.pragma('query_only = ON');
    const written = budgets.charged(cost, () => changes.saveBotStats(listingId, snapshot));
    await expect(written).rejects.toThrow('readonly');
    service.database.pragma('query_only = OFF');
    expect(budgets.charge(cost)).toMatchObject({ kind: 'charged' });
  });
});

test('NS-16: a restart does not reset a window', async () => {
  const file = join(temporaryFolder(), 'listing.db');
  const service = listingService({ file });
  const cost = { listingId: (await service.listing()).id, budget: 'bot-stats', cost: 1 } as const;
  service.store.budgets.charge(cost);
  await service.store.budgets.close();
  expect(restarted(service, file).store.budgets.charge(cost)).toMatchObject({ kind: 'over' });
});

test('NS-16: closing waits until pending charges are on disk', async () => {
  const file = join(temporaryFolder(), 'listing.db');
  const { log, codes } = keptLog();
  const service = listingService({ file, log });
  const cost = { listingId: (await service.listing()).id, budget: 'bot-stats', cost: 1 } as const;
  service.store.budgets.charge(cost);
  service.clock.advance(STORED_AFTER_MS);
  await service.store.budgets.close();
  service.database.close();
  expect(codes).toEqual([]);
  expect(restarted(service, file).store.budgets.charge(cost)).toMatchObject({ kind: 'over' });
});

test('a charge after closing starts nothing that would keep the process alive', async () => {
  const { log, codes } = keptLog();
  const service = listingService({ log });
  const cost = { listingId: (await service.listing()).id, budget: 'webhook-tests', cost: 1 } as const;
  service.store.budgets.charge(cost);
  service.clock.advance(STORED_AFTER_MS);
  await service.store.budgets.close();
  service.database.close();
  await expect(
    service.store.budgets.charged(cost, () => service.store.listings.find('any')),
  ).rejects.toThrow();
  service.clock.advance(STORED_AFTER_MS);
  await new Promise((resolve) => setImmediate(resolve));
  expect(codes).toEqual([]);
});

describe('a process that is killed', () => {
  test('NS-16: loses at most the charges of the last second', async () => {
    const file = join(temporaryFolder(), 'listing.db');
    const service = listingService({ file });
    const cost = { listingId: (await service.listing()).id, budget: 'vote-reads', cost: 1 } as const;
    for (let charged = 0; charged < 5; charged++) service.store.budgets.charge(cost);
    service.clock.advance(STORED_AFTER_MS);
    await stored(service);
    for (let charged = 0; charged < 7; charged++) service.store.budgets.charge(cost);
    expect(restarted(service, file).store.budgets.charge(cost)).toMatchObject({ left: 24 });
  });

  test('NS-13: leaves no charge for work that was not done', async () => {
    const file = join(temporaryFolder(), 'listing.db');
    const service = listingService({ file });
    const cost = { listingId: (await service.listing()).id, budget: 'bot-stats', cost: 1 } as const;
    service.store.budgets.charge({ ...cost, budget: 'vote-reads' });
    void service.store.budgets.charged(cost, () => new Promise(() => {}));
    void service.store.budgets.charged({ ...cost, budget: 'vote-reads' }, () => new Promise(() => {}));
    service.clock.advance(STORED_AFTER_MS);
    await stored(service);
    const { budgets } = restarted(service, file).store;
    expect(budgets.charge(cost)).toMatchObject({ kind: 'charged' });
    expect(budgets.charge({ ...cost, budget: 'vote-reads' })).toMatchObject({ left: 28 });
  });
});

test('charges that cannot be stored are kept and stored once the database is writable again', async () => {
  const file = join(temporaryFolder(), 'listing.db');
  const { log, codes } = keptLog();
  const service = listingService({ file, log });
  const cost = { listingId: (await service.listing()).id, budget: 'bot-stats', cost: 1 } as const;
  service.database.pragma('query_only = ON');
  service.store.budgets.charge(cost);
  service.clock.advance(STORED_AFTER_MS);
  await expect(stored(service)).rejects.toThrow('readonly');
  expect(codes).toEqual(['budgets-unstored']);
  service.database.pragma('query_only = OFF');
  service.clock.advance(STORED_AFTER_MS);
  await stored(service);
  expect(restarted(service, file).store.budgets.charge(cost)).toMatchObject({ kind: 'over' });
});

test('the charges of one second are stored together', async () => {
  const service = listingService();
  const charge = await charging(service, 'vote-reads');
  const used = () => service.database.prepare('SELECT used FROM budgets').pluck().all();
  for (let read = 0; read < 30; read++) charge(1);
  expect(used()).toEqual([]);
  service.clock.advance(STORED_AFTER_MS);
  await stored(service);
  expect(used()).toEqual([30]);
});

test('setting the clock back does not lock a listing out', async () => {
  const service = listingService();
  const charge = await charging(service, 'bot-stats');
  charge(1);
  service.clock.jump(-60 * MINUTE);
  expect(charge(1)).toMatchObject({ kind: 'charged' });
});

test('LM-12: 100 simultaneous changes do not exceed their budget', async () => {
  const service = listingService();
  const cost = { listingId: (await service.listing()).id, budget: 'vote-reads', cost: 1 } as const;
  const charges = Array.from({ length: 100 }, () =>
    service.store.budgets.charged(cost, () => stored(service)),
  );
  const kinds = (await Promise.all(charges)).map(({ charge }) => charge.kind);
  expect(kinds.filter((kind) => kind === 'charged')).toHaveLength(30);
});
