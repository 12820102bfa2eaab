import { copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openLedger } from '../../src/ledger/sqlite/in-process.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { lookInto } from '../support/config-folder.ts';
import { temporaryFolder } from '../support/folder.ts';
import { record, rulesFor } from '../support/ledgers.ts';
import { median } from '../support/median.ts';
import { naming } from '../support/naming.ts';
import { startScript, teller } from '../support/processes.ts';
import { arrival } from '../support/votes.ts';
import { expectAllRefused, logged, onThisDisk, SOON, sendVotes, unable } from './disk-fixture.ts';

const LOCK_HOLDER = path.join(import.meta.dirname, '../support/lock-holder.ts');

describe('while another process uses the ledger', { timeout: 60_000 }, () => {
  test('for a backup of 5,000 votes, every vote is accepted, most within a second, and the backup is complete', async () => {
    const here = await onThisDisk();
    await fillLedger(here.ledger, 5_000);
    const to = await here.run();
    const votes = sendVotes(here, to);
    await expect.poll(() => votes.withAnswer('accepted').length, SOON).toBeGreaterThan(0);
    const atStart = votes.withAnswer('accepted');
    const dir = path.join(temporaryFolder(), 'monday');
    const { code, err } = await here.cli('backup', dir, '--json');
    const during = votes.withAnswer('accepted').length - atStart.length;
    await votes.stop();
    expect([code, err]).toEqual([0, '']);
    expect(during).toBeGreaterThan(20);
    expect(votes.answers()).toEqual(new Set(['accepted']));
    expect(median(votes.times())).toBeLessThan(1_000);

    const accepted = votes.withAnswer('accepted');
    const of = async (file: string) =>
      new Set((await lookInto(file).votes({ site: 'List', limit: 10_000 })).map(({ player }) => player));
    expect(await of(here.ledger)).toEqual(new Set(accepted));
    const target = path.join(temporaryFolder(), 'config.json');
    const restored = await teller(['restore', dir, '--config', target], here.folder);
    expect([restored.code, restored.out]).toEqual([0, expect.stringContaining(target)]);
    const file = path.join(path.dirname(target), 'data/teller.db');
    const inBackup = await of(file);
    for (const player of atStart) expect(inBackup).toContain(player);
    for (const player of inBackup) expect(accepted).toContain(player);
    expect(await lookInto(file).votes({ site: 'Old', limit: 10_000 })).toHaveLength(5_000);
  });

  test('with a lock of a second, every vote is accepted after the lock is released', async () => {
    const here = await onThisDisk();
    const to = await here.run();
    const holder = await startScript<{ taken: boolean }>(LOCK_HOLDER, [here.ledger], here.folder);
    expect(holder.ready.taken).toBe(true);
    let isReleased = false;
    const answered = async (answer: Promise<unknown>) => [await answer, isReleased];
    const sent = Promise.all([
      ...['Ann', 'Bob', 'Cid'].map((player) => answered(here.v2(to, player))),
      answered(here.webhook(to, 'Hook')),
    ]);
    const oldie = here.v1(to, 'Oldie');
    setTimeout(() => {
      isReleased = true;
      void holder.kill();
    }, 1_000);
    expect(await sent).toEqual([...Array(3).fill(['accepted', true]), [200, true]]);
    expect(await oldie).toBe('sent');
    await expect.poll(here.paid, SOON).toEqual(['Ann', 'Bob', 'Cid', 'Hook', 'Oldie']);
    expect(await here.players()).toEqual(['Ann', 'Bob', 'Cid', 'Hook', 'Oldie']);
  });

  test('with a longer lock, every v2 vote is refused, and a v1 vote is stored after the lock is released', async () => {
    const here = await onThisDisk();
    const to = await here.run();
    const holder = await startScript<{ taken: boolean }>(LOCK_HOLDER, [here.ledger], here.folder);
    expect(holder.ready.taken).toBe(true);
    const sent = [here.v2(to, 'Ann'), here.webhook(to, 'Hook'), here.v1(to, 'Oldie')];
    expect(await Promise.all(sent)).toEqual(['error-reply', 503, 'sent']);
    await expect.poll(() => unable(to, 'ledger-locked').length, SOON).toBe(1);
    expect(await here.players()).toEqual([]);

    await holder.kill();
    await expect.poll(here.paid, SOON).toEqual(['Oldie']);
    expect(await here.v2(to, 'Ann')).toBe('accepted');
    expect(await here.webhook(to, 'Hook')).toBe(200);
    await expect.poll(here.paid, SOON).toEqual(['Ann', 'Hook', 'Oldie']);
    expect(await here.players()).toEqual(['Ann', 'Hook', 'Oldie']);
  });
});

const away = (file: string): string => `${file}.away`;
const moveAway = (file: string): void => renameSync(file, away(file));

