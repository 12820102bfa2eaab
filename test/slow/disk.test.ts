import { renameSync, statSync, symlinkSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Apart } from '../kit/apart.ts';
import { naming } from '../support/naming.ts';
import { noSmallDisk, noWriteLimit, setWritable } from '../support/small-disk.ts';
import {
  type DiskFixture,
  expectAllRefused,
  onSmallDisk,
  onThisDisk,
  pauses,
  SOON,
  sendVotes,
  UNABLE,
  unable,
} from './disk-fixture.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Sends a vote and waits until the game server has run its command. Teller has not recorded the outcome yet. */
async function startCommand(here: DiskFixture, to: Apart, player: string): Promise<void> {
  here.slowReply();
  expect(await to.vote({ player: player })).toBe('ok');
  await expect.poll(here.paid, SOON).toEqual([player]);
}

describe.skipIf(noSmallDisk !== null)(`on a small disk${noSmallDisk ?? ''}`, { timeout: 60_000 }, () => {
  test('that fills up, every vote that is answered ok is stored; with room again, Teller continues and pays nothing twice', async () => {
    const here = await onSmallDisk(16 * MIB);
    const to = await here.run();
    await startCommand(here, to, 'First');
    const votes = sendVotes(to);
    await expect.poll(() => votes.withAnswer('ok').length, SOON).toBeGreaterThan(20);

    here.disk.fill();
    const fullAt = performance.now();
    await expect.poll(() => votes.withAnswer(UNABLE).length, SOON).toBeGreaterThan(20);
    expect(await here.webhook(to, 'Hook')).toBe(503);
    expect(await here.v1(to, 'Oldie')).toBe('');
    await votes.stop();
    expect(votes.answers()).toEqual(new Set(['ok', UNABLE]));
    const stored = ['First', ...votes.withAnswer('ok')];
    expect(await here.players()).toEqual(stored.toSorted());

    await expect.poll(() => pauses(to, 'ledger-full'), SOON).toEqual([naming('main', /disk/)]);
    const said = unable(to, 'ledger-full');
    expect(said[0]).toEqual(naming('List', /disk/));
    expect(said.length).toBeLessThanOrEqual(1 + (performance.now() - fullAt) / 10_000);
    expect(here.paid()).toEqual(['First']);
    expect(to.process.exitCode).toBeNull();

    here.disk.empty();
    await expect.poll(here.paid, SOON).toEqual([...stored, 'Oldie'].toSorted());
    expect(await to.vote({ player: 'Later' })).toBe('ok');
    expect(await here.webhook(to, 'Hook')).toBe(200);
    const all = [...stored, 'Oldie', 'Later', 'Hook'].toSorted();
    await expect.poll(here.paid, SOON).toEqual(all);
    await expect.poll(here.grantStates, SOON).toEqual({ delivered: all.length });
    expect(await here.players()).toEqual(all);
    expect(await to.stop()).toBe(0);
  });

  test('that was full and has a little room again, the room is used for votes and not for a longer -wal', async () => {
    const here = await onSmallDisk(16 * MIB);
    // So that the tables are in the file.
    await (await here.run()).stop();
    const to = await here.run();
    const wal = join(here.disk.outside, 'teller.db-wal');
    here.disk.fill(512 * KIB);
    const first = sendVotes(to);
    await expect.poll(() => first.withAnswer(UNABLE).length, SOON).toBeGreaterThan(20);
    await first.stop();
    const [size, stored] = [statSync(wal).size, first.withAnswer('ok').length];

    here.disk.fill(512 * KIB);
    const second = sendVotes(to, 'Again');
    // As much room as before: with checkpoints as rare as usual, all of it goes to the -wal.
    await expect.poll(() => second.withAnswer('ok').length, SOON).toBeGreaterThan(3 * stored);
    await second.stop();
    expect(statSync(wal).size).toBeLessThan(size + 64 * KIB);
  });

  test('that is full when Teller is killed, a command whose outcome could not be recorded is held and never runs again', async () => {
    const here = await onSmallDisk(16 * MIB);
    const killed = await here.run();
    await startCommand(here, killed, 'Ran');
    here.disk.fill();
    expect(await killed.vote({ player: 'Refused' })).toBe(UNABLE);
    await expect.poll(() => pauses(killed, 'ledger-full'), SOON).toHaveLength(1);
    await killed.kill();

    // Teller can start, because no file has to grow, and still refuses votes.
    const full = await here.run();
    expect(await full.vote({ player: 'Refused' })).toBe(UNABLE);
    await full.kill();

    here.disk.empty();
    const again = await here.run();
    expect(await again.vote({ player: 'Later' })).toBe('ok');
    await expect.poll(here.paid, SOON).toEqual(['Later', 'Ran']);
    await expect.poll(here.grantStates, SOON).toEqual({ held: 1, delivered: 1 });
    expect(await here.players()).toEqual(['Later', 'Ran']);
  });

  test('without room for a ledger, `run` says so in one sentence and exits 1, however little room is missing; with room it starts', async () => {
    const here = await onSmallDisk(2 * MIB);
    for (const room of [0, 8 * KIB, 32 * KIB, 100 * KIB]) {
      here.disk.fill(room);
      const { code, out, err } = await here.cli('run');
      expect([room, code, out]).toEqual([room, 1, '']);
      expect(err).toMatch(/^error: .*teller\.db.* \[data-unwritable\]\n$/);
    }
    here.disk.empty();
    const to = await here.run();
    expect(await to.vote({ player: 'Steve' })).toBe('ok');
    await expect.poll(here.paid, SOON).toEqual(['Steve']);
    expect(await here.players()).toEqual(['Steve']);
  });

  test.each(['is full', 'can only be read'])(
    'that %s when Teller starts again, it says so and exits 1; the ledger is unchanged, and a later start uses it',
    async (what) => {
      const here = await onSmallDisk(2 * MIB);
      const first = await here.run();
      expect(await first.vote({ player: 'Before' })).toBe('ok');
      await expect.poll(here.paid, SOON).toEqual(['Before']);
      expect(await first.stop()).toBe(0);

      const isFull = what === 'is full';
      if (isFull) here.disk.fill();
      else here.disk.remount('ro');
      const { code, out, err } = await here.cli('run');
      expect([code, out]).toEqual([1, '']);
      expect(err).toMatch(/^error: .*teller\.db.* \[data-unwritable\]\n$/);
      if (isFull) here.disk.empty();
      else here.disk.remount('rw');

      const to = await here.run();
      expect(await here.players()).toEqual(['Before']);
      expect(await to.vote({ player: 'After' })).toBe('ok');
      await expect.poll(here.paid, SOON).toEqual(['After', 'Before']);
    },
  );
});

