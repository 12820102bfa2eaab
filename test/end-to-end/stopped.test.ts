import { expect, test } from 'vitest';
import { encodeV2Frame } from '../../protocol/votifier/v2.ts';
import { pause } from '../../src/core/clock.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { configFolder, lookInto, TOKEN } from '../support/config-folder.ts';
import { PeerThread } from '../support/peer-thread.ts';
import { startTeller } from '../support/processes.ts';
import { runningApp } from '../support/running-app.ts';
import { stopped } from '../support/stopping.ts';
import { VotifierClient, WIRE_VOTE } from '../support/votifier-client.ts';

const DEADLINE_MS = 1_000;
const STOP_MS = 1_500;

test('rule 13: after a stop that is longer than the deadline, votes that came meanwhile count, and so does one that comes just after it', async () => {
  const listener = { host: '127.0.0.1', port: 0, deadline: `${DEADLINE_MS}ms` };
  const { config, folder, ledger } = configFolder({ listener, sites: { default: { token: TOKEN } } });
  const teller = await startTeller(['run', '--config', config], folder);
  const names = ['Alex', 'Kai', 'Noor', 'Steve'];
  const clients = await Promise.all(names.map(() => VotifierClient.greeted(teller.ready.listener.port)));
  const timestamp = String(systemClock.now());
  const frames = await Promise.all(
    clients.map((client, at) => client.frame({ username: names[at] ?? '', timestamp })),
  );
  const [, ...early] = clients;

  await stopped(teller.process);
  for (const [at, client] of early.entries()) client.write(frames[at + 1] ?? '');
  await pause(systemClock, STOP_MS);
  teller.process.kill('SIGCONT');
  expect(await Promise.all(early.map((client) => client.untilClosed()))).toEqual(
    early.map(() => '{"status":"ok"}\r\n'),
  );
  clients[0]?.write(frames[0] ?? '');

  expect(await clients[0]?.untilClosed()).toBe('{"status":"ok"}\r\n');
  expect((await lookInto(ledger).votes({ limit: 9 })).map(({ player }) => player).toSorted()).toEqual(names);
});

test('an event loop that is blocked for a second refuses no vote, with a deadline of half a second', async () => {
  const listener = { host: '127.0.0.1', port: 0, deadline: '500ms' };
  const { app, look } = await runningApp(systemClock, { listener, sites: { default: { token: TOKEN } } });
  const names = ['Alex', 'Kai', 'Noor'];
  const peers = await Promise.all(names.map(() => PeerThread.connected(app.listener.port)));
  const greetings = await Promise.all(peers.map((peer) => peer.received('\n')));
  for (const [at, peer] of peers.entries()) {
    const [, , challenge = ''] = greetings[at]?.trim().split(' ') ?? [];
    const vote = { ...WIRE_VOTE, username: names[at] ?? '', challenge };
    peer.sendWhileBlocked(encodeV2Frame(vote, TOKEN), at === 0 ? 1_000 : 0);
  }
  await Promise.all(peers.map((peer) => peer.received('{"status":"ok"}')));
  expect((await look.votes({ limit: 9 })).map(({ player }) => player).toSorted()).toEqual(names);
});
