import { expect, onTestFinished, test } from 'vitest';
import { bucketOf, type CommandProof } from '../../src/core/proof.ts';
import { GameServerQueue } from '../../src/delivery/game-server-queue.ts';
import { SeenPlayers } from '../../src/delivery/seen-players.ts';
import type { GrantRow, Ledger } from '../../src/ledger/ledger.ts';
import type { PracticeServer } from '../../src/practice/server.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { TOKEN } from '../support/config-folder.ts';
import { systemRandom } from '../../src/runtime/random.ts';
import { freshLedger, record, rulesFor } from '../support/ledgers.ts';
import { silentLog } from '../support/log.ts';
import { client, practice } from '../support/rcon.ts';
import { reward } from '../support/rewards.ts';
import { arrival } from '../support/votes.ts';
import { type RunningApp, runningApp } from '../support/running-app.ts';

const PROVING = {
  ...{ kind: 'practice', autoJoin: false, proof: 'storage' },
  ...{ joinDelay: '0s', presenceInterval: '1s', commandTimeout: '1s', commandPause: '0s' },
};
const GIVE = { name: 'daily', when: 'online', commands: ['give {player} diamond 1'] };

const setUp = async (reward: object = GIVE): Promise<RunningApp> => {
  const running = await runningApp(systemClock, { gameServers: { main: PROVING }, rewards: [reward] });
  practiceOf(running).join('Steve');
  return running;
};

const practiceOf = ({ app }: RunningApp): PracticeServer => app.practiceServers.get('main') as PracticeServer;

const vote = ({ app }: RunningApp, username = 'Steve', serviceName = 'List') =>
  sendVote(
    { serviceName, username, address: '192.0.2.1', timestamp: String(systemClock.now()) },
    { ...app.listener, auth: { version: 'v2', token: TOKEN } },
    { clock: systemClock },
  );

const grants = ({ look }: RunningApp): Promise<readonly GrantRow[]> => look.grants({ limit: 99 });

const states = async (running: RunningApp): Promise<string[]> =>
  (await grants(running)).map(({ state }) => state);

/** What became of the only command of the only grant. */
const ended = async (running: RunningApp): Promise<unknown> => {
  const [grant] = await grants(running);
  const [command] = grant?.commands ?? [];
  return {
    state: grant?.state,
    why: grant?.reason?.code,
    command: command?.reason?.code,
    tries: command?.attempts,
  };
};

/** What was sent with a mark. */
const marked = (running: RunningApp): string[] =>
  practiceOf(running)
    .commands()
    .map(({ command }) => command)
    .filter((command) =>
      /^execute store success storage teller:paid t[0-9a-f]{10}\.\d+ byte 1 run /.test(command),
    )
    .map((command) => command.replace(/^.* byte 1 run /, ''));

const waitFor = { timeout: 15_000 };

test('a command leaves a mark, and is delivered by its reply', async () => {
  const running = await setUp();
  await vote(running);
  await expect.poll(() => states(running), waitFor).toEqual(['delivered']);
  expect(marked(running)).toEqual(['give Steve diamond 1']);
  expect(practiceOf(running).inventory('Steve')).toEqual({ diamond: 1 });
});

test.each(['run-and-close', 'run-and-silent', 'half-reply', 'garbage-length'] as const)(
  '%s: the command ran, so it is delivered and not run again',
  async (fault) => {
    const running = await setUp();
    practiceOf(running).setFault(fault, 1);
    await vote(running);
    await expect
      .poll(() => ended(running), waitFor)
      .toEqual({ state: 'delivered', why: undefined, command: 'proven', tries: 1 });
    expect(practiceOf(running).inventory('Steve')).toEqual({ diamond: 1 });
  },
);

test.each(['close-before-running', 'silent-without-running'] as const)(
  '%s: the command did not run and the game server ran on, so it is run again',
  async (fault) => {
    const running = await setUp();
    practiceOf(running).setFault(fault, 1);
    await vote(running);
    await expect
      .poll(() => ended(running), waitFor)
      .toEqual({ state: 'delivered', why: undefined, command: undefined, tries: 2 });
    expect(practiceOf(running).inventory('Steve')).toEqual({ diamond: 1 });
  },
);

test('a game server that crashed and lost the mark proves nothing, so the grant is held and says why', async () => {
  const running = await setUp();
  practiceOf(running).setFault('crash-with-rollback', 1);
  await vote(running);
  await expect
    .poll(() => ended(running), waitFor)
    .toEqual({ state: 'held', why: 'no-mark', command: 'no-mark', tries: 1 });
  expect(practiceOf(running).inventory('Steve')).toEqual({});
});

