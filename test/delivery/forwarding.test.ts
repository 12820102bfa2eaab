import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { publicKeyText } from '../../protocol/votifier/key-text.ts';
import { decryptV1Block } from '../../protocol/votifier/v1.ts';
import { Secret } from '../../src/config/config.ts';
import { readForward } from '../../src/core/forward.ts';
import { GameServerQueue } from '../../src/delivery/game-server-queue.ts';
import { votifier } from '../../src/delivery/kinds/votifier/kind.ts';
import type { VotifierConfig } from '../../src/delivery/kinds/votifier/schema.ts';
import { SeenPlayers } from '../../src/delivery/seen-players.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Rules } from '../../src/rewards/reward.ts';
import { forwardOf } from '../../src/votes/intake/forward.ts';
import { freePort } from '../sender/scripted-listener.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { fixedRandom } from '../support/fixed-random.ts';
import { freshLedger, rulesFor } from '../support/ledgers.ts';
import { keptLog } from '../support/log.ts';
import { arrival } from '../support/votes.ts';
import { quiet } from './scripted-queue.ts';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

type Version = 'v1' | 'v2';

/** How the other listener behaves towards a connection. */
type Mood =
  | 'down'
  | 'silent'
  | 'closes at once'
  | 'resets at once'
  | 'closes after its greeting'
  | 'resets after its greeting'
  | 'answers with an error'
  | 'closes in the middle of the vote'
  | 'resets after the vote'
  | 'is silent after the vote'
  | 'closes in the middle of its answer'
  | 'well';

/** The other listener, with a port of its own also while it is down. */
class OldListener {
  mood: Mood = 'well';
  /** The players of votes that it counted, and of those that it received in whole and did not confirm. */
  readonly counted: string[] = [];
  readonly unconfirmed: string[] = [];
  private server: Server | null = null;
  private readonly sockets = new Set<Socket>();

  constructor(
    readonly port: number,
    private readonly version: Version,
  ) {}

  async be(mood: Mood): Promise<void> {
    this.mood = mood;
    if (mood === 'down') await this.stop();
    else if (this.server === null) await this.listen();
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    const { server } = this;
    this.server = null;
    if (server === null) return;
    server.close();
    await once(server, 'close');
  }

  private async listen(): Promise<void> {
    this.server = createServer({ allowHalfOpen: true }, (socket) => this.accept(socket));
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  private accept(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => {}).on('close', () => this.sockets.delete(socket));
    const { mood } = this;
    if (mood === 'silent') return;
    if (mood === 'closes at once') return void socket.end();
    if (mood === 'resets at once') return void socket.resetAndDestroy();
    const greeting = this.version === 'v2' ? 'VOTIFIER 2 c0ffee\n' : 'VOTIFIER 1.9\n';
    if (mood === 'closes after its greeting') return void socket.end(greeting);
    socket.write(greeting, () => {
      if (mood === 'resets after its greeting') socket.resetAndDestroy();
    });
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (mood === 'closes in the middle of the vote') socket.destroy();
      else if (this.isWhole(received)) this.answer(socket, mood, this.playerOf(received));
    });
  }

  private isWhole(received: Buffer): boolean {
    if (this.version === 'v1') return received.length >= 256;
    return received.length >= 4 && received.length >= 4 + received.readUInt16BE(2);
  }

  private playerOf(received: Buffer): string {
    if (this.version === 'v1') return decryptV1Block(privateKey, received).split('\n')[2] ?? '';
    return (JSON.parse(JSON.parse(received.toString('utf8', 4)).payload) as { username: string }).username;
  }

  private answer(socket: Socket, mood: Mood, player: string): void {
    if (mood === 'well') {
      this.counted.push(player);
      socket.end(this.version === 'v2' ? '{"status":"ok"}\r\n' : '');
    } else if (mood === 'answers with an error') {
      socket.end('{"status":"error","cause":"Busy","error":"The database is gone"}\r\n');
    } else {
      this.unconfirmed.push(player);
      if (mood === 'closes in the middle of its answer') socket.end('{"status":');
      if (mood === 'resets after the vote') socket.resetAndDestroy();
    }
  }
}

