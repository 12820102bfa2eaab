import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLedger } from '../../src/ledger/sqlite/in-process.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { temporaryFolder } from '../support/folder.ts';

const AT = Date.parse('2026-06-01T12:00:00Z');
const toldOf = (...kinds: readonly ('vote.rewarded' | 'vote.cooldown' | 'grant.held')[]) => ({
  told: { receivers: [{ receiver: 'chat', kinds }], at: AT },
});

test('a start with the same config writes nothing, so it works on a full disk; another config is written', async () => {
  const file = join(temporaryFolder(), 'teller.db');
  const ledger = await openLedger(file, 'create', { clock: systemClock });
  const written = (): number => statSync(`${file}-wal`).size;
  await ledger.useConfig({ today: 0, ...toldOf('vote.rewarded', 'grant.held') });
  const before = written();
  await ledger.useConfig({ today: 0, ...toldOf('vote.rewarded', 'grant.held') });
  expect(written()).toBe(before);
  await ledger.useConfig({ today: 0, ...toldOf('vote.rewarded', 'vote.cooldown') });
  expect(written()).toBeGreaterThan(before);
  const wanted = [];
  for (const kind of ['vote.rewarded', 'vote.cooldown', 'grant.held'] as const)
    wanted.push(await ledger.isEventWanted(kind));
  expect(wanted).toEqual([true, true, false]);
  await ledger.close();
});
