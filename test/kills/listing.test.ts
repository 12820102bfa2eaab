/** The listing service, which is killed at its writes while it records a vote, posts it to a webhook and sends it to a listener. */
import { cpSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { chosenWrites } from '../kit/each-write.ts';
import { type FakeListener, fakeListener } from '../kit/listener.ts';
import { Browser } from '../kit/listing-people.ts';
import { Reader } from '../kit/page.ts';
import { furnish } from '../kit/place.ts';
import { type Receiver, receiver } from '../kit/receiver.ts';
import { temporaryFolder } from '../support/folder.ts';
import { CLI, compiled, startScript } from '../support/processes.ts';

const PRELOAD = pathToFileURL(compiled(join(import.meta.dirname, '../kit/dies-at.ts'))).href;
const POINTS = 4;

interface Ready {
  readonly listing: { readonly url: string };
}

const start = (folder: string, within: readonly string[] = []) =>
  startScript<Ready>(CLI, ['listing', '--config', 'config.json', '--port', '0', '--samples'], folder, within);

/** One of the sample people, signed in. */
async function person({ listing: { url } }: Ready, folder: string, name: string): Promise<Browser> {
  const browser = new Browser(new Reader(url).cookies);
  const password = readFileSync(join(folder, 'data/passwords', name), 'utf8').trim();
  await browser.open('/sign-in');
  await browser.post('/sign-in', { name, password });
  return browser;
}

/** A folder with a listing whose votes are posted and sent there, by its owner. */
async function prepared(to: Receiver, listener: FakeListener) {
  const { folder } = furnish(temporaryFolder(), { listing: { allowTargets: ['127.0.0.0/8'] } });
  const service = await start(folder);
  const answer = await fetch(service.ready.listing.url, { headers: { accept: 'application/json' } });
  const { listings } = (await answer.json()) as { listings: { id: string; name: string }[] };
  const { id = '' } = listings.find(({ name }) => name === 'Sample Craft') ?? {};
  const owner = await person(service.ready, folder, 'olga-owner');
  const [webhook, sends] = [`/dashboard/${id}/webhook`, `/dashboard/${id}/listener`];
  await owner.press(webhook, webhook, { url: to.url, secret: 'none' });
  const at = { host: '127.0.0.1', port: String(listener.port) };
  await owner.press(sends, sends, { ...at, method: 'token', credential: 'token-of-the-listener' });
  expect(await service.stop()).toBe(0);
  return { folder, id };
}

/** Vera votes, and everything that follows from it ends. @returns how many writes were made, and those until it was ready. */
async function acted(folder: string, id: string, diesAt: number) {
  const count = join(temporaryFolder(), 'writes');
  const writes = (): number => (existsSync(count) ? statSync(count).size : 0);
  const within = ['env', `NODE_OPTIONS=--import ${PRELOAD}`, `DIES_AT=${diesAt}`, `WRITES=${count}`];
  let service: Awaited<ReturnType<typeof start>> | null = null;
  let starting = 0;
  let sends: readonly { outcome: string; code: string | null }[] = [];
  try {
    service = await start(folder, within);
    starting = writes();
    const vera = await person(service.ready, folder, 'vera');
    await vera.open(`/listings/${id}`);
    await vera.answer(`/listings/${id}/vote`, { player: 'Steve' });
    const owner = await person(service.ready, folder, 'olga-owner');
    const isOver = async (): Promise<boolean> => {
      const { events } = await owner.values(`/dashboard/${id}/deliveries`);
      sends = (await owner.values(`/dashboard/${id}/listener`)).sends;
      const isDelivered = events.length === 1 && events[0].state === 'delivered';
      return isDelivered && sends.every(({ outcome }) => outcome !== 'sending');
    };
    while (!(await isOver())) await sleep(20);
    expect(await vera.values(`/listings/${id}`)).toMatchObject({ votes: 1 });
  } catch (error) {
    if (diesAt === 0 || writes() < diesAt) throw error;
  }
  const hasDied = diesAt > 0 && writes() >= diesAt;
  await (hasDied ? service?.kill() : service?.stop());
  return {
    writes: writes(),
    starting,
    hasDied,
    sends: sends.map(({ outcome, code }) => (outcome === 'failed' ? code : outcome)),
  };
}

test('DO-11, VT-10: after kill -9 at any write, a vote is posted at least once, with one event ID and the same bytes, and sent to a listener at most once', {
  timeout: 600_000,
}, async () => {
  const [to, listener] = [await receiver(), await fakeListener()];
  const { folder, id } = await prepared(to, listener);
  const copy = (): string => {
    const target = temporaryFolder();
    cpSync(folder, target, { recursive: true });
    return target;
  };
  const { writes, starting, sends } = await acted(copy(), id, 0);
  expect([to.requests.length, listener.connections, sends]).toEqual([1, 1, ['accepted']]);
  let killed = 0;
  for (const at of chosenWrites(writes, starting, starting, POINTS)) {
    const [posted, sent, place] = [to.requests.length, listener.connections, copy()];
    const first = await acted(place, id, at);
    if (!first.hasDied) continue;
    killed += 1;
    const again = await acted(place, id, 0);
    const since = to.requests.slice(posted);
    const where = `after a kill at write ${at} of ${writes}`;
    expect(new Set(since.map(({ json }) => json.eventId)).size, where).toBe(1);
    expect(new Set(since.map(({ body }) => String(body))).size, where).toBe(1);
    const deliveries = since.map(({ headers }) => headers['x-service-delivery']);
    expect(new Set(deliveries).size, where).toBe(since.length);
    expect(listener.connections - sent, where).toBeLessThanOrEqual(1);
    expect(['accepted', 'cut-off'], where).toContain(again.sends[0]);
    if (again.sends[0] === 'accepted') expect(listener.connections - sent, where).toBe(1);
  }
  expect(killed).toBeGreaterThan(POINTS / 3);
});