/** A queue that forwards to the other listener, with a clock that the test moves. */
async function forwarding(version: Version, maxAgeMs = 24 * HOUR) {
  const clock = new FakeClock('2026-06-01T12:00:00Z');
  const { ledger: atOnce } = freshLedger();
  // On the ledger's thread, a commit takes many turns of the event loop.
  const claim: Ledger['claim'] = async (...given) => {
    await quiet(10);
    return atOnce.claim(...given);
  };
  const ledger: Ledger = { ...atOnce, claim };
  const old = new OldListener(await freePort(), version);
  onTestFinished(() => old.stop());
  const { log, codes } = keptLog();
  const config: VotifierConfig = {
    ...{ kind: 'votifier', host: '127.0.0.1', port: old.port, protocol: version },
    ...{ token: new Secret('the-token-of-the-old-listener'), publicKey: publicKeyText(publicKey) },
    ...{ maxAge: maxAgeMs, pays: false, commandPauseMs: 0, commandTimeoutMs: 10_000 },
    ...{ joinDelayMs: 0, presenceIntervalMs: 0 },
    ...{ refusedReplies: [], offlineReplies: [], deliveredReplies: [] },
  };
  const seen = new SeenPlayers(ledger, clock, { rules: rulesFor(), believed: new Set() });
  /** As a start of Teller does. */
  const started = async () => {
    const random = fixedRandom(0);
    const server = await votifier.connect(config, { name: 'old', clock, random, log, embedded: null });
    const queue = new GameServerQueue({
      ...{ name: 'old', practice: false, server, ledger, seen, clock, log, random },
      ...{ joinDelayMs: 0, presenceIntervalMs: 10_000 },
    });
    queue.start();
    return queue;
  };
  let queue = await started();
  const restart = async () => {
    await queue.close();
    queue = await started();
  };
  onTestFinished(() => queue.close());
  const rules: Rules = { ...rulesFor(), targets: [{ server: 'old', maxAgeMs, pays: false }] };
  const vote = async (player: string) => {
    const judged = arrival({ player, receivedAt: clock.now(), castAt: clock.now(), claim: null });
    await ledger.record({ ...judged, rules, ...forwardOf(judged, '203.0.113.9', rules) }, null);
    queue.nudge();
  };
  /** Time in steps that are shorter than any limit, so that sockets move in between. */
  const pass = async (ms: number, stepMs = 2_500) => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      clock.advance(stepMs);
      await quiet(40);
    }
  };
  /** The players of forwards in a state, oldest first. */
  const inState = async (state: string) =>
    (await ledger.grants({ limit: 999 }))
      .toReversed()
      .filter((grant) => grant.state === state)
      .map(({ commands }) => readForward(commands[0]?.command ?? '')?.player);
  return { clock, ledger, old, codes, vote, pass, inState, restart };
}

const NOT_RECEIVED: readonly Mood[] = [
  'down',
  'silent',
  'closes at once',
  'resets at once',
  'closes after its greeting',
  'resets after its greeting',
];

