import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { pause } from '../../src/core/clock.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { configFolder, lookInto, TOKEN } from '../support/config-folder.ts';
import { startTeller } from '../support/processes.ts';
import { answer, PASSWORD, scripted } from '../support/rcon.ts';
import { stopped } from '../support/stopping.ts';
import { VotifierClient } from '../support/votifier-client.ts';

test('20 whole votes that are in flight while Teller is stopped for 7 s all count, with a deadline of 5 s', async () => {
  const { config, folder, ledger } = configFolder({ rewards: [] });
  const teller = await startTeller(['run', '--config', config], folder);
  const names = Array.from({ length: 20 }, (_, at) => `Player${String(at).padStart(2, '0')}`);
  const clients = await Promise.all(names.map(() => VotifierClient.greeted(teller.ready.listener.port)));
  const timestamp = String(systemClock.now());

  await stopped(teller.process);
  for (const [at, client] of clients.entries())
    client.write(await client.frame({ username: names[at] ?? '', timestamp }));
  await pause(systemClock, 7_000);
  teller.process.kill('SIGCONT');

  const answers = await Promise.all(clients.map((client) => client.untilClosed()));
  expect(answers).toEqual(names.map(() => '{"status":"ok"}\r\n'));
  expect((await lookInto(ledger).votes({ limit: 99 })).map(({ player }) => player).toSorted()).toEqual(names);
});

/** A promise that the test resolves. */
function signal() {
  let give: () => void = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { give, given };
}

/** An RCON game server that answers a `say` only when the test says so. */
async function rconServer() {
  const { give, given } = signal();
  let reply: () => void = () => {};
  const { host, port } = await scripted((packet, socket) => {
    if (packet.type === 3) answer(socket, packet.id, '', 2);
    else if (packet.body.startsWith('say ')) {
      reply = () => answer(socket, packet.id, 'said');
      give();
    } else answer(socket, packet.id, 'There are 0 of a max of 20 players online: ');
  });
  return { config: { kind: 'rcon', host, port, password: PASSWORD }, asked: given, reply: () => reply() };
}

/** The same over HTTP. */
async function httpServer() {
  const { give, given } = signal();
  let reply: () => void = () => {};
  const server = createServer((request, response) => {
    reply = () => response.end();
    request.resume().on('end', give);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { config: { kind: 'http', url, secret: 's3cret' }, asked: given, reply: () => reply() };
}

test('a reply that comes after 1.5 s of a stop of 12 s makes its command delivered, with a timeout of 10 s', async () => {
  const [rcon, http] = await Promise.all([rconServer(), httpServer()]);
  const { config, folder, ledger } = configFolder({
    gameServers: { survival: rcon.config, website: http.config },
    rewards: [{ name: 'thanks', when: 'always', servers: 'all', commands: ['say {player} voted'] }],
  });
  const teller = await startTeller(['run', '--config', config], folder);
  await sendVote(
    { serviceName: 'List', username: 'Steve', address: '192.0.2.1', timestamp: String(systemClock.now()) },
    { ...teller.ready.listener, auth: { version: 'v2', token: TOKEN } },
    { clock: systemClock },
  );
  await Promise.all([rcon.asked, http.asked]);

  await stopped(teller.process);
  await pause(systemClock, 1_500);
  rcon.reply();
  http.reply();
  await pause(systemClock, 10_500);
  teller.process.kill('SIGCONT');

  const look = lookInto(ledger);
  const states = async () =>
    (await look.grants({ limit: 9 })).map(({ server, state }) => `${server} ${state}`).toSorted();
  await expect.poll(states).toEqual(['survival delivered', 'website delivered']);
});
