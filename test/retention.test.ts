/** What the ledger keeps no longer than its config says, and what is left of it on the disk. */
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { typedHere } from './kit/apart.ts';
import { type Here, here } from './kit/here.ts';
import { ledgerFileOf } from './kit/ledger-file.ts';
import { ledgers } from './kit/ledgers.ts';
import { TOKEN } from './kit/vote.ts';
import { votifierGame } from './kit/votifier.ts';
import { FakeClock } from './support/fake-clock.ts';
import { bytesIn, temporaryFolder } from './support/folder.ts';

const DAY = 24 * 60 * 60_000;
const HOUR = DAY / 24;
const LOOK = 10 * 60_000;
/** How the ledger of a test is named in its config, with a site whose every vote is rewarded. */
const SITES = { default: { token: TOKEN, cooldown: '1h' } };
const keeping = (keep: object): object => ({ sites: SITES, rewards: [], keep });

/** A vote and a refusal on each of ten days, from an address of its own; it is an hour after the last. */
async function tenDays(keep: object = {}): Promise<Here> {
  const teller = await here(keeping(keep), new FakeClock('2026-06-02T12:00:00Z'));
  for (let day = 0; day < 10; day++) {
    const from = `127.7.0.${10 + day}`;
    expect(await teller.vote({ player: `Voter${day}`, from })).toBe('ok');
    expect(await teller.vote({ player: 'Steve', from: `127.7.0.${20 + day}`, token: 'wrong' })).toBe(
      'InvalidSignature',
    );
    await teller.pass(11_000, 1_000);
    if (day < 9) teller.clock.sleep(DAY - 11_000);
  }
  teller.clock.sleep(HOUR);
  return teller;
}

const bytesOf = ({ folder }: Pick<Here, 'folder'>, what: RegExp): readonly string[] =>
  bytesIn(join(folder, 'data'), what);
/** How many different matches there are in the files of the ledger. */
const countIn = (teller: Here, what: RegExp): number =>
  new Set(bytesOf(teller, what).map((found) => found.split(': ')[1])).size;