describe.each<Version>(['v2', 'v1'])('forwards by %s', (version) => {
  test.each(NOT_RECEIVED)(
    'wait for an hour while the other listener is like this: %s; then all arrive, once each and in order',
    async (mood) => {
      const { old, vote, pass, inState } = await forwarding(version);
      await old.be(mood);
      const players = ['A1', 'B2', 'C3', 'D4'];
      for (const player of players) {
        await vote(player);
        await pass(15 * MINUTE);
      }
      expect(old.counted).toEqual([]);
      expect(await inState('held')).toEqual([]);
      expect(await inState('pending')).toEqual(players);
      await old.be('well');
      await pass(2 * MINUTE);
      expect(old.counted).toEqual(players);
      expect(await inState('delivered')).toEqual(players);
    },
  );

  test('are held if they may have arrived, and never repeated; those after them go on in order', async () => {
    const { old, vote, pass, inState } = await forwarding(version);
    const moods: readonly Mood[] = [
      'well',
      'resets after the vote',
      'well',
      'is silent after the vote',
      ...(version === 'v2' ? (['closes in the middle of its answer', 'well'] as const) : []),
    ];
    for (const [index, mood] of moods.entries()) {
      await old.be(mood);
      await vote(`P${index}`);
      await pass(2 * MINUTE);
    }
    await old.be('well');
    await vote('Last');
    await pass(HOUR);
    const ofMood = (isWell: boolean) =>
      moods.flatMap((mood, index) => ((mood === 'well') === isWell ? [`P${index}`] : []));
    expect(old.counted).toEqual([...ofMood(true), 'Last']);
    expect(old.unconfirmed).toEqual(ofMood(false));
    expect(await inState('held')).toEqual(ofMood(false));
    expect(await inState('delivered')).toEqual([...ofMood(true), 'Last']);
  });

  test('that are older than maxAge are not forwarded any more', async () => {
    const { old, ledger, clock, vote, pass, inState } = await forwarding(version, HOUR);
    await old.be('down');
    await vote('Early');
    await pass(45 * MINUTE, MINUTE);
    await vote('Later');
    await pass(30 * MINUTE, MINUTE);
    await ledger.applyTerms(clock.now());
    await old.be('well');
    await pass(2 * MINUTE);
    expect(old.counted).toEqual(['Later']);
    expect(await inState('cancelled')).toEqual(['Early']);
  });
});

test('an hour of a listener that fails in every way in turn: order is kept, nothing is counted twice, and what is unknown is listed', async () => {
  const { old, vote, pass, inState, codes } = await forwarding('v2');
  const moods: readonly Mood[] = [
    ...NOT_RECEIVED,
    'answers with an error',
    'well',
    'closes in the middle of the vote',
    'resets after the vote',
    'answers with an error',
    'closes in the middle of its answer',
    'is silent after the vote',
    'down',
  ];
  const players = moods.map((_, index) => `P${index}`);
  for (const [index, mood] of moods.entries()) {
    await old.be(mood);
    await vote(`P${index}`);
    await pass(4 * MINUTE);
  }
  await old.be('well');
  await vote('Last');
  await pass(10 * MINUTE);
  const held = await inState('held');
  const refused = await inState('refused');
  const delivered = await inState('delivered');
  expect(old.counted).toEqual(delivered);
  expect(refused).toEqual([]);
  expect([...old.counted, ...held].toSorted()).toEqual([...players, 'Last'].toSorted());
  expect(old.counted).toEqual([...players, 'Last'].filter((player) => old.counted.includes(player)));
  // Each that arrived in whole without a confirmation is listed; one was cut off while it was received.
  expect(held).toEqual(expect.arrayContaining(old.unconfirmed));
  expect(held.length).toBe(old.unconfirmed.length + 1);
  expect(codes.filter((code) => code === 'unknown')).toHaveLength(held.length);
});

test('a vote that is refused again and again is given up after five minutes, and the next goes on', async () => {
  const { old, vote, pass, inState } = await forwarding('v2');
  await old.be('answers with an error');
  await vote('Bad');
  await vote('Good');
  await pass(4 * MINUTE);
  expect(await inState('pending')).toEqual(['Bad', 'Good']);
  await pass(3 * MINUTE);
  expect(await inState('refused')).toEqual(['Bad']);
  await old.be('well');
  await pass(2 * MINUTE);
  expect(old.counted).toEqual(['Good']);
});

test('a vote that is refused while Teller is started again every four minutes is given up at maxAge, and the next goes on', async () => {
  const { old, ledger, clock, vote, pass, inState, restart } = await forwarding('v2', HOUR);
  await old.be('answers with an error');
  await vote('Bad');
  await pass(4 * MINUTE);
  await vote('Good');
  for (let minutes = 4; minutes < 60; minutes += 4) {
    await ledger.applyTerms(clock.now());
    expect(await inState('pending')).toEqual(['Bad', 'Good']);
    await restart();
    await pass(4 * MINUTE);
  }
  await old.be('well');
  await ledger.applyTerms(clock.now());
  await pass(2 * MINUTE);
  expect(await inState('cancelled')).toEqual(['Bad']);
  expect(old.counted).toEqual(['Good']);
});
