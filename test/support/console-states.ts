/** States of the console in which pages are looked at, each a whole Teller in this process that ends with the test. */
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/core/duration.ts';
import { isoTime } from '../../src/core/instant.ts';
import { fillLedger } from '../bench/big-ledger.ts';
import { rconGame } from '../kit/game.ts';
import { ledgerFileOf } from '../kit/ledger-file.ts';
import { type Place, rewrite } from '../kit/place.ts';
import { freePort } from '../kit/serve.ts';
import { TOKEN } from '../kit/vote.ts';
import { SettableClock } from './fake-clock.ts';
import { placeEmptyLedger } from './folder.ts';
import { type LiveConsole, liveConsole, operatorOf } from './live-console.ts';

/** A running console in a state that is worth a look, and the browser of an operator who has signed in. */
export type ConsoleState = Awaited<ReturnType<typeof emptyState>>;

/** Now, in every state. */
const NOW = '2026-06-17T18:40:00Z';

export const consoleStates: Readonly<Record<'empty' | 'busy' | 'trouble', () => Promise<ConsoleState>>> = {
  empty: emptyState,
  busy: busyState,
  trouble: troubleState,
};

/** A first start: nothing has arrived, and the only game server is a practice one. */
async function emptyState() {
  const clock = new SettableClock(NOW);
  const running = await liveConsole({ sites: { default: { token: TOKEN } } }, clock);
  return { ...running, clock, browser: await operatorOf(running) };
}

const FIRSTS = 'Amber Arctic Brave Clever Cosmic anna emma finn leo mia xX_'.split(' ');
const SECONDS = 'Axolotl Builder Cat Creeper Dragon Fox Golem Knight Miner Panda'.split(' ');
/** Different names as players have them, such as `BraveFox_17`. */
const PLAYERS = Array.from({ length: 4_000 }, (_, at) => {
  const [pair, number] = [at % (FIRSTS.length * SECONDS.length), Math.floor(at / 110)];
  const first = FIRSTS[Math.floor(pair / SECONDS.length)];
  return `${first}${SECONDS[pair % SECONDS.length]}${number % 2 === 0 ? '_' : ''}${number}`;
});

const SITES = [
  'CraftIndex.example',
  'BlockRank.example',
  'TopServers.example',
  'VoteHub.example',
  'PixelList',
];
const VOTES = 100_600;
const DAYS = 180;
const VOTES_NOW = 45;
const CANCELLED = 5;
const VOTERS_NOW = PLAYERS.filter((_, at) => at % 7 === 0).slice(0, VOTES_NOW);
/** On one of the game servers. */
const ONLINE = VOTERS_NOW.filter((_, at) => at % 3 === 0);

const REWARDS = {
  rewards: [
    { name: 'thanks', when: 'always', servers: ['main'], commands: ['say {player} voted on {site}'] },
    { name: 'daily', servers: ['main'], commands: ['give {player} diamond 1'] },
    {
      ...{ name: 'lucky', servers: 'where-online', if: { chance: '10%' } },
      commands: ['give {player} netherite_ingot 1'],
    },
  ],
  party: [{ name: 'party', every: 20, servers: ['main'], for: 'online', commands: ['give {player} cake 1'] }],
  tops: [
    {
      ...{ name: 'top', period: 'month', servers: ['main'] },
      prizes: { 1: ['give {player} beacon 1'], '2..3': ['give {player} diamond 5'] },
    },
  ],
};

/**
 * A network that has had 100,000 votes in the last half year: nearly all of their grants are delivered, some wait for
 * their players, are held, or were cancelled. The latest votes arrive now and are paid on real game servers.
 */
async function busyState(): Promise<ConsoleState> {
  const clock = new SettableClock(NOW);
  const votesBegin = clock.now() - VOTES_NOW * MINUTE_MS;
  const [main, skyblock] = [await rconGame(), await rconGame()];
  const entries = SITES.map((site) => [site, { url: `https://${site.toLowerCase()}/vote/blocky` }]);
  const config = {
    ...{ ...REWARDS, sites: { default: { token: TOKEN }, ...Object.fromEntries(entries) } },
    gameServers: { main: main.entry, skyblock: skyblock.entry },
  };
  const running = await liveConsole(config, clock, (place) => fill(place, votesBegin));
  main.show(...ONLINE.filter((_, at) => at % 4 !== 0));
  skyblock.show(...ONLINE.filter((_, at) => at % 4 === 0));
  clock.set(isoTime(votesBegin));
  await voteNow(running, clock);
  await cancelSome(running);
  return { ...running, clock, browser: await operatorOf(running) };
}