test('a command that ran and failed is refused', async () => {
  const running = await setUp({ name: 'tag', commands: ['give {player} diamond 6401'] });
  practiceOf(running).setFault('run-and-close', 1);
  await vote(running);
  await expect
    .poll(() => ended(running), waitFor)
    .toEqual({ state: 'refused', why: 'proven-failed', command: 'proven-failed', tries: 1 });
});

test('a command that failed because its player is offline waits for them', async () => {
  const running = await setUp({ ...GIVE, when: 'always' });
  practiceOf(running).setFault('run-and-close', 1);
  await vote(running, 'Alex');
  await expect
    .poll(() => ended(running), waitFor)
    .toEqual({ state: 'waiting', why: 'player-offline', command: 'proven-failed', tries: 1 });
});

test('a command that the game runs for many players, or does not know after `run`, is run as it is', async () => {
  const commands = ['execute as {player} run say hello', 'crate give {player}'];
  const running = await setUp({ name: 'both', commands });
  await vote(running);
  await expect.poll(() => states(running), waitFor).toEqual(['refused']);
  expect(marked(running)).toEqual([]);
  expect(
    practiceOf(running)
      .commands()
      .map(({ command }) => command),
  ).toContain('crate give Steve');
});

/** A ledger in which a process died while it was sending a command to this server, and what it had sent. */
async function dyingWhileSending(hasArrived: boolean) {
  const server = await practice();
  server.join('Steve');
  const dead = client(server, { proof: 'storage' });
  const { ledger } = freshLedger();
  const now = systemClock.now();
  await record(ledger, [arrival({ receivedAt: now })], rulesFor(reward('daily', { commands: [COMMAND] })));
  const proof = (await dead.proof?.prepare(COMMAND)) as CommandProof;
  await ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now, proof });
  if (hasArrived) await dead.run(COMMAND, COMMAND, undefined, proof);
  await dead.close();
  return { server, ledger, now, proof };
}

const COMMAND = 'give Steve diamond 1';
const MAIN = { server: 'main', practice: false };

function restarted(ledger: Ledger, server: PracticeServer): GameServerQueue {
  const seen = new SeenPlayers(ledger, systemClock, { rules: rulesFor(), believed: new Set(['main']) });
  const queue = new GameServerQueue({
    ...{ name: 'main', practice: false, joinDelayMs: 0, presenceIntervalMs: 1_000, seen, ledger },
    ...{
      server: client(server, { proof: 'storage' }),
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
    },
  });
  queue.start();
  onTestFinished(() => queue.close());
  return queue;
}

test.each([
  [true, 'proven', 1],
  [false, undefined, 2],
] as const)(
  'a command that Teller was sending when it died is asked about first (it arrived: %s)',
  async (hasArrived, why, tries) => {
    const { server, ledger, now } = await dyingWhileSending(hasArrived);
    expect(await ledger.settleInterrupted(now, { provable: [MAIN] })).toBe(0);
    restarted(ledger, server);
    await expect.poll(async () => (await ledger.grants({ limit: 9 }))[0]?.state, waitFor).toBe('delivered');
    const [{ commands } = { commands: [] }] = await ledger.grants({ limit: 9 });
    expect(commands.map(({ reason, attempts }) => [reason?.code, attempts])).toEqual([[why, tries]]);
    expect(server.inventory('Steve')).toEqual({ diamond: 1 });
  },
);

test('marks that have served their purpose are removed a bucket at a time, also those of a process that died', async () => {
  const { server, ledger, now, proof } = await dyingWhileSending(true);
  await ledger.settleInterrupted(now, { provable: [MAIN] });
  const queue = restarted(ledger, server);
  await expect.poll(async () => (await ledger.grants({ limit: 9 }))[0]?.state, waitFor).toBe('delivered');
  await record(
    ledger,
    [arrival({ player: 'Alex', receivedAt: now })],
    rulesFor(reward('all', { commands: ['say hello'] })),
  );
  const removed = () =>
    server
      .commands()
      .flatMap(({ command }) => /^data remove storage teller:paid (t\w+)$/.exec(command)?.[1] ?? []);
  await expect
    .poll(() => {
      queue.nudge();
      return removed();
    }, waitFor)
    .toEqual([bucketOf(proof)]);
  expect(await ledger.oldBuckets('main', 'none')).toHaveLength(1);
});

test('a command on a game server that can prove nothing any more is unknown, and held', async () => {
  const { ledger, now } = await dyingWhileSending(true);
  expect(await ledger.settleInterrupted(now, { provable: [], of: ['other'] })).toBe(0);
  expect(await ledger.settleInterrupted(now, { provable: [{ ...MAIN, practice: true }] })).toBe(1);
  expect(await ledger.grants({ limit: 9 })).toMatchObject([
    { state: 'held', reason: { code: 'process-ended' } },
  ]);
});
