import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { typedHere } from '../kit/apart.ts';
import { openLink, Reader } from '../kit/page.ts';
import type { Place } from '../kit/place.ts';
import { grantsIn } from '../kit/witness.ts';
import type { FakeBrowser } from '../support/fake-browser.ts';
import { temporaryFolder } from '../support/folder.ts';
import { CRAFT, OWNER, signedIn } from '../support/loop.ts';
import { naming } from '../support/naming.ts';
import { type Running, startTeller, type TellerReady } from '../support/processes.ts';

interface LoopReady extends TellerReady {
  readonly listing: { readonly url: string };
  readonly sink: { readonly url: string };
}

type RunningLoop = Running<LoopReady>;

const start = (folder: string, ...flags: string[]): Promise<RunningLoop> =>
  startTeller(
    ['loop', '--port', '0', '--listener-port', '0', '--console-port', '0', ...flags],
    folder,
  ) as Promise<RunningLoop>;

const passwordOf = (folder: string, name: string): string =>
  readFileSync(join(folder, 'data/loop/passwords', name), 'utf8').trim();

const signIn = ({ ready }: RunningLoop, folder: string, name: string): Promise<FakeBrowser> =>
  signedIn(ready.listing.url, name, passwordOf(folder, name));

/** The listing's ID, as the directory links to it. */
async function craftListing(visitor: FakeBrowser): Promise<string> {
  const { text } = await visitor.get('/');
  const [, id = ''] = new RegExp(`href="/listings/([\\w-]+)">\\s*<span[^>]*><h2>${CRAFT}<`).exec(text) ?? [];
  return id;
}

interface Notice {
  readonly tone: string | undefined;
  readonly title: string | undefined;
}

/** The notice at the top of a page. */
function notice(text: string): Notice {
  const [, tone, title] = /class="alert (\w+)".*?class="alert-title">([^<]*)</s.exec(text) ?? [];
  return { tone, title };
}

/** Votes with the form on the listing's page and returns the notice; null if there is no form. */
async function voteFor(player: string, visitor: FakeBrowser): Promise<Notice | null> {
  const page = `/listings/${await craftListing(visitor)}`;
  const { text } = await visitor.get(page);
  if (!text.includes(`action="${page}/vote"`)) return null;
  const { to } = await visitor.post(`${page}/vote`, { player });
  return notice((await visitor.get(to ?? '')).text);
}

// biome-ignore lint/suspicious/noExplicitAny: pages have values of every shape
const values = async (visitor: FakeBrowser, path: string): Promise<any> =>
  JSON.parse((await visitor.get(path, { accept: 'application/json' })).text);

/** The page says that the vote counts, and for whom. */
const COUNTED = { tone: 'good', title: naming('Steve') };

const loopIn = (folder: string): Place => ({ folder, config: join(folder, 'data/loop/config.json') });

/** The decisions in Teller's ledger, oldest first, and its grants by state. */
const decisions = (folder: string) => ({
  read: async (): Promise<readonly string[]> =>
    (await typedHere(loopIn(folder), 'votes', '--json')).json
      .map(({ decision }: { decision: string }) => decision)
      .toReversed(),
  paid: async () => {
    const states: Record<string, number> = {};
    for (const { state } of await grantsIn(loopIn(folder))) states[state] = (states[state] ?? 0) + 1;
    return states;
  },
});

/** What Steve has. */
const inventory = async (folder: string): Promise<unknown> =>
  (await typedHere(loopIn(folder), 'practice', 'inventory', 'Steve', '--json')).json;

async function moveClock({ ready }: RunningLoop, advance: string): Promise<{ offsetMs: number }> {
  const response = await fetch(`${ready.listing.url}/practice/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advance }),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as { offsetMs: number };
}

/** Creates a token in the dashboard, which shows it once. */
async function newToken(owner: FakeBrowser, dashboard: string): Promise<string> {
  await owner.get(`${dashboard}/tokens`);
  const { text } = await owner.post(`${dashboard}/tokens`, { name: 'end-to-end', scopes: ['votes:read'] });
  const [, token = ''] = /<code id="token">([^<]+)</.exec(text) ?? [];
  return token;
}

async function votesByApi({ ready }: RunningLoop, token: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${ready.listing.url}/api/v1/webhooks/votes`, { headers });
  expect(response.status).toBe(200);
  return response.json();
}