const WIRE = /(?<="username":")Voter\d/;
/** How many votes are left as they were received. */
const wiresOf = (teller: Here): number => countIn(teller, WIRE);
const untilWires = (teller: Here, count: number): Promise<void> =>
  teller.until(() => wiresOf(teller) === count);

/** How many votes still have the address of their sender, and their text as it was received. */
async function kept(teller: Here) {
  const votes: readonly { address: string | null }[] = (await teller.run('votes', '--json')).json;
  return {
    votes: votes.length,
    addresses: votes.filter(({ address }) => address !== null).length,
    wire: wiresOf(teller),
    senders: countIn(teller, /127\.7\.0\.2\d/),
  };
}

test('everything is kept for ever by default; what is older than it is kept is removed, also of refused senders, and the votes and counts stay', async () => {
  const teller = await tenDays();
  expect(await kept(teller)).toEqual({ votes: 10, addresses: 10, wire: 10, senders: 10 });
  await teller.reload(keeping({ addresses: '3d', wire: '5d' }));
  await untilWires(teller, 5);
  const { json } = await teller.run('explain', 'Voter0', '--bytes', '--json');
  expect(json).toMatchObject([{ player: 'Voter0', received: '' }]);
  expect(await kept(teller)).toEqual({ votes: 10, addresses: 3, wire: 5, senders: 3 });
});

test('what becomes too old later is removed then, and after a reload what the config then says', async () => {
  const teller = await tenDays({ wire: '5d' });
  await teller.pass(LOOK, 30_000);
  await untilWires(teller, 5);
  teller.clock.sleep(2 * DAY);
  await teller.pass(2 * LOOK, 30_000);
  await untilWires(teller, 3);
  expect(await kept(teller)).toMatchObject({ addresses: 10, wire: 3 });
  await teller.reload(keeping({ addresses: '1d' }));
  await teller.until(async () => (await kept(teller)).addresses === 0);
  expect(await kept(teller)).toMatchObject({ addresses: 0, wire: 3 });
});

test('the addresses of voters are removed from what was forwarded too', async () => {
  const old = await votifierGame('v2', { maxAge: '30d' });
  await old.be('down');
  const config = { ...keeping({}), gameServers: { old: old.entry } };
  const teller = await here(config, new FakeClock('2026-06-07T12:00:00Z'));
  await teller.vote({ player: 'Steve' });
  teller.clock.sleep(3 * DAY);
  await teller.vote({ player: 'Alex' });
  teller.clock.sleep(DAY);
  await teller.reload({ ...config, keep: { addresses: '3d' } });
  const forwards = async () =>
    (await teller.grants()).map(({ commands }) => JSON.parse(commands[0]?.command ?? '{}'));
  await teller.until(async () => (await forwards())[0].address === '');
  expect(await forwards()).toMatchObject([
    { player: 'Steve', address: '' },
    { player: 'Alex', address: '192.0.2.1' },
  ]);
});

test('a portion has 500 votes, so that other votes never wait long', async () => {
  const ledger = await ledgers();
  await ledger.vote(...Array.from({ length: 1_200 }, (_, at) => ({ player: `P${at}`, wire: 'text' })));
  const keep = { addresses: null, wire: Date.UTC(2026, 6, 1) };
  const left = async () => (await ledger.votes()).filter(({ wire }) => wire !== '').length;
  expect([await ledger.removeOld(keep), await left()]).toEqual([true, 700]);
  expect([await ledger.removeOld(keep), await left()]).toEqual([true, 200]);
  expect([await ledger.removeOld(keep), await left()]).toEqual([false, 0]);
});

/** Another program reads the ledger until this is called. */
function reading(teller: Here): () => void {
  const query = new Sqlite(ledgerFileOf(teller), { readonly: true });
  query.exec('BEGIN');
  query.prepare('SELECT count(*) FROM votes').get();
  return () => query.close();
}

test('no byte of what was removed is left in a file of the ledger, also after it is closed, nor in a backup', async () => {
  const teller = await tenDays();
  teller.clock.sleep(2 * DAY);
  await teller.reload(keeping({ addresses: '1d', wire: '1d' }));
  const isLeft = (folder: string): readonly string[] => [
    ...bytesIn(folder, /127\.7\.0\.\d+/),
    ...bytesIn(folder, WIRE),
  ];
  await teller.until(() => isLeft(join(teller.folder, 'data')).length === 0);
  const backup = join(temporaryFolder(), 'monday');
  expect(await teller.run('backup', backup)).toMatchObject({ exit: 0 });
  expect(isLeft(backup)).toEqual([]);
  await teller.stop();
  expect(isLeft(join(teller.folder, 'data'))).toEqual([]);
});

test('what a long query keeps in the -wal is erased a second after it has ended', async () => {
  const teller = await tenDays();
  teller.clock.sleep(2 * DAY);
  const end = reading(teller);
  await teller.reload(keeping({ addresses: '1d', wire: '1d' }));
  await teller.pass(5_000, 500);
  expect(bytesOf(teller, WIRE)).not.toEqual([]);
  end();
  const ended = teller.clock.monotonic();
  await untilWires(teller, 0);
  expect(teller.clock.monotonic() - ended).toBeLessThan(LOOK / 10);
});

test('what another process removed and could not erase is erased within ten minutes, also where everything is kept', async () => {
  const teller = await tenDays();
  const end = reading(teller);
  expect(await teller.run('players', 'forget', 'Voter3', '--yes')).toMatchObject({ exit: 0 });
  expect(bytesOf(teller, /voter3/i)).not.toEqual([]);
  end();
  await teller.pass(LOOK, 10_000);
  await teller.until(() => bytesOf(teller, /voter3/i).length === 0);
});

test('no byte of a player who is forgotten while Teller runs is left in its folder, nor after it has ended, nor in a backup', async () => {
  const uuid = 'abcdefab-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
  const theirs = /nora_the_voter|formerly_nora|abcdefab|127\.7\.0\.77/i;
  const main = { kind: 'practice', autoJoin: false, joinDelay: '0s', presenceInterval: '1s' };
  const rewards = [{ name: 'daily', commands: ['give {player} diamond 1'] }];
  const teller = await here({ sites: SITES, rewards, gameServers: { main } });
  const from = '127.7.0.77';
  // Others vote between, so that Nora is on many pages of the file.
  const votes = async (player: string) => {
    for (let number = 0; number < 25; number++) {
      expect(await teller.vote({ player, site: `List ${number}`, from })).toBe('ok');
      expect(await teller.vote({ player: `Other${number}`, site: `List ${number}` })).toBe('ok');
      teller.clock.sleep(HOUR + 1);
    }
  };
  const isPaid = (player: string) => async () =>
    (await teller.grants()).some((each) => each.player === player && each.state === 'delivered');
  for (const name of ['Formerly_Nora', 'Nora_the_Voter']) {
    await votes(name);
    await typedHere(teller, 'practice', 'join', name, '--uuid', uuid);
    await teller.until(isPaid(name));
    await typedHere(teller, 'practice', 'leave', name);
  }
  expect(await teller.vote({ player: 'NORA_the_Voter', from })).toBe('ok');
  for (const part of [/nora_the_voter/i, /formerly_nora/i, /127\.7\.0\.77/])
    expect(bytesOf(teller, part)).not.toEqual([]);

  expect(await teller.run('players', 'forget', 'formerly_nora', '--yes')).toMatchObject({ exit: 0, err: '' });
  expect(bytesIn(teller.folder, theirs)).toEqual([]);
  const backup = join(temporaryFolder(), 'monday');
  expect(await teller.run('backup', backup)).toMatchObject({ exit: 0 });
  expect(bytesIn(backup, theirs)).toEqual([]);
  await teller.stop();
  expect(bytesIn(teller.folder, theirs)).toEqual([]);
});