/** @param until when its last vote was cast, in ms since the Unix epoch. */
function fill(place: Place, until: number): void {
  const file = ledgerFileOf(place);
  placeEmptyLedger(file);
  // The ledger's last day is today.
  const now = until + 3 * DAY_MS;
  const shape = { days: DAYS, players: PLAYERS, services: SITES, until, heldEach: 15_000 };
  fillLedger({ file, votes: VOTES, now, shape }, () => {});
}

/** One vote a minute, until now, each paid before the next. */
async function voteNow({ vote, run }: LiveConsole, clock: SettableClock): Promise<void> {
  for (const [at, player] of VOTERS_NOW.entries()) {
    clock.set(isoTime(clock.now() + MINUTE_MS));
    await vote({ player, site: SITES[at % SITES.length] ?? '' });
  }
  await expect.poll(() => rowsOf({ run }, 'grants', '--state', 'pending')).toEqual([]);
}

async function cancelSome({ run }: LiveConsole): Promise<void> {
  for (const { id } of (await rowsOf({ run }, 'grants', '--state', 'waiting')).slice(0, CANCELLED))
    await run('grants', 'cancel', String(id), '--yes');
}

// biome-ignore lint/suspicious/noExplicitAny: rows of several commands
const rowsOf = async ({ run }: Pick<LiveConsole, 'run'>, ...words: readonly string[]): Promise<any[]> =>
  (await run(...words, '--json')).json;

/** Markup, quotes, and a mark that turns the direction of the text after it. */
const HOSTILE = '<script>alert(1)</script> "\u202E>';
const LISTED = 'Craft-List.example';
const WRONG_TOKEN = 'another-token-of-thirty-two-chars';
const UNKNOWN_COMMAND = 'Unknown or incomplete command, see below for error';

/**
 * As much as can go wrong together: grants that are held and refused, game servers that are away, refuse the login or reply
 * with markup, listings without an entry, a config file that does not run yet, a doubtful clock, and whatever `check`
 * finds in such a config.
 */
async function troubleState(): Promise<ConsoleState> {
  const clock = new SettableClock(NOW);
  const jumpsAt = isoTime(clock.now());
  clock.set(isoTime(clock.now() - 26 * HOUR_MS));
  const config = await brokenConfig();
  const running = await liveConsole(config, clock);
  await losePayments(running);
  await sendBadVotes(running);
  await running.run('pause', '--server', 'shop');
  // It is newer than what runs and readable by everyone, and half of the key pair is gone.
  rewrite(running, { ...config, sites: { ...config.sites, 'New.example': {} } });
  chmodSync(running.config, 0o644);
  rmSync(join(running.folder, 'data/keys/public.key'));
  clock.jump(jumpsAt);
  // The listing states no time, so that this machine's clock decides.
  await running.vote({ player: 'Zoe', site: LISTED, timestamp: '' });
  return { ...running, clock, browser: await operatorOf(running) };
}

/** What `check` warns of in a config, and game servers of which only `main` works. */
async function brokenConfig() {
  const main = await rconGame({ commandTimeout: '500ms' }, (command) =>
    command.startsWith('giv ') ? `${UNKNOWN_COMMAND}${command}<--[HERE]` : undefined,
  );
  main.fault('run-and-close');
  const shop = await rconGame({}, (command) =>
    command.startsWith('shop ') ? `Could not find ${HOSTILE}` : undefined,
  );
  const away = { kind: 'rcon', host: '127.0.0.1', port: await freePort(), password: 'nobody is there' };
  const api = { baseUrl: `http://0.0.0.0:${await freePort()}/api/v1`, token: 'tok' };
  return {
    sites: {
      default: { token: TOKEN },
      [LISTED]: { url: 'https://craft-list.example/vote' },
      'Silent.example': {},
      'Roads.example': { game: 'fivem', api },
    },
    gameServers: {
      main: main.entry,
      shop: shop.entry,
      away,
      locked: { ...main.entry, password: 'not its password' },
    },
    rewards: [
      { name: 'hello', when: 'always', servers: ['main'], commands: ['say {player} voted'] },
      { name: 'broken', when: 'always', servers: ['main'], commands: ['giv {player} <b>diamond</b>'] },
      { name: 'shop', when: 'always', servers: ['shop'], commands: ['shop open {player} "<b>&6now</b>"'] },
      { name: 'far', when: 'always', servers: ['away', 'locked'], commands: ['say &6{player} {rank}'] },
      {
        ...{ name: 'ten', servers: ['main'], commands: ['say {player} has ten'] },
        if: { votes: { every: 10 }, weekday: ['sat'] },
      },
    ],
    alarms: { url: `http://127.0.0.1:${await freePort()}/alarms`, format: 'chat' },
  };
}

