import { expect, onTestFinished, test } from 'vitest';
import { bucketOf, type CommandProof } from '../../src/core/proof.ts';
import { GameServerQueue } from '../../src/delivery/game-server-queue.ts';
import { SeenPlayers } from '../../src/delivery/seen-players.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import type { FaultName } from '../../src/practice/faults.ts';
import type { PracticeServer } from '../../src/practice/server.ts';
import { freshLedger, record, rulesFor } from '../support/ledgers.ts';
import { silentLog } from '../support/log.ts';
import { client, practice } from '../support/rcon.ts';
import { reward } from '../support/rewards.ts';
import { arrival } from '../support/votes.ts';

const COMMAND = 'give Steve diamond 1';
const MAIN = { server: 'main', practice: false };
const waitFor = { timeout: 15_000 };

/** Steve is on the game server, and is owed these commands, each by a reward of its own. */
async function owing(...commands: readonly (readonly string[])[]) {
  const server = await practice({ crashDownMs: 2_000 });
  server.join('Steve');
  const { ledger } = freshLedger();
  const rewards = commands.map((each, at) => reward(`reward ${at}`, { commands: each }));
  await record(ledger, [arrival({ receivedAt: systemClock.now() })], rulesFor(...rewards));
  return { server, ledger };
}

/** A process that pays on the game server with proof. */
function started(ledger: Ledger, server: PracticeServer): GameServerQueue {
  const seen = new SeenPlayers(ledger, systemClock, { rules: rulesFor(), believed: new Set(['main']) });
  const queue = new GameServerQueue({
    ...{ name: 'main', practice: false, joinDelayMs: 0, presenceIntervalMs: 1_000, seen, ledger },
    server: client(server, { proof: 'storage', commandTimeoutMs: 1_000 }),
    ...{ clock: systemClock, random: systemRandom, log: silentLog },
  });
  queue.start();
  onTestFinished(() => queue.close());
  return queue;
}

/** A process died while it was sending a command. */
async function dyingWhileSending(fault: FaultName | null, command = COMMAND) {
  const { server, ledger } = await owing([command]);
  const dead = client(server, { proof: 'storage' });
  const now = systemClock.now();
  const proof = (await dead.proof?.prepare(command)) as CommandProof;
  await ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now, proof });
  if (fault !== null) server.setFault(fault, 1);
  await dead.run(command, command, undefined, proof);
  await dead.close();
  return { server, ledger, now, proof };
}

/** What became of the first command. */
async function ended(ledger: Ledger): Promise<unknown[]> {
  const grant = (await ledger.grants({ limit: 9 })).at(-1);
  const command = grant?.commands[0];
  return [grant?.state, grant?.reason?.code, command?.reason?.code, command?.attempts];
}

/** What was sent with a mark. */
const marked = (server: PracticeServer): string[] =>
  server
    .commands()
    .map(({ command }) => command)
    .filter((command) =>
      /^execute store success storage teller:paid t[0-9a-f]{10}\.\d+ byte 1 run /.test(command),
    )
    .map((command) => command.replace(/^.* byte 1 run /, ''));

test('commands that the game understands leave a mark; `execute`, and what it does not know after `run`, do not', async () => {
  const { server, ledger } = await owing([COMMAND], ['execute as Steve run say hello', 'crate give Steve']);
  started(ledger, server);
  await expect.poll(() => ended(ledger), waitFor).toEqual(['delivered', undefined, undefined, 1]);
  await expect.poll(async () => (await ledger.grants({ limit: 1 }))[0]?.state, waitFor).toBe('refused');
  expect(marked(server)).toEqual([COMMAND]);
  expect(server.commands().map(({ command }) => command)).toContain('crate give Steve');
});

test.each([
  ['run-and-close', 'proven', 1],
  ['close-before-running', undefined, 2],
] as const)(
  '%s: the game server is asked before anything else, and the command runs once',
  async (fault, why, tries) => {
    const { server, ledger } = await owing([COMMAND]);
    server.setFault(fault, 1);
    started(ledger, server);
    await expect.poll(() => ended(ledger), waitFor).toEqual(['delivered', undefined, why, tries]);
    expect(server.inventory('Steve')).toEqual({ diamond: 1 });
  },
);

test.each([
  ['ran', 'run-and-close', COMMAND, ['delivered', undefined, 'proven', 1], 1],
  ['did not run', 'close-before-running', COMMAND, ['delivered', undefined, undefined, 2], 1],
  ['failed', 'run-and-close', 'give Steve bread 9999', ['refused', 'proven-failed', 'proven-failed', 1], 0],
] as const)(
  'a command that %s when Teller died is asked about first',
  async (_, fault, command, end, has) => {
    const { server, ledger, now } = await dyingWhileSending(fault, command);
    expect(await ledger.settleInterrupted(now, { provable: [MAIN] })).toBe(0);
    started(ledger, server);
    await expect.poll(() => ended(ledger), waitFor).toEqual(end);
    expect(server.inventory('Steve').diamond ?? 0).toBe(has);
  },
);

test.each([
  ['type-2-replies', true],
  ['empty-frame-first', true],
  ['one-frame', true],
  ['no-minecraft-names', true],
  ['no-empty-frames', false],
  ['no-execute', false],
  ['empty-reply', false],
] as const)('a game server with %s is paid once; its commands leave marks: %s', async (fault, hasMarks) => {
  const { server, ledger } = await owing([COMMAND]);
  server.setFault(fault);
  started(ledger, server);
  await expect.poll(async () => (await ended(ledger))[0], waitFor).toBe('delivered');
  expect(marked(server)).toEqual(hasMarks ? [COMMAND] : []);
  expect(server.inventory('Steve')).toEqual({ diamond: 1 });
});

test('a command that failed because its player is not there waits for them', async () => {
  const { server, ledger, now } = await dyingWhileSending('run-and-close', 'give Alex diamond 1');
  await ledger.settleInterrupted(now, { provable: [MAIN] });
  server.leave('Steve');
  started(ledger, server);
  await expect.poll(() => ended(ledger), waitFor).toEqual(['waiting', 'player-offline', 'proven-failed', 1]);
});

test('a game server that crashed and lost the mark proves nothing, so the grant is held and says why', async () => {
  const { server, ledger, now } = await dyingWhileSending('crash-with-rollback');
  expect(server.inventory('Steve')).toEqual({});
  await ledger.settleInterrupted(now, { provable: [MAIN] });
  started(ledger, server);
  await expect.poll(() => ended(ledger), waitFor).toEqual(['held', 'no-mark', 'no-mark', 1]);
  expect(server.inventory('Steve')).toEqual({});
});

test('marks that have served their purpose are removed a bucket at a time, also those of a process that died', async () => {
  const { server, ledger, now, proof } = await dyingWhileSending(null);
  await ledger.settleInterrupted(now, { provable: [MAIN] });
  const queue = started(ledger, server);
  await expect.poll(() => ended(ledger), waitFor).toEqual(['delivered', undefined, 'proven', 1]);
  const hello = reward('hello', { commands: ['say hello'] });
  await record(ledger, [arrival({ player: 'Alex', receivedAt: now })], rulesFor(hello));
  const removed = (): string[] =>
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
  const { ledger, now } = await dyingWhileSending(null);
  expect(await ledger.settleInterrupted(now, { provable: [], of: ['other'] })).toBe(0);
  expect(await ledger.settleInterrupted(now, { provable: [{ ...MAIN, practice: true }] })).toBe(1);
  expect(await ended(ledger)).toEqual(['held', 'process-ended', 'process-ended', 1]);
});
