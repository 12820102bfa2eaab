import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { configFolder, lookInto, TOKEN, writeConfig } from '../support/config-folder.ts';
import type { KillPoint } from '../support/killing-teller.ts';
import { type Running, startScript, startTeller, type TellerReady, teller } from '../support/processes.ts';

const KILLING_TELLER = join(import.meta.dirname, '../support/killing-teller.ts');
const PASSWORD = 'practice-password-of-this-test';
const REWARDS = [
  { name: 'thanks', when: 'always', commands: ['say {player} voted'] },
  { name: 'daily', when: 'online', commands: ['give {player} diamond 1', 'give {player} emerald 2'] },
];

/** A practice server in a separate process, and a config that treats it as a real one. */
async function fixture() {
  const { folder, config, ledger } = configFolder();
  const commandLog = join(folder, 'commands.log');
  const practice = await startTeller(['practice', '--password', PASSWORD, '--log', commandLog], folder);
  const { host = '', port = 0 } = practice.ready.practiceServer ?? {};
  const main = { kind: 'rcon', host, port, password: PASSWORD, joinDelay: '0s', presenceInterval: '1s' };
  writeConfig(config, { gameServers: { main }, rewards: REWARDS });
  await teller(
    ['practice', 'join', 'Steve', '--host', host, '--port', String(port), '--password', PASSWORD],
    folder,
  );
  return { folder, config, ledger, commandsRun: () => commandsIn(commandLog) };
}

/** The commands that the practice server ran, without queries of who is online. */
function commandsIn(file: string): string[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .filter((line) => line !== '');
  const commands = lines.map((line) => (JSON.parse(line) as { command: string }).command);
  return commands.filter((command) => /^(?:say|give) /.test(command));
}

const startKilling = (config: string, point: KillPoint, folder: string): Promise<Running<TellerReady>> =>
  startScript(KILLING_TELLER, [config, point], folder);

const TIMESTAMP = 1_780_000_000_123;

const vote = ({ ready }: Running<TellerReady>) =>
  sendVote(
    { serviceName: 'List', username: 'Steve', address: '192.0.2.1', timestamp: String(TIMESTAMP) },
    { ...ready.listener, auth: { version: 'v2', token: TOKEN } },
    { clock: systemClock },
  );

test('rule 1: after a kill between commit and reply, the vote is stored and paid once, even if it is sent again', {
  timeout: 60_000,
}, async () => {
  const { folder, config, ledger, commandsRun } = await fixture();
  const killed = await startKilling(config, 'between-commit-and-reply', folder);
  expect(await vote(killed)).toMatchObject({ kind: 'failed', reached: 'unknown' });
  await killed.ended();
  expect(commandsRun()).toEqual([]);

  const running = await startTeller(['run', '--config', config], folder);
  const look = lookInto(ledger);
  await expect.poll(() => look.grantStates(), { timeout: 15_000 }).toEqual({ delivered: 2 });
  expect(await vote(running)).toMatchObject({ kind: 'accepted' });

  expect(await look.votes({ limit: 9 })).toMatchObject([{ id: 1, decision: 'rewarded', repeats: 1 }]);
  expect(commandsRun()).toEqual(['say Steve voted', 'give Steve diamond 1', 'give Steve emerald 2']);
});

/** One of two grants is held after a kill at this point and a new start. */
async function heldAfterKill(point: KillPoint) {
  const { folder, config, ledger, commandsRun } = await fixture();
  const killed = await startKilling(config, point, folder);
  await vote(killed);
  await killed.ended();

  await startTeller(['run', '--config', config], folder);
  const look = lookInto(ledger);
  await expect.poll(() => look.grantStates(), { timeout: 15_000 }).toEqual({ held: 1, delivered: 1 });
  const [held] = await look.grants({ state: 'held', limit: 9 });
  return { held, commandsRun };
}

test('rule 6: after a kill between claim and write, the command is unknown and held, and is not run without the operator', {
  timeout: 60_000,
}, async () => {
  const { held, commandsRun } = await heldAfterKill('between-claim-and-write');
  expect(held).toMatchObject({ reward: 'thanks', commands: [{ outcome: 'unknown', attempts: 1 }] });
  expect(commandsRun()).toEqual(['give Steve diamond 1', 'give Steve emerald 2']);
});

test('after a kill between a claim that shared a commit and the write, that command is unknown and not run', {
  timeout: 60_000,
}, async () => {
  const { held, commandsRun } = await heldAfterKill('between-shared-claim-and-write');
  expect(held).toMatchObject({
    reward: 'daily',
    commands: [{ outcome: 'delivered' }, { outcome: 'unknown', attempts: 1 }],
  });
  expect(commandsRun()).toEqual(['say Steve voted', 'give Steve diamond 1']);
});

test('after a kill between write and settlement, the command has run once, is recorded as unknown and held, and is not run again', {
  timeout: 60_000,
}, async () => {
  const { folder, config, ledger, commandsRun } = await fixture();
  const killed = await startKilling(config, 'between-write-and-settlement', folder);
  await vote(killed);
  await killed.ended();
  expect(commandsRun()).toEqual(['say Steve voted']);

  const running = await startTeller(['run', '--config', config], folder);
  const look = lookInto(ledger);
  await expect.poll(() => look.grantStates(), { timeout: 15_000 }).toEqual({ held: 1, delivered: 1 });
  const [held] = await look.grants({ state: 'held', limit: 9 });
  expect(held).toMatchObject({ reward: 'thanks', commands: [{ outcome: 'unknown', attempts: 1 }] });
  expect(commandsRun()).toEqual(['say Steve voted', 'give Steve diamond 1', 'give Steve emerald 2']);

  expect(await vote(running)).toMatchObject({ kind: 'accepted' });
  expect(commandsRun()).toHaveLength(3);
});
