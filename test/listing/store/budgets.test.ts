import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openListingStore } from '../../../src/listing/store/listing-store.ts';
import { systemDice } from '../../../src/runtime/dice.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { listingService, MINUTE, SECOND } from '../listing-service.ts';

test('NS-16: a window is opened by the first charge, lasts 60 s and then all of the budget is back', async () => {
  const service = listingService();
  const { store, clock } = service;
  const { id } = await service.listing();
  const charge = (cost: number) => store.budgets.charge(id, 'vote-reads', cost, clock.now());
  expect(charge(10)).toEqual({ kind: 'charged', left: 20, resetMs: MINUTE });
  clock.advance(59 * SECOND);
  expect(charge(20)).toEqual({ kind: 'charged', left: 0, resetMs: SECOND });
  expect(charge(1)).toEqual({ kind: 'over', left: 0, resetMs: SECOND });
  clock.advance(SECOND);
  expect(charge(30)).toEqual({ kind: 'charged', left: 0, resetMs: MINUTE });
});

test('NS-13: what is over the budget charges nothing', async () => {
  const service = listingService();
  const { store, clock } = service;
  const { id } = await service.listing();
  const charge = (cost: number) => store.budgets.charge(id, 'vote-checks', cost, clock.now());
  charge(100);
  expect(charge(50)).toMatchObject({ kind: 'over', left: 20 });
  expect(charge(20)).toMatchObject({ kind: 'charged', left: 0 });
});

test('NS-13: a charge is undone with the work that failed in its transaction', async () => {
  const service = listingService();
  const { store, clock } = service;
  const { id } = await service.listing();
  const failing = store.write(() => {
    store.budgets.charge(id, 'bot-stats', 1, clock.now());
    throw new Error('the work failed');
  });
  await expect(failing).rejects.toThrow('the work failed');
  expect(store.budgets.charge(id, 'bot-stats', 1, clock.now())).toMatchObject({ kind: 'charged' });
});

test('NS-16: a restart does not reset a window', async () => {
  const file = join(temporaryFolder(), 'listing.db');
  const service = listingService({ file });
  const { id } = await service.listing();
  service.store.budgets.charge(id, 'bot-stats', 1, service.clock.now());
  const restarted = openListingStore(file, service.clock, systemDice);
  expect(restarted.budgets.charge(id, 'bot-stats', 1, service.clock.now())).toMatchObject({ kind: 'over' });
  restarted.close();
});

test('a clock that was set back locks nobody out', async () => {
  const service = listingService();
  const { store, clock } = service;
  const { id } = await service.listing();
  store.budgets.charge(id, 'bot-stats', 1, clock.now());
  clock.jump(-60 * MINUTE);
  expect(store.budgets.charge(id, 'bot-stats', 1, clock.now())).toMatchObject({ kind: 'charged' });
});

test('LM-12: two connections that charge one budget by turns do not exceed it', async () => {
  const file = join(temporaryFolder(), 'listing.db');
  const service = listingService({ file });
  const { id } = await service.listing();
  const other = openListingStore(file, service.clock, systemDice);
  const charges = Array.from({ length: 100 }, (_, index) => {
    const { write, budgets } = index % 2 === 0 ? service.store : other;
    return write(() => budgets.charge(id, 'vote-reads', 1, service.clock.now()).kind);
  });
  const kinds = await Promise.all(charges);
  expect(kinds.filter((kind) => kind === 'charged')).toHaveLength(30);
  other.close();
});