test('without a terminal too the link that opens the console is printed, and the page that asks for it names the command with the config of the loop', {
  timeout: 60_000,
}, async () => {
  const running = await start(temporaryFolder());
  const [, link = ''] = /console +(\S+\/open\/\S+)/.exec(running.log()) ?? [];
  const reader = new Reader(new URL(link).origin);
  expect((await reader.open('/sign-in')).html).toContain('console open --config data/loop/config.json<');
  expect((await openLink(reader, link)).at).toBe('/');
});

test('a vote on the page is paid once, and a player is paid once in 24 h, whichever account votes', {
  timeout: 60_000,
}, async () => {
  const folder = temporaryFolder();
  const running = await start(folder);
  expect(running.log()).toMatch(
    /Open in a browser:\n +console +http:\/\/127\.0\.0\.1:\d+\/open\/\S+ .+\n +vote +/,
  );
  const ledger = decisions(folder);

  const vera = await signIn(running, folder, 'vera');
  expect(await voteFor('Steve', vera)).toEqual(COUNTED);
  await expect.poll(ledger.paid, { timeout: 15_000 }).toEqual({ delivered: 3 });
  expect(await inventory(folder)).toEqual([{ item: 'diamond', count: 1 }]);

  const owner = await signIn(running, folder, OWNER);
  const dashboard = `/dashboard/${await craftListing(owner)}`;
  const log = async () => (await values(owner, `${dashboard}/deliveries`)).deliveries;
  await expect.poll(log).toMatchObject([{ kind: 'vote', status: 'delivered', httpStatus: 200, attempt: 1 }]);
  const [{ deliveryId, eventId }] = await log();
  const { delivery } = await values(owner, `${dashboard}/deliveries/${deliveryId}`);
  expect(delivery.response).toMatch(/^verified\b.*\bSteve\b/);
  expect(delivery.url).toBe(`${running.ready.sink.url}sample-receiver`);
  expect(await votesByApi(running, await newToken(owner, dashboard))).toEqual([
    expect.objectContaining({ id: eventId, metadata: { playerName: 'Steve' } }),
  ]);

  // VT-12
  const viktor = await signIn(running, folder, 'viktor');
  expect(await voteFor('Steve', viktor)).toEqual(COUNTED);
  await expect.poll(ledger.read).toEqual(['rewarded', 'cooldown']);
  expect(await values(owner, dashboard)).toMatchObject({ votes: { votes: 2, voters: 2 } });
  expect(await inventory(folder)).toEqual([{ item: 'diamond', count: 1 }]);

  expect(await moveClock(running, '24h')).toMatchObject({ offsetMs: 86_400_000 });
  expect(await voteFor('Steve', vera)).toEqual(COUNTED);
  await expect.poll(ledger.paid, { timeout: 15_000 }).toEqual({ delivered: 6 });
  expect(await ledger.read()).toEqual(['rewarded', 'cooldown', 'rewarded']);
  expect(await inventory(folder)).toEqual([{ item: 'diamond', count: 2 }]);
});

test('with --v1 the vote is shown as sent and unconfirmed, and is paid', { timeout: 60_000 }, async () => {
  const folder = temporaryFolder();
  const running = await start(folder, '--v1');

  expect(await voteFor('Steve', await signIn(running, folder, 'vera'))).toEqual(COUNTED);
  await expect.poll(decisions(folder).paid, { timeout: 15_000 }).toEqual({ delivered: 3 });
  expect(await inventory(folder)).toEqual([{ item: 'diamond', count: 1 }]);

  const owner = await signIn(running, folder, OWNER);
  const page = `/dashboard/${await craftListing(owner)}/listener`;
  expect((await values(owner, page)).sends).toMatchObject([{ player: 'Steve', outcome: 'sent' }]);
});

test('a restart in the same folder keeps accounts, passwords, votes and the time of the practice clock', {
  timeout: 60_000,
}, async () => {
  const folder = temporaryFolder();
  const first = await start(folder);
  const before = passwordOf(folder, 'vera');
  expect(await voteFor('Steve', await signIn(first, folder, 'vera'))).toEqual(COUNTED);
  await moveClock(first, '12h');
  expect(await first.stop()).toBe(0);

  const second = await start(folder);
  expect(passwordOf(folder, 'vera')).toBe(before);
  const vera = await signIn(second, folder, 'vera');
  expect(await values(vera, '/practice/clock')).toMatchObject({ offsetMs: 43_200_000 });
  expect(await voteFor('Steve', vera)).toBeNull();
  expect(await values(vera, `/listings/${await craftListing(vera)}`)).toMatchObject({ votes: 1 });

  expect(await moveClock(second, '12h')).toMatchObject({ offsetMs: 86_400_000 });
  expect(await voteFor('Steve', vera)).toEqual(COUNTED);
});
