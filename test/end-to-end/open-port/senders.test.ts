/** Who connects to a port for votes: real programs, slow ones, scanners, browsers, and those that send nothing. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import minecraft from 'minecraft-server-util';
import { expect, test } from 'vitest';
import { type Apart, apart, typedHere } from '../../kit/apart.ts';
import { furnish, type Place, rewrite } from '../../kit/place.ts';
import { openPort as openPortHere } from '../../kit/port.ts';
import { sendBlock, sendV2, TOKEN, v1Block } from '../../kit/vote.ts';
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
  sendBytes,
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

test('every real sender’s vote is recorded, and its reward reaches the player once', async () => {
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

const SLOW = ['127.0.0.1', '127.62.0.1'];
const addresses = Array.from({ length: 100 }, (_, index) => `127.62.0.${index + 1}`);
const nameOf = (address: string): string => `Slow_${address.split('.')[3]}`;

/** A vote from each of a hundred addresses, one byte of each per round, until all are written or closed. Returns the answers. */
async function sendSlowly(port: number, pauseMs: number): Promise<string[]> {
  const votes = await Promise.all(
    addresses.map(async (from) => {
      const client = await VotifierClient.greeted(port, from);
      const frame = await client.frame({ username: nameOf(from), timestamp: String(Date.now()) });
      return { client, frame };
    }),
  );
  const longest = Math.max(...votes.map(({ frame }) => frame.length));
  const closed = votes.map(({ client }) => client.untilClosed());
  for (let at = 0; at < longest && votes.some(({ client }) => client.socket.writable); at++) {
    for (const { client, frame } of votes)
      if (client.socket.writable) client.write(frame.subarray(at, at + 1));
    await sleep(pauseMs);
  }
  return Promise.all(closed);
}

test.each([
  ['all count if they are complete before the deadline', {}, 3, OK, addresses.map(nameOf), {}],
  ['do not count if they are incomplete at the deadline', SHORT_DEADLINE, 15, '', [], { deadline: 100 }],
] as const)(
  'a hundred votes that arrive one byte at a time %s, and delay no other sender',
  async (_, config, pauseMs, answer, counted, refusals) => {
    const target = await openPort(config);
    const answers = await target.genuine.during(SLOW, sendSlowly(target.port, pauseMs));
    expect(answers).toEqual(Array(100).fill(answer));
    await target.stop();
    expect(await refusalCounts(target)).toEqual(refusals);
    if (answer === '') expectSummedUp(target, 100);
    await expectServed(target, counted);
  },
);

const SCANNER = '127.61.0.1';
const HOST = 'Host: 203.0.113.5:8192';
/** With the two requests that a browser sends on one connection. */
const REQUESTS = [
  `GET / HTTP/1.1\r\n${HOST}\r\n\r\n`,
  `POST /login HTTP/1.1\r\n${HOST}\r\nContent-Length: 400\r\n\r\n${'a'.repeat(400)}`,
  ['/', '/favicon.ico'].map((path) => `GET ${path} HTTP/1.1\r\n${HOST}\r\nAccept: */*\r\n\r\n`).join(''),
];
const BANNERS = ['SSH-2.0-Go\r\n', 'SSH-2.0-OpenSSH_9.6p1 Ubuntu-3\r\n', 'SSH-2.0-libssh2_1.11.0\r\n'];
const BEGINNING_OF_TLS = Buffer.from('16030100f5010000f10303', 'hex');

/** Node's HTTP client, which cannot parse the Votifier greeting. */
const realGet = (port: number): Promise<string> =>
  new Promise((resolve) => {
    get({ host: '127.0.0.1', port, localAddress: SCANNER }).on('error', ({ message }) => resolve(message));
  });

const realTls = (port: number): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, localAddress: SCANNER });
    connectTls({ socket, servername: 'example.org' }).on('error', ({ message }) => resolve(message));
  });

test('what is no vote gets no answer, is counted as what it is and summed up in the log, and delays no vote: HTTP, TLS, SSH, silence, and a vote that breaks off', async () => {
  const target = await openPort();
  const { port, genuine } = target;
  const answers: string[] = [];
  const send = async (from: string, bytes: Buffer | string) =>
    answers.push(await sendBytes(port, from, bytes));
  const broken = async (): Promise<void> => {
    const client = await VotifierClient.greeted(port, SCANNER);
    const frame = await client.frame({ username: 'Broken' });
    client.reset(frame.subarray(0, frame.length / 2));
    await client.untilClosed();
  };
  const half = async (index: number): Promise<void> => {
    const client = await VotifierClient.open(port, SCANNER);
    client.end(['', 's', 'VOTE\n'][index % 3]);
    answers.push(await client.untilClosed());
  };
  const work = async () => {
    await Promise.all([
      repeat(30, (index) => send(SCANNER, REQUESTS[index % REQUESTS.length] ?? '')),
      repeat(30, (index) => send(SCANNER, BANNERS[index % BANNERS.length] ?? '')),
      repeat(20, () => send(SCANNER, BEGINNING_OF_TLS)),
    ]);
    await Promise.all([repeat(500, broken), repeat(99, half)]);
    // From as many addresses as it takes to stay below the cap of each.
    await repeat(400, (at) => send(`127.61.1.${1 + (at % 20)}`, at < 200 ? '' : 's'), 400);
    return [await realGet(port), await realTls(port)];
  };
  const errors = await genuine.during(['127.0.0.1', SCANNER], work());
  expect(errors).toEqual([expect.stringContaining('Parse Error'), expect.stringContaining('wrong version')]);
  expect(answers).toEqual(Array(30 + 30 + 20 + 99 + 400).fill(''));
  await target.stop();
  const counts = { http: 31, ssh: 30, tls: 21, deadline: 400, empty: 33, incomplete: 500 + 66 };
  expect(await refusalCounts(target)).toEqual(counts);
  expectSummedUp(
    target,
    Object.values(counts).reduce((sum, count) => sum + count, 0),
  );
  await expectServed(target);
});

