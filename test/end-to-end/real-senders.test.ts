import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import minecraft from 'minecraft-server-util';
import { expect, test } from 'vitest';
import { configFolder, lookInto, TOKEN } from '../support/config-folder.ts';
import { startTeller, teller } from '../support/processes.ts';

const require = createRequire(import.meta.url);
const votifier2 = promisify(require('votifier2'));
const votifierSend = promisify(require('votifier-send').send);

const SENT = [
  ['Vicky', 'listener-v2', 'votifier2'],
  ['Victor', 'listener-v1', 'votifier-send'],
  ['Mia', 'listener-v2', 'minecraft-server-util sendVote'],
  ['Max', 'listener-v1', 'minecraft-server-util sendLegacyVote'],
  ['Tina', 'listener-v2', 'teller send, v2'],
  ['Tom', 'listener-v1', 'teller send, v1'],
] as const;

/** Sends one vote with each sender, for the player in the table above. */
async function sendAll(folder: string, port: number): Promise<void> {
  const host = '127.0.0.1';
  const key = readFileSync(join(folder, 'data/keys/public.key'), 'utf8');
  const vote = {
    username: 'Vicky',
    address: '192.0.2.1',
    timestamp: 1_780_000_000_123,
    serviceName: 'votifier2',
  };
  await votifier2({ host, port, token: TOKEN, vote });
  await votifierSend({ host, port, key, data: { user: 'Victor', site: 'votifier-send', addr: '192.0.2.1' } });
  await minecraft.sendVote(host, port, {
    token: TOKEN,
    username: 'Mia',
    serviceName: 'minecraft-server-util sendVote',
  });
  const legacy = { key, username: 'Max', serviceName: 'minecraft-server-util sendLegacyVote' };
  await minecraft.sendLegacyVote(host, port, legacy);
  const send = ['send', '--host', host, '--port', String(port)];
  const v2 = await teller(
    [...send, '--token', TOKEN, '--service', 'teller send, v2', '--player', 'Tina'],
    folder,
  );
  const keyFile = 'data/keys/public.key';
  const v1 = await teller(
    [...send, '--public-key', keyFile, '--service', 'teller send, v1', '--player', 'Tom'],
    folder,
  );
  expect([v2.code, v1.code]).toEqual([0, 0]);
}

test('every real sender’s vote is recorded, and its reward reaches the player once', {
  timeout: 60_000,
}, async () => {
  const { folder, config, ledger } = configFolder();
  const running = await startTeller(['run', '--config', config], folder);

  await sendAll(folder, running.ready.listener.port);

  const look = lookInto(ledger);
  await expect.poll(() => look.grantStates(), { timeout: 15_000 }).toEqual({ delivered: 12 });
  const { out } = await teller(['votes', '--json', '--config', config], folder);
  const votes = JSON.parse(out) as { player: string; channel: string; service: string; decision: string }[];
  expect(votes.map(({ player, channel, service, decision }) => [player, channel, service, decision])).toEqual(
    SENT.map(([player, channel, service]) => [player, channel, service, 'rewarded']).reverse(),
  );
  for (const [player] of SENT) {
    const inventory = await teller(['practice', 'inventory', player, '--json', '--config', config], folder);
    expect(JSON.parse(inventory.out), player).toEqual([{ item: 'diamond', count: 1 }]);
  }
  expect(await running.stop()).toBe(0);
});
