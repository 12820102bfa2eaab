/** Genuine senders, as they are: real programs, slow ones, and those that close their side early. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import minecraft from 'minecraft-server-util';
import { expect, test } from 'vitest';
import { type Apart, apart, typedHere } from '../../kit/apart.ts';
import { furnish, type Place } from '../../kit/place.ts';
import { TOKEN, v1Block } from '../../kit/vote.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { VotifierClient } from '../../support/votifier-client.ts';
import {
  expectServed,
  expectSummedUp,
  OK,
  openPort,
  refusalCounts,
  repeat,
  SHORT_DEADLINE,
  votesOf,
} from './fixture.ts';

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
async function sendAll(place: Place, { port }: Apart['ready']['listener']): Promise<void> {
  const { folder } = place;
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
  const send = (...words: readonly string[]) =>
    typedHere(place, 'send', '--host', host, '--port', String(port), ...words);
  const v2 = await send('--token', TOKEN, '--service', 'teller send, v2', '--player', 'Tina');
  const keyFile = join(folder, 'data/keys/public.key');
  const v1 = await send('--public-key', keyFile, '--service', 'teller send, v1', '--player', 'Tom');
  expect([v2.exit, v1.exit]).toEqual([0, 0]);
}

test('every real sender’s vote is recorded, and its reward reaches the player once', {
  timeout: 60_000,
}, async () => {
  const rewards = [{ name: 'daily', commands: ['give {player} diamond 1'] }];
  const place = furnish(temporaryFolder(), { rewards, sites: { default: { token: TOKEN } } });
  const running = await apart(place);
  await sendAll(place, running.ready.listener);
  await running.until(async () => (await votesOf(place)).length === SENT.length);
  const votes = (await votesOf(place)).toReversed();
  expect(votes.map(({ player, channel, service, decision }) => [player, channel, service, decision])).toEqual(
    SENT.map(([player, channel, service]) => [player, channel, service, 'rewarded']),
  );
  await running.settled();
  for (const [player] of SENT) {
    const { json } = await typedHere(place, 'practice', 'inventory', player, '--json');
    expect(json, player).toEqual([{ item: 'diamond', count: 1 }]);
  }
  expect(await running.stop()).toBe(0);
});

const SENDER = '127.67.0.1';
const FROM = ['127.0.0.1', SENDER];

const players = (count: number): string[] => Array.from({ length: count }, (_, index) => `Hasty_${index}`);

/** Of a vote that is cast now. */
const blockOf = ({ folder }: Place, player: string): Buffer =>
  v1Block(`VOTE\nList\n${player}\n192.0.2.1\n${Date.now()}\n`, folder);

test.each<[string, (client: VotifierClient, block: Buffer) => void]>([
  ['closes its side at once', (client, block) => client.end(block)],
  ['resets the connection at once', (client, block) => client.reset(block)],
])(
  'the vote of a v1 sender that writes its block before the greeting and %s counts',
  async (_, sendAndLeave) => {
    const target = await openPort();
    const hasty = repeat(100, async (index) => {
      const client = await VotifierClient.open(target.port, SENDER);
      sendAndLeave(client, blockOf(target, `Hasty_${index}`));
      await client.untilClosed();
    });
    await target.genuine.during(FROM, hasty);
    const recorded = async () => (await votesOf(target)).length;
    await expect.poll(recorded).toBe(target.genuine.answers.length + 100);
    await target.stop();
    expect(await refusalCounts(target)).toEqual({});
    await expectServed(target, players(100));
  },
);

test('a v2 sender that closes its side after its frame still gets its answer', async () => {
  const target = await openPort();
  const hasty = repeat(100, async (index) => {
    const client = await VotifierClient.greeted(target.port, SENDER);
    client.end(await client.frame({ username: `Hasty_${index}`, timestamp: String(Date.now()) }));
    expect(await client.untilClosed()).toBe(OK);
  });
  await target.genuine.during(FROM, hasty);
  await target.stop();
  expect(await refusalCounts(target)).toEqual({});
  await expectServed(target, players(100));
});

