/** A Teller that is stopped or blocked for a while, whose thread ends, or whose log nobody reads. */
import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { encodeV2Frame } from '../../protocol/votifier/v2.ts';
import { apart, typedApart, typedHere } from '../kit/apart.ts';
import { here } from '../kit/here.ts';
import { furnish, type Place } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { temporaryFolder } from '../support/folder.ts';
import { CRAFT, signedIn } from '../support/loop.ts';
import { PeerThread } from '../support/peer-thread.ts';
import { CLI, compiled, startScript, stopped, typedConsole } from '../support/processes.ts';
import { VotifierClient, WIRE_VOTE } from '../support/votifier-client.ts';

const OK = '{"status":"ok"}\r\n';

/** The players of its votes, sorted. */
const playersOf = async (place: Place): Promise<readonly string[]> =>
  (await typedHere(place, 'votes', '--json')).json.map(({ player }: { player: string }) => player).toSorted();

const placeWith = (more: object = {}): Place => furnish(temporaryFolder(), more);

test('rule 13: after a stop that is longer than the deadline, votes that came meanwhile count, and so does one that comes just after it', async () => {
  const place = placeWith({ listener: { host: '127.0.0.1', port: 0, deadline: '1s' } });
  const teller = await apart(place);
  const names = ['Alex', 'Kai', 'Noor', 'Steve'];
  const clients = await Promise.all(names.map(() => VotifierClient.greeted(teller.ready.listener.port)));
  const timestamp = String(Date.now());
  const frames = await Promise.all(
    clients.map((client, at) => client.frame({ username: names[at] ?? '', timestamp })),
  );
  const [late, ...early] = clients;

  await stopped(teller.process);
  for (const [at, client] of early.entries()) client.write(frames[at + 1] ?? '');
  await sleep(1_500);
  teller.process.kill('SIGCONT');
  expect(await Promise.all(early.map((client) => client.untilClosed()))).toEqual(early.map(() => OK));
  late?.write(frames[0] ?? '');

  expect(await late?.untilClosed()).toBe(OK);
  expect(await playersOf(place)).toEqual(names);
});

test('an event loop that is blocked for a second refuses no vote, with a deadline of half a second', async () => {
  const teller = await here({ listener: { host: '127.0.0.1', port: 0, deadline: '500ms' } });
  const names = ['Alex', 'Kai', 'Noor'];
  const peers = await Promise.all(names.map(() => PeerThread.connected(teller.port)));
  const greetings = await Promise.all(peers.map((peer) => peer.received('\n')));
  for (const [at, peer] of peers.entries()) {
    const [, , challenge = ''] = greetings[at]?.trim().split(' ') ?? [];
    const vote = { ...WIRE_VOTE, username: names[at] ?? '', challenge };
    peer.sendWhileBlocked(encodeV2Frame(vote, TOKEN), at === 0 ? 1_000 : 0);
  }
  await Promise.all(peers.map((peer) => peer.received('{"status":"ok"}')));
  expect(await playersOf(teller)).toEqual(names);
});

const ENDING = [
  'env',
  `NODE_OPTIONS=--import ${pathToFileURL(compiled(join(import.meta.dirname, '../support/ending-thread.ts'))).href}`,
];

test('when the ledger’s thread ends by itself, the sender of the vote in flight gets an error, the process ends with thread-ended, and no answered vote is lost', async () => {
  const place = placeWith();
  const teller = await apart(place, ENDING);
  expect(await teller.vote({ player: 'Steve' })).toBe('ok');
  expect(await teller.vote({ player: 'Doomed' })).toBe('StorageUnavailable');
  await teller.ended();
  expect(teller.process.exitCode).toBe(1);
  expect(teller.log()).toContain('[thread-ended]');
  expect(await playersOf(place)).toEqual(['Steve']);
});

