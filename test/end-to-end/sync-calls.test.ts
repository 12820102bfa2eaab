import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { typedApart, typedHere } from '../kit/apart.ts';
import { rconGame } from '../kit/game.ts';
import { here } from '../kit/here.ts';
import { openLink, Reader } from '../kit/page.ts';
import { furnish, type Place, rewrite } from '../kit/place.ts';
import { temporaryFolder } from '../support/folder.ts';
import { signedIn } from '../support/loop.ts';
import { compiled, type Running, startTeller, type TellerReady, typedConsole } from '../support/processes.ts';
import { READY_MARK } from '../support/report-sync-calls.ts';
import { VotifierClient } from '../support/votifier-client.ts';

interface PagesReady extends TellerReady {
  readonly listing: { readonly url: string };
}

const PAGES = [
  ...['/', '/votes', '/players', '/players/Steve', '/grants', '/figures', '/figures/votes-by-day.csv'],
  ...['/rewards', '/test', '/keys'],
];

const REPORTER = join(import.meta.dirname, '../support/report-sync-calls.ts');
const REPORTING = `NODE_OPTIONS=--import=${pathToFileURL(compiled(REPORTER))}`;

/** Starts a command as npm does, in whose children the parent process is watched too. */
function startReporting(args: readonly string[], folder: string): Promise<Running<PagesReady>> {
  const within = ['env', 'npm_lifecycle_event=start', REPORTING];
  return startTeller(args, folder, within) as Promise<Running<PagesReady>>;
}

/** The stacks of the synchronous calls since the ready line. */
function syncCalls({ log }: Pick<Running<unknown>, 'log'>): string[] {
  const [, since = ''] = log().split(READY_MARK);
  return [...since.matchAll(/a synchronous call on the main thread.*\n((?: {4}at .*\n)+)/g)].map(
    ([, stack = '']) => stack,
  );
}

/** A folder with a config. */
const place = (): Place => furnish(temporaryFolder());

/** Where a Teller has ended that had a grant to hold. */
async function withHeldGrant(): Promise<Place> {
  const game = await rconGame();
  game.fault('run-and-close');
  const teller = await here({ gameServers: { main: game.entry } });
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('held');
  await teller.stop();
  return teller;
}

const logged = ({ log }: Running<unknown>, code: string): Promise<void> =>
  expect.poll(() => log().includes(`"code":"${code}"`)).toBe(true);

test('rule 13: votes, refusals, commands beside it and a reload cause no synchronous disk call in `teller run`', {
  timeout: 60_000,
}, async () => {
  const rewards = [{ name: 'daily', when: 'always', commands: ['give {player} diamond'] }];
  // Nothing listens there, so a message about the grant that is held is tried and noted.
  const alarms = { url: 'http://127.0.0.1:1/' };
  const place = await withHeldGrant();
  rewrite(place, { rewards, alarms });
  const running = await startReporting(['run', '--config', place.config], place.folder);
  const { port } = running.ready.listener;
  const beside = (...words: string[]) => typedApart(place, words);

  expect((await beside('send', '--port', `${port}`, '--player', 'Steve')).code).toBe(0);
  const stranger = await VotifierClient.greeted(port);
  stranger.write(Buffer.alloc(256, 1));
  await stranger.untilClosed();
  await logged(running, 'v1-bad-block');
  expect((await beside('explain', 'Steve')).code).toBe(0);
  expect((await beside('practice', 'join', 'Alex')).code).toBe(0);
  // Kinds of game servers that the process did not have before.
  const gameServers = {
    main: { kind: 'practice', joinDelay: '0s' },
    rcon: { kind: 'rcon', host: '127.0.0.1', port: 1, password: 'no-server-there' },
    http: { kind: 'http', url: 'http://127.0.0.1:1/', secret: 'no-server-there-either-0123456789' },
  };
  rewrite(place, { gameServers, alarms, rewards: [{ ...rewards[0], servers: ['main'] }] });
  expect(await beside('reload')).toMatchObject({ code: 0 });

  await logged(running, 'alarms-unsent');
  expect(syncCalls(running)).toEqual([]);
});

test('rule 13: commands that are typed into `teller run` cause no synchronous disk call in it', {
  timeout: 60_000,
}, async () => {
  const { folder, config } = place();
  const running = typedConsole(folder, ['run', '--typed', '--config', config], ['env', REPORTING]);
  const port = await running.ready();
  expect(await running.type(`send --player Steve --port ${port}`)).toContain('[accepted]');
  expect(await running.type('explain Steve')).toContain('vote 1');
  expect(await running.type('reload')).toContain('nothing to apply');
  expect(await running.type('grants --json')).toMatch(/^\[/);
  expect(await running.type('backup copy')).not.toContain('error');
  expect(await running.type('bogus')).toContain('[usage]');
  expect(running.log()).toContain(READY_MARK);

  running.process.stdin.write('stop\n');
  expect(await running.ended()).toBe(0);
  expect(syncCalls(running)).toEqual([]);
});

test('rule 13: the pages of the console cause no synchronous disk call, and neither do its checks and a test vote', {
  timeout: 60_000,
}, async () => {
  const one = place();
  const running = await startReporting(['run', '--config', one.config], one.folder);
  await logged(running, 'console');
  const link = (await typedHere(one, 'console', 'open', '--print')).out;
  const reader = new Reader(new URL(link).origin);
  await openLink(reader, link);
  await expect.poll(async () => (await reader.open('/')).text).toContain('found nothing wrong');
  for (const path of PAGES) expect([path, (await reader.open(path)).status]).toEqual([path, 200]);
  // The block of a version 1 vote is made by a large package.
  const vote = { player: 'Steve', service: 'List.example', version: 'v1' };
  const shown = await reader.submit(await reader.open('/test'), '/test/votes', vote);
  expect(shown.html).toContain('<code>sent</code>');
  expect(syncCalls(running)).toEqual([]);
});

test('rule 13: votes on a page, both kinds of sending and a moved clock cause no synchronous disk call in `teller loop`', {
  timeout: 60_000,
}, async () => {
  const folder = temporaryFolder();
  const running = await startReporting(
    ['loop', '--v1', '--port', '0', '--listener-port', '0', '--console-port', '0'],
    folder,
  );
  const { url } = running.ready.listing;
  const [, page = ''] = /(\/listings\/[\w-]+)/.exec(running.log()) ?? [];
  const password = readFileSync(join(folder, 'data/loop/passwords/vera'), 'utf8').trim();
  const visitor = await signedIn(url, 'vera', password);
  await visitor.get(page);
  await visitor.post(`${page}/vote`, { player: 'Steve' });
  await logged(running, 'rewarded');
  await logged(running, 'webhook-received');
  const response = await fetch(`${url}/practice/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"advance":"24h"}',
  });
  expect(await response.json()).toMatchObject({ offsetMs: 86_400_000 });

  expect(syncCalls(running)).toEqual([]);
});

test('rule 13: pages and a sign-in cause no synchronous disk call in `teller listing`', {
  timeout: 60_000,
}, async () => {
  const { folder, config } = place();
  const running = await startReporting(['listing', '--config', config, '--port', '0'], folder);
  const [, name = '', password = ''] =
    /sign in as (\S+) with the password (.+) \(shown only once\)/.exec(running.log()) ?? [];
  const owner = await signedIn(running.ready.listing.url, name, password);
  for (const path of ['/', '/docs', '/dashboard']) expect((await owner.get(path)).status).toBe(200);

  expect(syncCalls(running)).toEqual([]);
});
