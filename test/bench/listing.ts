/**
 * What the listing service costs: votes a second on a fast and on a slowed disk, vote checks a second compared with a bare
 * Node HTTP server, webhook deliveries a second compared with a bare client, memory before and after the votes, and the
 * page of the delivery log when it is long and when it is short. Uses loopback only.
 *
 *   npm run bench:listing -- [--votes 100000] [--checks 10000]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { Client } from 'undici';
import { FakeBrowser } from '../support/fake-browser.ts';
import { median } from './figures.ts';
import type { Asked, Report } from './listing-server.ts';
import { install, killAtExit, say, workFolder } from './processes.ts';
import { slowSyncIn } from './slow-sync.ts';
import { tableLines } from './table.ts';

const { values } = parseArgs({
  options: { votes: { type: 'string', default: '100000' }, checks: { type: 'string', default: '10000' } },
});
const votes = Number(values.votes);
const checks = Number(values.checks);

/** The limits for one listing and for one address in a minute, which decide how many of each are needed. */
const CHECKS_EACH = 120;
const PER_ADDRESS = 600;
const addresses = Math.ceil(checks / PER_ADDRESS);

const listening = async (server: Server): Promise<string> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** Answers as soon as it has read the request, and stores nothing. */
const bare = (answer: string) =>
  createServer((incoming, outgoing) => {
    incoming.resume();
    incoming.once('end', () => outgoing.setHeader('content-type', 'application/json').end(answer));
  });

async function rate(
  count: number,
  workers: number,
  one: (index: number) => Promise<unknown>,
): Promise<number> {
  const startedAt = performance.now();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await one(next++);
  };
  await Promise.all(Array.from({ length: workers }, worker));
  return count / ((performance.now() - startedAt) / 1000);
}

/** Checks votes, from as many addresses and for as many listings as the limits require. */
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
    if (answer.statusCode !== 200) throw new Error(`a check was answered with ${answer.statusCode}`);
  });
  await Promise.all(clients.map((client) => client.close()));
  return perSecond;
}

/** Four at once, each on its own connection: that is how the service sends to one webhook. */
const postsPerSecond = (url: string, count: number): Promise<number> =>
  rate(count, 4, async () => {
    const outgoing = httpRequest(url, { method: 'POST', agent: false });
    outgoing.end('x'.repeat(400));
    const [answer] = await once(outgoing, 'response');
    answer.resume();
    await once(answer, 'end');
  });

async function pageMs(url: string, { listing, password }: Report): Promise<number> {
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
    if (status !== 200) throw new Error(`the page of the log was answered with ${status}`);
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

const sink = bare('');
const sinkUrl = await listening(sink);
const check = bare('{"voted":false,"votedAt":null,"nextVoteAt":null}');
const checkUrl = await listening(check);
const folder = workFolder();
const slowSync = slowSyncIn(folder);
const child = spawn(
  process.execPath,
  [
    '--expose-gc',
    (await install(folder)).script('listing-server'),
    folder,
    `${sinkUrl}/`,
    String(Math.ceil(checks / CHECKS_EACH)),
  ],
  {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ...(typeof slowSync === 'string' ? {} : slowSync.env) },
  },
);
killAtExit(child);
const nextReport = async (): Promise<Report> => (await once(child, 'message'))[0] as Report;
const ask = (asked: Asked): Promise<Report> => {
  child.send(asked);
  return nextReport();
};
const ready = await nextReport();
const url = ready.url ?? '';

await ask({ votes: 50, atOnce: 1, isDelivery: true });
await nextReport();
const shortMs = await pageMs(url, ready);

const slowed = [['', 'at once', 'votes a second', 'median', '99th percentile', 'event loop, 99.9th']];
for (const ms of typeof slowSync === 'string' ? [0] : [0, 5, 20]) {
  for (const atOnce of [1, 64]) {
    if (typeof slowSync !== 'string') slowSync.set(ms);
    const many = atOnce * (ms === 0 ? 40 : 20);
    const { seconds = 0, ...figures } = await ask({ votes: many, atOnce, isDelivery: false });
    const inMs = [figures.medianMs, figures.p99Ms, figures.delayMs].map((time) =>
      time === undefined || time === null ? '-' : `${time.toFixed(1)} ms`,
    );
    slowed.push([`fsync +${ms} ms`, String(atOnce), String(Math.round(many / seconds)), ...inMs]);
  }
}
if (typeof slowSync === 'string') say(`the disk could not be slowed: ${slowSync}`);
else slowSync.set(0);
say(tableLines(slowed).join('\n'));

say(`${votes} votes, each with a webhook to deliver …`);
const cast = await ask({ votes, atOnce: 1, isDelivery: true });
const delivered = await nextReport();
const longMs = await pageMs(url, ready);
const barePosts = await postsPerSecond(sinkUrl, 5_000);
const bareChecks = await rate(checks, addresses, async () => (await fetch(checkUrl)).arrayBuffer());
const realChecks = await checksPerSecond(url, ready.tokens ?? []);

const times = (slow: number, fast: number): string => `${(fast / slow).toFixed(1)}×`;
const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
const deliveriesPerSecond = votes / (delivered.seconds ?? 1);
const table = tableLines([
  ['', 'a second', 'bare', 'bare is faster'],
  ['vote checks by the API', whole(realChecks), whole(bareChecks), times(realChecks, bareChecks)],
  [
    'votes cast and delivered',
    whole(deliveriesPerSecond),
    whole(barePosts),
    times(deliveriesPerSecond, barePosts),
  ],
]);
say(table.join('\n'));
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