const LIMIT = ['prlimit', '--nofile=224'];
const hasLimit = spawnSync('prlimit', ['--version']).status === 0;

test.skipIf(!hasLimit)(
  'a process that may have 224 files open accepts genuine votes while 300 idle connections are opened; it logs files-few, as `check` finds while it runs',
  async () => {
    const target = await openPort({}, LIMIT);
    await repeat(300, (n) => VotifierClient.open(target.port, `127.64.0.${(n % 20) + 1}`), 300);
    for (let n = 0; n < 30; n++) await target.genuine.vote('127.65.0.1');
    await expectServed(target);
    expect(target.notAboutVotes().filter(({ code }) => code === 'files-few')).toHaveLength(1);
    const found = async () => (await typedHere(target, 'check', '--offline', '--json')).json;
    expect(await found()).toContainEqual(expect.objectContaining({ code: 'files-few', mark: 'warning' }));
    await target.stop();
    expect(await found()).toContainEqual(expect.objectContaining({ code: 'files', mark: 'ok' }));
  },
);

test('a v1 block that is replayed a thousand times from many addresses is one vote and one reward, and delays no other vote', async () => {
  const target = await openPort({ rewards: [{ name: 'daily', when: 'always', commands: ['say {player}'] }] });
  const { port, genuine, folder } = target;
  const block = v1Block('VOTE\nList\nReplayed\n192.0.2.1\nno time at all\n', folder);
  await sendBytes(port, '127.0.0.1', block);
  // The block alone, with the line end that some senders add, and twice in one write.
  const replays = [block, Buffer.concat([block, Buffer.from('\n')]), Buffer.concat([block, block])];
  const replay = (at: number) =>
    sendBytes(port, `127.66.${at % 7}.${1 + (at % 250)}`, replays[at % 3] ?? block);
  await genuine.during(['127.0.0.1', '127.66.0.1'], repeat(1_000, replay));
  const { json } = await typedHere(target, 'explain', 'Replayed', '--json');
  expect(json).toMatchObject([{ decision: 'rewarded', repeats: 1_000, grants: [{ reward: 'daily' }] }]);
  await target.stop();
  expect(await refusalCounts(target)).toEqual({});
  await expectServed(target, ['Replayed']);
});

test('a hundred senders behind one trusted proxy are all answered ok while another one floods', async () => {
  const behind = { proxyProtocol: 'required', trustedProxies: ['127.0.0.1/32'] };
  const place = furnish(temporaryFolder(), {
    ...{ rewards: [], listener: { host: '127.0.0.1', port: 0, ...behind } },
  });
  const running = await apart(place);
  const { port } = running.ready.listener;
  const header = (address: string) => `PROXY TCP4 ${address} 203.0.113.250 1 2\r\n`;
  const junk = (at: number) => Buffer.concat([Buffer.from(header('192.0.2.9')), Buffer.alloc(300, at)]);
  const flood = repeat(300, (at) => sendBytes(port, '127.0.0.1', junk(at)));
  const senders = Array.from({ length: 100 }, (_, at) => `203.0.113.${at + 1}`);
  const answers = senders.map((address, at) =>
    sendV2(port, { player: `Behind_${at}`, before: header(address) }),
  );
  expect(await Promise.all(answers)).toEqual(Array(100).fill('ok'));
  await flood;
  expect(await running.stop()).toBe(0);
  expect(await refusalCounts(place)).toEqual({ 'v1-bad-block': 300 });
  expect(await votesOf(place)).toHaveLength(100);
});

test('a v1 block counts only once, even after a restart and if its site gets an entry of its own', async () => {
  const { teller, sent, blockOf, votes } = await openPortHere();
  // Without a readable time, only the bytes of the block show that it is a replay.
  const block = blockOf('VOTE\nOther.example\nReplayed\n192.0.2.1\nno time at all\n');
  await sent(block);
  const sites = { default: { token: TOKEN }, 'Other.example': { cooldown: '1s' } };
  await teller.restart(() => rewrite(teller, { sites, rewards: [] }));
  teller.clock.advance(60_000);
  for (let times = 0; times < 3; times++) await sendBlock(teller.port, block);
  expect(await votes()).toMatchObject([{ service: 'Other.example', decision: 'rewarded' }]);
  expect((await teller.run('explain', 'Replayed', '--json')).json).toMatchObject([{ repeats: 3 }]);
});

test('a v2 frame [V2-8] that was captured on one connection is refused on every other, also after a restart, and is valid on its own', async () => {
  const { teller, greeted, sent, players } = await openPortHere();
  const victim = await greeted();
  const captured = await victim.frame();
  expect(await sent(captured)).toContain('"cause":"InvalidChallenge"');
  victim.write(captured);
  expect(await victim.untilClosed()).toBe(OK);
  expect(await sent(captured)).toContain('"cause":"InvalidChallenge"');
  await teller.restart();
  expect(await sendBytes(teller.port, '127.0.0.1', captured)).toContain('"cause":"InvalidChallenge"');
  expect(await players()).toEqual(['Steve']);
});
