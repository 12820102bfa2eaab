/**
 * What the listing service costs: vote checks a second beside a bare Node HTTP server, webhook deliveries a second
 * beside a bare client, memory before and after the votes, and the delivery log's page when it is long beside when
 * it is short. Loopback only; it ends by itself.
 *
 *   npm run bench:listing -- [--votes 100000] [--checks 10000]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'undici';
import { FakeBrowser } from '../support/fake-browser.ts';
import type { Told } from './listing-server.ts';
import { endWithUs, TSX, workFolder } from './servers.ts';
import { median, printTable, say } from './table.ts';

const { values } = parseArgs({
  options: { votes: { type: 'string', default: '100000' }, checks: { type: 'string', default: '10000' } },
});
const votes = Number(values.votes);
const checks = Number(values.checks);

/** What one listing, and one address, may ask in a minute; so many of each are needed. */
const CHECKS_EACH = 120;
const PER_ADDRESS = 600;
const addresses = Math.ceil(checks / PER_ADDRESS);

const listening = async (server: Server): Promise<string> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** Answers as soon as the request is in, and keeps nothing. */
const bare = (answer: string) =>
  createServer((incoming, outgoing) => {
    incoming.resume();
    incoming.once('end', () => outgoing.setHeader('content-type', 'application/json').end(answer));
  });

async function rate(count: number, lanes: number, one: (index: number) => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await one(next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return count / ((performance.now() - startedAt) / 1000);
}

/** Vote checks by as many addresses and listings as their limits ask for. */
async function checksPerSecond(url: string, tokens: readonly string[]): Promise<number> {
  const clients = Array.from(
    { length: addresses },
    (_, index) =>
      new Client(url, { localAddress: `127.0.${1 + Math.floor(index / 200)}.${1 + (index % 200)}` }),
  );
  const perSecond = await rate(checks, addresses, async (index) => {
    const client = clients[index % addresses] as Client;
    const answer = await client.request({
      method: 'GET',
      path: `/api/v1/webhooks/votes/check?userId=u${index}`,
      headers: { authorization: `Bearer ${tokens[Math.floor(index / CHECKS_EACH)]}` },
    });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`a check was answered ${answer.statusCode}`);
  });
  await Promise.all(clients.map((client) => client.close()));
  return perSecond;
}

/** Four at once, each on a connection of its own, as the service sends to one webhook. */
const postsPerSecond = (url: string, count: number): Promise<number> =>
  rate(count, 4, async () => {
    const outgoing = httpRequest(url, { method: 'POST', agent: false });
    outgoing.end('x'.repeat(400));
    const [answer] = await once(outgoing, 'response');
    answer.resume();
    await once(answer, 'end');
  });

async function pageMs(url: string, { listing, password }: Told): Promise<number> {
  const visitor = new FakeBrowser(
    { request: (address, init) => fetch(String(address), { ...init, redirect: 'manual' }) },
    new URL(url).host,
  );
  await visitor.get('/sign-in');
  await visitor.post('/sign-in', { name: 'bench', password: password ?? '' });
  const times: number[] = [];
  for (let visit = 0; visit < 30; visit++) {
    const startedAt = performance.now();
    const { status } = await visitor.get(`/dashboard/${listing}/deliveries`);
    if (status !== 200) throw new Error(`the log's page was answered ${status}`);
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

const sink = bare('');
const sinkUrl = await listening(sink);
const check = bare('{"voted":false,"votedAt":null,"nextVoteAt":null}');
const checkUrl = await listening(check);
const folder = workFolder();
const child = spawn(
  process.execPath,
  [
    '--expose-gc',
    '--import',
    TSX,
    join(import.meta.dirname, 'listing-server.ts'),
    folder,
    `${sinkUrl}/`,
    String(Math.ceil(checks / CHECKS_EACH)),
  ],
  { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
);
endWithUs(child);
const heard = async (): Promise<Told> => (await once(child, 'message'))[0] as Told;
const ready = await heard();
const url = ready.url ?? '';

child.send(50);
await heard();
await heard();
const shortMs = await pageMs(url, ready);

say(`${votes} votes, each owed a webhook …`);
child.send(votes);
const cast = await heard();
const delivered = await heard();
const longMs = await pageMs(url, ready);
const barePosts = await postsPerSecond(sinkUrl, 5_000);
const bareChecks = await rate(checks, addresses, async () => (await fetch(checkUrl)).arrayBuffer());
const realChecks = await checksPerSecond(url, ready.tokens ?? []);

const times = (slow: number, fast: number): string => `${(fast / slow).toFixed(1)}×`;
const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
const deliveriesPerSecond = votes / (delivered.seconds ?? 1);
printTable([
  ['', 'a second', 'bare', 'bare is faster'],
  ['vote checks by the API', whole(realChecks), whole(bareChecks), times(realChecks, bareChecks)],
  [
    'votes cast and delivered',
    whole(deliveriesPerSecond),
    whole(barePosts),
    times(deliveriesPerSecond, barePosts),
  ],
]);
say(`casting alone took ${cast.seconds?.toFixed(1)} s, delivering all ${delivered.seconds?.toFixed(1)} s`);
say(
  `memory ${ready.rssMiB.toFixed(0)} MiB at the start, ${cast.rssMiB.toFixed(0)} after the votes, ${delivered.rssMiB.toFixed(0)} after the deliveries`,
);
say(`delivery log: ${shortMs.toFixed(1)} ms with 50 in it, ${longMs.toFixed(1)} ms with ${votes + 50}`);
for (const server of [sink, check]) {
  server.close();
  server.closeAllConnections();
}
child.kill('SIGKILL');