test('a sender that half-closes its connection without a vote is disconnected, and counted under the kind of data it sent', async () => {
  const target = await openPort();
  const half = repeat(100, async (index) => {
    const client = await VotifierClient.open(target.port, SENDER);
    client.end(['', 's', 'VOTE\n'][index % 3]);
    expect(await client.untilClosed()).toBe('');
  });
  await target.genuine.during(FROM, half);
  await target.stop();
  expect(await refusalCounts(target)).toEqual({ empty: 34, incomplete: 66 });
  expectSummedUp(target, 100);
  await expectServed(target);
});

test('five hundred connections that are reset in the middle of a frame are counted and affect no other sender', async () => {
  const target = await openPort();
  const broken = repeat(500, async () => {
    const client = await VotifierClient.greeted(target.port, SENDER);
    const frame = await client.frame({ username: 'Broken' });
    client.reset(frame.subarray(0, frame.length / 2));
    await client.untilClosed();
  });
  await target.genuine.during(FROM, broken);
  await target.stop();
  expect(await refusalCounts(target)).toEqual({ incomplete: 500 });
  expectSummedUp(target, 500);
  await expectServed(target);
});

const PAUSE_MS = 3;
const SLOW = ['127.0.0.1', '127.62.0.1'];

const addresses = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `127.62.0.${index + 1}`);

interface SlowVote {
  readonly client: VotifierClient;
  readonly frame: Buffer;
}

async function slowVote(port: number, from: string): Promise<SlowVote> {
  const client = await VotifierClient.greeted(port, from);
  return {
    client,
    frame: await client.frame({ username: nameOf(from), timestamp: String(Date.now()) }),
  };
}

const nameOf = (address: string): string => `Slow_${address.split('.')[3]}`;

/** Writes one byte of each frame per round until all are written or closed by the listener. Returns the answers. */
async function writeSlowly(votes: readonly SlowVote[], pauseMs: number): Promise<string[]> {
  const longest = Math.max(...votes.map(({ frame }) => frame.length));
  const closed = votes.map(({ client }) => client.untilClosed());
  for (let at = 0; at < longest && votes.some(({ client }) => client.socket.writable); at++) {
    for (const { client, frame } of votes)
      if (client.socket.writable) client.write(frame.subarray(at, at + 1));
    await sleep(pauseMs);
  }
  return Promise.all(closed);
}

const sendSlowly = async (port: number, count: number, pauseMs: number): Promise<string[]> =>
  writeSlowly(await Promise.all(addresses(count).map((from) => slowVote(port, from))), pauseMs);

test('a vote that arrives one byte at a time and is complete before the deadline counts', async () => {
  const target = await openPort();
  const answers = await target.genuine.during(SLOW, sendSlowly(target.port, 1, PAUSE_MS));
  expect(answers).toEqual([OK]);
  await target.stop();
  expect(await refusalCounts(target)).toEqual({});
  await expectServed(target, ['Slow_1']);
});

test('a hundred votes that arrive one byte at a time all count, and delay no other sender', async () => {
  const target = await openPort();
  const answers = await target.genuine.during(SLOW, sendSlowly(target.port, 100, PAUSE_MS));
  expect(answers).toEqual(Array(100).fill(OK));
  await target.stop();
  expect(await refusalCounts(target)).toEqual({});
  await expectServed(target, addresses(100).map(nameOf));
});

test('a hundred votes that are incomplete at the deadline are disconnected, do not count, and delay no other sender', async () => {
  const target = await openPort(SHORT_DEADLINE);
  const answers = await target.genuine.during(SLOW, sendSlowly(target.port, 100, 5 * PAUSE_MS));
  expect(answers).toEqual(Array(100).fill(''));
  await target.stop();
  expect(await refusalCounts(target)).toEqual({ deadline: 100 });
  expectSummedUp(target, 100);
  await expectServed(target);
});