/** The first command of a new connection runs and its reply is lost, so its grant is held; others are refused. */
async function losePayments({ vote, states }: LiveConsole): Promise<void> {
  for (const player of ['Steve', 'Alex', 'Notch']) await vote({ player, site: LISTED });
  const counts = async () => {
    const all = await states();
    return ['held', 'refused', 'delivered'].map((state) => all.filter((each) => each === state).length);
  };
  await expect.poll(counts, { timeout: 15_000 }).toEqual([1, 3, 5]);
}

/** From listings without an entry, with a hostile name too, and with a wrong token or player. */
async function sendBadVotes({ vote, run }: LiveConsole): Promise<void> {
  for (const site of ['First', 'An-Unlisted-Name-As-Long-As-Listings-Have-It.example', HOSTILE])
    await vote({ site });
  await vote({ player: HOSTILE, site: LISTED });
  await vote({ site: 'Silent.example', token: WRONG_TOKEN });
  const refused = async () =>
    (await rowsOf({ run }, 'sites')).flatMap(({ refusals }: { refusals: readonly object[] }) => refusals);
  await expect.poll(refused, { timeout: 10_000 }).toHaveLength(2);
}

/** A page and what it is called, in the order of the navigation. */
export type NamedPage = readonly [name: string, path: string];

/** These are seen without having signed in. */
export const openPages: readonly NamedPage[] = [['sign-in', '/sign-in']];

/** Every page of the console, of what there is in this state. */
export async function pagesOf(state: ConsoleState): Promise<readonly NamedPage[]> {
  const [vote] = await rowsOf(state, 'votes', '--limit', '1');
  const grants: { state: string; id: number }[] = [];
  for (const each of ['held', 'refused', 'waiting', 'delivered'])
    grants.push(...(await rowsOf(state, 'grants', '--state', each, '--limit', '1')));
  const inState = (wanted: string) => grants.find((grant) => grant.state === wanted);
  const stuck = inState('refused') ?? inState('held');
  return [
    ['now', '/'],
    ['game-server', '/now/game-server'],
    ['site', '/now/site'],
    ['site-lines', '/now/site?service=Minecraft-MP.com'],
    ['votes', '/votes'],
    ...(vote === undefined ? [] : [['vote', `/votes/${vote.id}`] as const]),
    ['players', '/players'],
    ['players-found', '/players?name=an'],
    ['player', `/players/${vote?.player ?? 'Nobody'}`],
    ['needs-you', '/grants'],
    ...grants.map(({ state: name, id }) => [`grant-${name}`, `/grants/${id}`] as const),
    ...(stuck === undefined ? [] : [['grant-change', await changePath(state, stuck.id)] as const]),
    ['figures', '/figures'],
    ['rewards', '/rewards'],
    ['test', '/test'],
    ['keys', '/keys'],
    ['not-found', '/nowhere'],
  ];
}

/** The result of a test vote, which it sends. So this page comes after all others. */
export async function testPagesOf({ config, browser }: ConsoleState): Promise<readonly NamedPage[]> {
  const [, service = 'Test'] = Object.keys(JSON.parse(readFileSync(config, 'utf8')).sites);
  await browser.get('/test');
  const sent = await browser.post('/test/votes', { player: 'Herobrine', service, version: 'v2' });
  return [['test-vote', sent.to ?? '']];
}

/** What would be cancelled is shown first. */
async function changePath({ browser }: ConsoleState, id: number): Promise<string> {
  const { text } = await browser.get('/grants');
  const [, mark = id] = new RegExp(`name="grant" value="(${id}\\.\\d+)"`).exec(text) ?? [];
  return `/grants/change?action=cancel&grant=${mark}`;
}
