import { renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ledgers } from '../kit/ledgers.ts';
import { typed } from '../kit/typed.ts';
import { placeEmptyLedger, temporaryFolder } from '../support/folder.ts';
import { naming } from '../support/naming.ts';
import { median } from '../support/seeded.ts';
import { expectAllRefused, logged, onThisDisk, SOON, sendVotes, UNABLE, unable } from './disk-fixture.ts';

test('while another process backs up 5,000 votes, every vote is accepted, most within a second', async () => {
  const here = await onThisDisk();
  const old = await ledgers({}, here.ledger);
  await old.vote(...Array.from({ length: 5_000 }, (_, n) => ({ on: 'Old', player: `Old${n}` })));
  const to = await here.run();
  const votes = sendVotes(to);
  await expect.poll(() => votes.count(), SOON).toBeGreaterThan(0);
  const before = votes.count();
  const dir = path.join(temporaryFolder(), 'monday');
  const { code, err } = await here.cli('backup', dir, '--json');
  expect([code, err]).toEqual([0, '']);
  expect(votes.count() - before).toBeGreaterThan(20);
  await votes.stop();
  expect(votes.answers()).toEqual(new Set(['ok']));
  expect(median(votes.times())).toBeLessThan(1_000);

  const target = path.join(temporaryFolder(), 'config.json');
  expect(await typed(['restore', dir], target)).toMatchObject({ exit: 0 });
  const kept: readonly { service: string }[] = (await typed(['votes', '--limit', '20000', '--json'], target))
    .json;
  expect(kept.filter(({ service }) => service === 'Old')).toHaveLength(5_000);
});

describe('a ledger that another program', { timeout: 60_000 }, () => {
  test('replaces with another ledger records no vote, answers none ok, and records votes again when it is put back', async () => {
    const here = await onThisDisk();
    const to = await here.run();
    expect(await to.vote({ player: 'Before' })).toBe('ok');
    await expect.poll(here.paid, SOON).toEqual(['Before']);

    renameSync(here.ledger, `${here.ledger}.away`);
    placeEmptyLedger(`${here.ledger}.other`);
    renameSync(`${here.ledger}.other`, here.ledger);
    await expectAllRefused(here, to);
    expect(unable(to, 'ledger-replaced')).toEqual([naming(/teller\.db\b/)]);
    await here.cli('votes');

    renameSync(`${here.ledger}.away`, here.ledger);
    expect(await to.vote({ player: 'Later' })).toBe('ok');
    expect(await here.webhook(to, 'Hook')).toBe(200);
    await expect.poll(here.paid, SOON).toEqual(['Before', 'Hook', 'Later', 'Oldie']);
    // Read from the file, not from the running process.
    await to.kill();
    expect(await here.players()).toEqual(['Before', 'Hook', 'Later', 'Oldie']);
  });

  test('removes records no vote and answers none ok; the next start creates a new one', async () => {
    const here = await onThisDisk();
    const to = await here.run();
    expect(await to.vote({ player: 'Before' })).toBe('ok');
    for (const end of ['', '-wal', '-shm']) rmSync(`${here.ledger}${end}`);
    expect(await to.vote({ player: 'During' })).toBe(UNABLE);
    expect(await here.webhook(to, 'Hook')).toBe(503);
    expect(await here.v1(to, 'Oldie')).toBe('');
    const found = JSON.parse((await here.cli('check', '--json')).out);
    expect(found).toContainEqual(
      expect.objectContaining({ mark: 'problem', code: 'ledger-replaced', sentence: naming(/teller\.db\b/) }),
    );
    expect(await to.stop()).toBe(0);
    expect(logged(to, 'vote-lost')).toEqual([naming('oldie', 'List')]);

    const again = await here.run();
    expect(logged(again, 'ledger-made')).toEqual([naming(/teller\.db\b/)]);
    expect(await again.vote({ player: 'During' })).toBe('ok');
    expect(await here.webhook(again, 'Hook')).toBe(200);
    expect(await here.players()).toEqual(['During', 'Hook']);
  });

  test('removes without its -wal is not created again after a kill -9, and has every vote once it is put back', async () => {
    const here = await onThisDisk();
    const to = await here.run();
    expect(await to.vote({ player: 'Before' })).toBe('ok');
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
    expect(await to.vote({ player: 'Before' })).toBe('ok');
    rmSync(`${here.ledger}-wal`);
    const votes = sendVotes(to);
    await expect.poll(() => votes.count(), SOON).toBeGreaterThan(20);
    await votes.stop();
    await to.kill();

    await here.run();
    expect(await here.players()).toEqual(expect.arrayContaining(votes.withAnswer('ok')));
  });

  test('removes the -shm of while two Tellers record into it has every vote that was answered ok', async () => {
    const here = await onThisDisk();
    const to = await here.run();
    expect(await to.vote({ player: 'Before' })).toBe('ok');
    rmSync(`${here.ledger}-shm`);
    const other = await here.run();
    const streams = [sendVotes(to), sendVotes(other, 'Other')];
    for (const stream of streams) await expect.poll(() => stream.count(), SOON).toBeGreaterThan(100);
    for (const stream of streams) await stream.stop();
    await Promise.all([to.kill(), other.kill()]);

    await here.run();
    const accepted = streams.flatMap((stream) => stream.withAnswer('ok'));
    expect(await here.players()).toEqual(expect.arrayContaining(accepted));
  });
});
