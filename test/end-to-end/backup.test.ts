import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { GrantReason } from '../../src/core/grant-reason.ts';
import { openLedger } from '../../src/ledger/sqlite/in-process.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { configFolder, lookInto, TOKEN, writeConfig } from '../support/config-folder.ts';
import { temporaryFolder } from '../support/folder.ts';
import { record, rulesFor, THANKS } from '../support/ledgers.ts';
import { naming } from '../support/naming.ts';
import { type Running, startTeller, type TellerReady, teller } from '../support/processes.ts';
import { webhookArrival } from '../support/votes.ts';

const PASSWORD = 'practice-password-of-this-test';
const REWARDS = [{ name: 'thanks', when: 'always', commands: ['say {player} voted'] }];
const HELD: GrantReason = { code: 'restore-doubt' };

/** A practice server that outlives Teller, and a config that treats it as a real one. */
async function fixture() {
  const { folder, config, ledger } = configFolder();
  const commandLog = path.join(folder, 'commands.log');
  const practice = await startTeller(['practice', '--password', PASSWORD, '--log', commandLog], folder);
  const { host = '', port = 0 } = practice.ready.practiceServer ?? {};
  const main = { kind: 'rcon', host, port, password: PASSWORD, joinDelay: '0s', commandPause: '0ms' };
  writeConfig(config, { gameServers: { main }, rewards: REWARDS });
  return { folder, config, ledger, said: () => saidIn(commandLog) };
}

function saidIn(file: string): string[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines
    .map((line) => (JSON.parse(line) as { command: string }).command)
    .filter((command) => command.startsWith('say '));
}

const vote = async ({ ready }: Running<TellerReady>, player: string): Promise<string> => {
  const wire = { serviceName: 'List', username: player, address: '192.0.2.1', timestamp: String(Date.now()) };
  const auth = { version: 'v2', token: TOKEN } as const;
  return (await sendVote(wire, { ...ready.listener, auth }, { clock: systemClock })).kind;
};

test('restoring a backup elsewhere after a lost disk loses no vote answered before the backup, and pays nothing twice', {
  timeout: 120_000,
}, async () => {
  const { folder, config, ledger, said } = await fixture();
  const running = await startTeller(['run', '--config', config], folder);
  for (let n = 0; n < 20; n++) expect(await vote(running, `Before${n}`)).toBe('accepted');
  const look = lookInto(ledger);
  await expect.poll(async () => (await look.grantStates()).delivered ?? 0).toBeGreaterThan(0);

  const dir = path.join(temporaryFolder(), 'monday');
  const progress = { isOver: false };
  const backup = teller(['backup', dir, '--config', config, '--json'], folder).finally(() => {
    progress.isOver = true;
  });
  let during = 0;
  while (!progress.isOver) expect(await vote(running, `During${during++}`)).toBe('accepted');
  const { code, out, err } = await backup;
  expect([code, err]).toEqual([0, '']);
  const [{ backupAt }] = JSON.parse(out);

  // The ledger pays every vote before it is lost.
  expect(await vote(running, 'Lost')).toBe('accepted');
  await expect.poll(() => look.grantStates(), { timeout: 30_000 }).toEqual({ delivered: 21 + during });
  await running.kill();
  const paid = said();
  expect(new Set(paid).size).toBe(21 + during);

  const target = path.join(temporaryFolder(), 'config.json');
  mkdirSync(path.dirname(target), { recursive: true });
  const restored = await teller(['restore', dir, '--config', target, '--json'], folder);
  expect([restored.code, restored.err]).toEqual([0, '']);
  const [{ held }] = JSON.parse(restored.out);
  const again = await startTeller(['run', '--config', target], path.dirname(target));
  const file = path.join(path.dirname(target), 'data/teller.db');
  const lookAgain = lookInto(file);
  const players = (await lookAgain.votes({ limit: 10_000 })).map(({ player }) => player).toReversed();
  const inOrder = [
    ...Array.from({ length: 20 }, (_, n) => `Before${n}`),
    ...Array.from({ length: during }, (_, n) => `During${n}`),
  ];
  expect(players.length).toBeGreaterThanOrEqual(20);
  expect(players).toEqual(inOrder.slice(0, players.length));
  expect(await lookAgain.grantStates()).toEqual({
    ...(held > 0 ? { held } : {}),
    delivered: players.length - held,
  });

  // The lost vote arrives again, as from the listing's API or a repeated webhook.
  const castAt = Date.parse(backupAt) + 1;
  const writing = await openLedger(file, 'write', { clock: systemClock });
  const late = webhookArrival('lost', {
    player: 'Lost',
    castAt,
    claim: { at: castAt, precision: 'ms' },
    receivedAt: Date.now(),
  });
  await record(writing, [late], rulesFor(THANKS));
  await writing.close();
  expect(await vote(again, 'After')).toBe('accepted');
  await expect.poll(() => said().slice(paid.length), { timeout: 30_000 }).toEqual(['say After voted']);
  const [lost] = await lookAgain.grants({ recipient: 'lost', limit: 9 });
  expect(lost).toMatchObject({ reward: 'thanks', state: 'held', reason: HELD, commands: [{ attempts: 0 }] });

  const explained = await teller(['explain', 'Lost', '--config', target], folder);
  expect(explained.out.split('\n')).toContainEqual(naming('thanks', 'held', /restore/));
  expect(await again.stop()).toBe(0);
  expect(new Set(said()).size).toBe(said().length);
});

test('a restore is refused while Teller runs, and Teller keeps running', { timeout: 60_000 }, async () => {
  const { folder, config } = await fixture();
  const running = await startTeller(['run', '--config', config], folder);
  const dir = path.join(temporaryFolder(), 'monday');
  expect((await teller(['backup', dir, '--config', config], folder)).code).toBe(0);
  const { code, err } = await teller(['restore', dir, '--config', config, '--yes'], folder);
  expect(code).toBe(1);
  expect(err).toMatch(/\[restore-running\]\n$/);
  expect(await vote(running, 'Steve')).toBe('accepted');
});