test('a ledger whose folder cannot be read for a while pauses the queues; the command in progress is settled, and the queues continue afterwards', {
  timeout: 60_000,
}, async () => {
  const here = await onThisDisk();
  const to = await here.run();
  await startCommand(here, to, 'First');
  const data = dirname(here.ledger);
  renameSync(data, `${data}.aside`);
  symlinkSync(data, data); // a link to itself: reading the folder fails
  await expect.poll(() => pauses(to, 'ledger-failed'), SOON).toHaveLength(1);
  expect(await to.vote({ player: 'Refused' })).toBe(UNABLE);
  expect(to.process.exitCode).toBeNull();

  unlinkSync(data);
  renameSync(`${data}.aside`, data);
  expect(await to.vote({ player: 'Later' })).toBe('ok');
  await expect.poll(here.paid, SOON).toEqual(['First', 'Later']);
  await expect.poll(here.grantStates, SOON).toEqual({ delivered: 2 });
  expect(await to.stop()).toBe(0);
});

// A mount cannot be made read-only while a ledger on it is open: the kernel reports that it is busy.
test.skipIf(noWriteLimit !== null)(
  `a ledger that can no longer be written refuses every vote, and records votes again when it can be written${noWriteLimit ?? ''}`,
  { timeout: 60_000 },
  async () => {
    const here = await onThisDisk();
    const to = await here.run();
    await startCommand(here, to, 'First');
    expect(await to.vote({ player: 'Second' })).toBe('ok');

    setWritable(to, false);
    await expectAllRefused(here, to);
    await expect.poll(() => pauses(to, 'ledger-failed'), SOON).toHaveLength(1);
    expect(await here.players()).toEqual(['First', 'Second']);
    expect(here.paid()).toEqual(['First']);

    setWritable(to, true);
    expect(await to.vote({ player: 'Later' })).toBe('ok');
    expect(await here.webhook(to, 'Hook')).toBe(200);
    await expect.poll(here.paid, SOON).toEqual(['First', 'Hook', 'Later', 'Oldie', 'Second']);
    await expect.poll(here.grantStates, SOON).toEqual({ delivered: 5 });
  },
);