test('when the thread of its database ends by itself, the listing service answers the vote in flight with 500, ends with thread-ended, and has lost no answered vote', async () => {
  const folder = temporaryFolder();
  const start = (within: readonly string[] = []) =>
    startScript<{ listing: { url: string } }>(CLI, ['listing', '--port', '0', '--samples'], folder, within);
  const listingIn = async (url: string) => {
    const answer = await fetch(url, { headers: { accept: 'application/json' } });
    const { listings } = (await answer.json()) as { listings: { id: string; name: string; votes: number }[] };
    return listings.find(({ name }) => name === CRAFT)!;
  };
  const running = await start(ENDING);
  const { url } = running.ready.listing;
  const { id } = await listingIn(url);
  const statusOfVote = async (name: string, player: string) => {
    const password = readFileSync(join(folder, 'data/passwords', name), 'utf8').trim();
    const person = await signedIn(url, name, password);
    await person.get(`/listings/${id}`);
    return (await person.post(`/listings/${id}/vote`, { player })).status;
  };
  expect(await statusOfVote('vera', 'Steve')).toBe(303);
  expect(await statusOfVote('viktor', 'Doomed')).toBe(500);
  await running.ended();
  expect(running.process.exitCode).toBe(1);
  expect(running.log()).toContain('[thread-ended]');
  const again = await start();
  expect((await listingIn(again.ready.listing.url)).votes).toBe(1);
});

const VOTES = 200;

const RUN = ['run', '--config', 'config.json'];
const CTRL_S = '\u0013';
const CTRL_Q = '\u0011';

const noPipe = spawnSync('mkfifo', ['--version']).error === undefined ? null : ' (SKIPPED: no mkfifo)';
const noTerminal =
  spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0
    ? null
    : ' (SKIPPED: this machine has no script(1) that runs a command in a terminal)';

/** Sends votes of players P1, P2, …; all of them have to be answered ok. */
async function votesAreAnswered(place: Place, port: number): Promise<void> {
  const words = `send --player P{n} --port ${port} --count ${VOTES}`;
  const sent = await typedApart(place, words.split(' '));
  expect(sent).toMatchObject({ code: 0, err: '' });
}

/** A named pipe that is full. */
function fullPipe(file: string): void {
  expect(spawnSync('mkfifo', [file]).status).toBe(0);
  const pipe = openSync(file, constants.O_RDWR | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(pipe));
  const page = Buffer.alloc(4096);
  try {
    for (;;) writeSync(pipe, page);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
  }
}

test.skipIf(noPipe !== null)(
  `while its log is a full pipe, Teller answers every vote and stops when asked${noPipe ?? ''}`,
  async () => {
    const place = placeWith();
    fullPipe(join(place.folder, 'log'));
    const running = await apart(place, ['sh', '-c', 'exec "$0" "$@" 2>log']);
    await votesAreAnswered(place, running.ready.listener.port);
    expect(await running.stop()).toBe(0);
  },
);

/** In the place of words before the command: a terminal of its own, and the process ID in a file. */
const IN_TERMINAL = [
  ...['env', '--unset=CI', 'SHELL=/bin/sh', 'sh', '-c'],
  ...['exec script -qefc "echo \\$\\$ >pid; exec $*" /dev/null', 'sh'],
];

/** A Teller after Ctrl-S in its terminal, which has answered every vote. */
async function silenced() {
  const place = placeWith();
  const { process: terminal, ready, out, ended } = typedConsole(place.folder, RUN, IN_TERMINAL);
  const port = Number(await ready());
  terminal.stdin.write(CTRL_S);
  await votesAreAnswered(place, port);
  const stop = (): Promise<number | null> => {
    process.kill(Number(readFileSync(join(place.folder, 'pid'), 'utf8')), 'SIGTERM');
    return ended();
  };
  return { terminal, out, stop };
}

test.skipIf(noTerminal !== null).each([
  ['after Ctrl-Q, it shows them, and it stops when asked', CTRL_Q],
  ['it also stops when asked', null],
])(`after Ctrl-S in its terminal, Teller answers every vote; %s${noTerminal ?? ''}`, async (_, key) => {
  const { terminal, out, stop } = await silenced();
  expect(out()).not.toContain(`P${VOTES}`);
  if (key !== null) {
    terminal.stdin.write(key);
    await expect.poll(out).toContain(`P${VOTES}`);
  }
  expect(await stop()).toBe(0);
});
