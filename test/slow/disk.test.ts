import { renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { naming } from '../support/naming.ts';
import { noSmallDisk } from '../support/small-disk.ts';
import { noWriteLimit, setWritable } from '../support/write-limit.ts';
import {
  type DiskFixture,
  expectNoneTaken,
  onSmallDisk,
  onThisDisk,
  pauses,
  pouring,
  SOON,
  type Teller,
  unable,
} from './disk-fixture.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** A command that the game server has run, and whose outcome is yet to be written down. */
async function commandInFlight(here: DiskFixture, to: Teller, player: string): Promise<void> {
  here.server.setFault('slow-reply', 1);
  expect(await here.v2(to, player)).toBe('accepted');
  await expect.poll(here.paid, SOON).toEqual([player]);
}

describe.skipIf(noSmallDisk !== null)(`on a small disk${noSmallDisk ?? ''}`, { timeout: 60_000 }, () => {
  test('that fills up no vote is answered ok that is not there; with room again all goes on by itself, and nothing is paid twice', async () => {
    const here = await onSmallDisk(16 * MIB);
    const to = await here.run();
    await commandInFlight(here, to, 'First');
    const pour = pouring(here, to);
    await expect.poll(() => pour.heard('accepted').length, SOON).toBeGreaterThan(20);

    here.disk.fill();
    const fullAt = performance.now();
    await expect.poll(() => pour.heard('error-reply').length, SOON).toBeGreaterThan(20);
    expect(await here.webhook(to, 'Hook')).toBe(503);
    expect(await here.v1(to, 'Oldie')).toBe('sent');
    await pour.stop();
    expect(pour.answers()).toEqual(new Set(['accepted', 'error-reply']));
    const stored = ['First', ...pour.heard('accepted')];
    expect(await here.players()).toEqual(stored.toSorted());

    await expect.poll(() => pauses(to, 'ledger-full'), SOON).toEqual([naming('main', /disk/)]);
    const said = unable(to, 'ledger-full');
    expect(said[0]).toEqual(naming('List', /disk/));
    expect(said.length).toBeLessThanOrEqual(1 + (performance.now() - fullAt) / 10_000);
    expect(here.paid()).toEqual(['First']);
    expect(to.process.exitCode).toBeNull();

    here.disk.empty();
    await expect.poll(here.paid, SOON).toEqual([...stored, 'Oldie'].toSorted());
    expect(await here.v2(to, 'Later')).toBe('accepted');
    expect(await here.webhook(to, 'Hook')).toBe(200);
    const everybody = [...stored, 'Oldie', 'Later', 'Hook'].toSorted();
    await expect.poll(here.paid, SOON).toEqual(everybody);
    await expect.poll(here.grantStates, SOON).toEqual({ delivered: everybody.length });
    expect(await here.players()).toEqual(everybody);
    expect(await to.stop()).toBe(0);
  });

  test('that is full when Teller is killed, a command that ran and could not be written down is held, and never runs again', async () => {
    const here = await onSmallDisk(16 * MIB);
    const dying = await here.run();
    await commandInFlight(here, dying, 'Ran');
    here.disk.fill();
    expect(await here.v2(dying, 'Refused')).toBe('error-reply');
    await expect.poll(() => pauses(dying, 'ledger-full'), SOON).toHaveLength(1);
    await dying.kill();

    // It starts where nothing has to grow, and the answer is the same.
    const full = await here.run();
    expect(await here.v2(full, 'Refused')).toBe('error-reply');
    await full.kill();

    here.disk.empty();
    const again = await here.run();
    expect(await here.v2(again, 'Later')).toBe('accepted');
    await expect.poll(here.paid, SOON).toEqual(['Later', 'Ran']);
    await expect.poll(here.grantStates, SOON).toEqual({ held: 1, delivered: 1 });
    expect(await here.players()).toEqual(['Later', 'Ran']);
  });

  test('without room for a ledger `run` says so in one sentence and exits 1, however little is missing; with room it starts', async () => {
    const here = await onSmallDisk(2 * MIB);
    for (const room of [0, 8 * KIB, 32 * KIB, 100 * KIB]) {
      here.disk.fill(room);
      const { code, out, err } = await here.cli('run');
      expect([room, code, out]).toEqual([room, 1, '']);
      expect(err).toMatch(/^error: .*teller\.db.* \[data-unwritable\]\n$/);
    }
    here.disk.empty();
    const to = await here.run();
    expect(await here.v2(to, 'Steve')).toBe('accepted');
    await expect.poll(here.paid, SOON).toEqual(['Steve']);
    expect(await here.players()).toEqual(['Steve']);
  });

  test.each([
    ['is full', (here: Awaited<ReturnType<typeof onSmallDisk>>) => [here.disk.fill, here.disk.empty]],
    [
      'can only be read',
      ({ disk }: Awaited<ReturnType<typeof onSmallDisk>>) => [
        () => disk.remount('ro'),
        () => disk.remount('rw'),
      ],
    ],
  ])(
    'that %s when Teller starts again, it says so and exits 1; the ledger is as it was, and goes on afterwards',
    async (_, changes) => {
      const here = await onSmallDisk(2 * MIB);
      const first = await here.run();
      expect(await here.v2(first, 'Before')).toBe('accepted');
      await expect.poll(here.paid, SOON).toEqual(['Before']);
      expect(await first.stop()).toBe(0);

      const [worsen, mend] = changes(here) as [() => void, () => void];
      worsen();
      const { code, out, err } = await here.cli('run');
      expect([code, out]).toEqual([1, '']);
      expect(err).toMatch(/^error: .*teller\.db.* \[data-unwritable\]\n$/);
      mend();

      const to = await here.run();
      expect(await here.players()).toEqual(['Before']);
      expect(await here.v2(to, 'After')).toBe('accepted');
      await expect.poll(here.paid, SOON).toEqual(['After', 'Before']);
    },
  );
});

test('a ledger whose folder cannot be looked into for a while pauses the queues; the command in flight is settled, and all goes on by itself', {
  timeout: 60_000,
}, async () => {
  const here = await onThisDisk();
  const to = await here.run();
  await commandInFlight(here, to, 'First');
  const data = dirname(here.ledger);
  renameSync(data, `${data}.aside`);
  symlinkSync(data, data); // a link to itself: every look into the folder fails
  await expect.poll(() => pauses(to, 'ledger-failed'), SOON).toHaveLength(1);
  expect(await here.v2(to, 'Refused')).toBe('error-reply');
  expect(to.process.exitCode).toBeNull();

  unlinkSync(data);
  renameSync(`${data}.aside`, data);
  expect(await here.v2(to, 'Later')).toBe('accepted');
  await expect.poll(here.paid, SOON).toEqual(['First', 'Later']);
  await expect.poll(here.grantStates, SOON).toEqual({ delivered: 2 });
  expect(await to.stop()).toBe(0);
});

// A mount cannot turn read-only by command while a ledger on it is open: the kernel says that it is busy.
test.skipIf(noWriteLimit !== null)(
  `a ledger that can no longer be written refuses every vote, and goes on when it can${noWriteLimit ?? ''}`,
  { timeout: 60_000 },
  async () => {
    const here = await onThisDisk();
    const to = await here.run();
    await commandInFlight(here, to, 'First');
    expect(await here.v2(to, 'Second')).toBe('accepted');

    setWritable(to, false);
    await expectNoneTaken(here, to);
    await expect.poll(() => pauses(to, 'ledger-failed'), SOON).toHaveLength(1);
    expect(await here.players()).toEqual(['First', 'Second']);
    expect(here.paid()).toEqual(['First']);

    setWritable(to, true);
    expect(await here.v2(to, 'Later')).toBe('accepted');
    expect(await here.webhook(to, 'Hook')).toBe(200);
    await expect.poll(here.paid, SOON).toEqual(['First', 'Hook', 'Later', 'Oldie', 'Second']);
    await expect.poll(here.grantStates, SOON).toEqual({ delivered: 5 });
  },
);
