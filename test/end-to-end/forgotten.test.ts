import path from 'node:path';
import { expect, test } from 'vitest';
import { openLedger } from '../../src/ledger/sqlite/in-process.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { bytesIn } from '../support/bytes-in.ts';
import { configFolder, TOKEN } from '../support/config-folder.ts';
import { temporaryFolder } from '../support/folder.ts';
import { record, rulesFor, THANKS } from '../support/ledgers.ts';
import { type Running, startTeller, type TellerReady, teller } from '../support/processes.ts';
import { arrival, DAY } from '../support/votes.ts';

const UUID = 'abcdefab-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const ADDRESS = '198.51.100.77';
const THEIRS = /nora_the_voter|formerly_nora|abcdefab|198\.51\.100\.77/i;
const REWARDS = [{ name: 'thanks', when: 'always', commands: ['say {player} voted'] }];

const addressOf = (player: string): string => (player.startsWith('Other') ? '192.0.2.1' : ADDRESS);

/** Votes of Nora, whose UUID is known, and of others between them, so that they are on many pages. */
async function fill(file: string): Promise<void> {
  const ledger = await openLedger(file, 'create', { clock: systemClock });
  const first = systemClock.now() - 400 * DAY;
  const cast = (player: string, day: number) =>
    arrival({
      ...{ player, sentAs: `${player} `, receivedAt: first + day * DAY, wire: `{"username":"${player}"}` },
      address: addressOf(player),
    });
  for (let day = 0; day < 300; day++) {
    const name = day < 100 ? 'Formerly_Nora' : 'Nora_the_Voter';
    await record(ledger, [cast(name, day), cast(`Other${day % 50}`, day)], rulesFor(THANKS));
  }
  for (const name of ['Formerly_Nora', 'Nora_the_Voter']) {
    const players = [{ name, uuid: UUID }];
    await ledger.storeSeen({ players, server: 'main', rules: rulesFor() }, systemClock.now());
  }
  await ledger.close();
}

async function vote({ ready }: Running<TellerReady>, username: string): Promise<string> {
  const from = addressOf(username);
  const wire = { serviceName: 'List', username, address: from, timestamp: String(Date.now()) };
  const auth = { version: 'v2', token: TOKEN } as const;
  return (await sendVote(wire, { ...ready.listener, auth }, { clock: systemClock })).kind;
}

test('no byte of a player who is forgotten while Teller runs is left in a file of its folder, nor after it has ended, nor in a backup', {
  timeout: 90_000,
}, async () => {
  const { folder, config, ledger } = configFolder({ rewards: REWARDS });
  await fill(ledger);
  const running = await startTeller(['run', '--config', config], folder);
  for (const spelling of ['NORA_the_Voter', 'nora_THE_voter', 'Other1'])
    expect(await vote(running, spelling)).toBe('accepted');
  const before = bytesIn(folder, THEIRS);
  for (const name of ['teller.db: Nora_the_Voter', 'teller.db-wal: NORA_the_Voter', `teller.db: ${ADDRESS}`])
    expect(before).toContain(name);

  const forgotten = await teller(['players', 'forget', 'formerly_nora', '--yes', '--config', config], folder);
  expect(forgotten).toMatchObject({ code: 0, err: '' });
  expect(bytesIn(folder, THEIRS)).toEqual([]);

  const backup = path.join(temporaryFolder(), 'monday');
  expect(await teller(['backup', backup, '--config', config], folder)).toMatchObject({ code: 0 });
  expect(bytesIn(backup, THEIRS)).toEqual([]);
  expect(await running.stop()).toBe(0);
  expect(bytesIn(folder, THEIRS)).toEqual([]);
});