describe('a ledger that another program', { timeout: 60_000 }, () => {
  test.each([
    ['moves away', moveAway],
    [
      'replaces with a copy',
      (file: string) => {
        moveAway(file);
        copyFileSync(away(file), file);
      },
    ],
    [
      'replaces with another ledger',
      async (file: string) => {
        moveAway(file);
        await (await openLedger(`${file}.other`, 'create', { clock: systemClock })).close();
        renameSync(`${file}.other`, file);
      },
    ],
  ])(
    '%s records no vote, answers none ok, and records votes again when it is put back',
    async (_, change) => {
      const here = await onThisDisk();
      const to = await here.run();
      expect(await here.v2(to, 'Before')).toBe('accepted');
      await expect.poll(here.paid, SOON).toEqual(['Before']);

      change(here.ledger);
      await expectAllRefused(here, to);
      expect(unable(to, 'ledger-replaced')).toEqual([naming(/teller\.db\b/)]);
      await here.cli('votes');

      renameSync(away(here.ledger), here.ledger);
      expect(await here.v2(to, 'Later')).toBe('accepted');
      expect(await here.webhook(to, 'Hook')).toBe(200);
      await expect.poll(here.paid, SOON).toEqual(['Before', 'Hook', 'Later', 'Oldie']);
      // Read from the file, not from the running process.
      await to.kill();
      expect(await here.players()).toEqual(['Before', 'Hook', 'Later', 'Oldie']);
    },
  );

  test('removes records no vote and answers none ok; the next start creates a new one', async () => {
    const here = await onThisDisk();
    const to = await here.run();
    expect(await here.v2(to, 'Before')).toBe('accepted');
    for (const end of ['', '-wal', '-shm']) rmSync(`${here.ledger}${end}`);
    expect(await here.v2(to, 'During')).toBe('error-reply');
    expect(await here.webhook(to, 'Hook')).toBe(503);
    expect(await here.v1(to, 'Oldie')).toBe('sent');
    const found = JSON.parse((await here.cli('check', '--json')).out);
    expect(found).toContainEqual(
      expect.objectContaining({ mark: 'problem', code: 'ledger-replaced', sentence: naming(/teller\.db\b/) }),
    );
    expect(await to.stop()).toBe(0);
    expect(logged(to, 'vote-lost')).toEqual([naming('oldie', 'List')]);

    const again = await here.run();
    expect(logged(again, 'ledger-made')).toEqual([naming(/teller\.db\b/)]);
    expect(await here.v2(again, 'During')).toBe('accepted');
    expect(await here.webhook(again, 'Hook')).toBe(200);
    expect(await here.players()).toEqual(['During', 'Hook']);
  });

  test('removes without its -wal is not created again after a kill -9, and has every vote once it is put back', async () => {
    const here = await onThisDisk();
    const to = await here.run();
    expect(await here.v2(to, 'Before')).toBe('accepted');
    await to.kill();
    renameSync(here.ledger, `${here.ledger}.away`);
    const { code, err } = await here.cli('run');
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^error: .*teller\.db-wal.* \[ledger-missing\]\n$/),
    ]);
    renameSync(`${here.ledger}.away`, here.ledger);
    await here.run();
    expect(await here.players()).toEqual(['Before']);
  });

  test('removes the -wal of has every vote that was answered ok after a kill -9', async () => {
    const here = await onThisDisk();
    const to = await here.run();
    expect(await here.v2(to, 'Before')).toBe('accepted');
    rmSync(`${here.ledger}-wal`);
    const votes = sendVotes(here, to);
    await expect.poll(() => votes.count(), SOON).toBeGreaterThan(20);
    await votes.stop();
    await to.kill();

    await here.run();
    expect(await here.players()).toEqual(expect.arrayContaining(votes.withAnswer('accepted')));
  });

  test('removes the -shm of while two Tellers record into it has every vote that was answered ok', async () => {
    const here = await onThisDisk();
    const to = await here.run();
    expect(await here.v2(to, 'Before')).toBe('accepted');
    rmSync(`${here.ledger}-shm`);
    const other = await here.run();
    const streams = [sendVotes(here, to), sendVotes(here, other, 'Other')];
    for (const stream of streams) await expect.poll(() => stream.count(), SOON).toBeGreaterThan(100);
    for (const stream of streams) await stream.stop();
    await Promise.all([to.kill(), other.kill()]);

    await here.run();
    const accepted = streams.flatMap((stream) => stream.withAnswer('accepted'));
    expect(await here.players()).toEqual(expect.arrayContaining(accepted));
  });
});

/** Fills the ledger with paid votes of another service. */
async function fillLedger(file: string, votes: number): Promise<void> {
  mkdirSync(path.dirname(file), { recursive: true });
  const ledger = await openLedger(file, 'create', { clock: systemClock });
  const arrivals = Array.from({ length: votes }, (_, n) => arrival({ service: 'Old', player: `Old${n}` }));
  await record(ledger, arrivals, rulesFor());
  await ledger.close();
}
