/** States of the console in which pages are looked at, each a whole Teller in this process that ends with the test. */
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/core/duration.ts';
import { isoTime } from '../../src/core/instant.ts';
import type { GrantState } from '../../src/core/settlement.ts';
import { fillLedger } from '../bench/big-ledger.ts';
import { rconGame } from '../kit/game.ts';
import { freePort } from '../kit/serve.ts';
import { sendV2 } from '../kit/vote.ts';
import { TOKEN, writeConfig } from './config-folder.ts';
import type { FakeBrowser } from './fake-browser.ts';
import { SettableClock } from './fake-clock.ts';
import { placeEmptyLedger, temporaryFolder } from './folder.ts';
import { type RunningConsole, runningConsole } from './running-console.ts';
import { Seeded } from './seeded.ts';

/** A running console in a state that is worth a look. */
export interface ConsoleState extends RunningConsole {
  readonly clock: SettableClock;
  /** It has signed in. */
  readonly browser: FakeBrowser;
}

/** Now, in every state. */
const NOW = '2026-06-17T18:40:00Z';

export const consoleStates: Readonly<Record<'empty' | 'busy' | 'trouble', () => Promise<ConsoleState>>> = {
  empty: emptyState,
  busy: busyState,
  trouble: troubleState,
};

/** A first start: nothing has arrived, and the only game server is a practice one. */
async function emptyState(): Promise<ConsoleState> {
  const clock = new SettableClock(NOW);
  const running = await runningConsole(clock);
  return { ...running, clock, browser: await running.operator() };
}

const FIRST =
  'Amber Arctic Blocky Brave Clever Cosmic Crimson Dusty Ender Frosty Gentle Golden Hidden Iron'.split(' ');
const SECOND =
  'Axolotl Badger Builder Cat Creeper Dragon Falcon Fox Golem Hunter Knight Miner Otter Panda'.split(' ');
const GIVEN =
  'anna ben carla david emma finn greta hugo ida jonas klara leo mia noah olga paul rosa tim'.split(' ');

/** So many different names as players have them, always the same ones. */
function playerNames(count: number): readonly string[] {
  const random = new Seeded(count);
  const names = new Map<string, string>();
  while (names.size < count) {
    const name = playerName(random).slice(0, 16);
    if (!names.has(name.toLowerCase())) names.set(name.toLowerCase(), name);
  }
  return [...names.values()];
}

function playerName(random: Seeded): string {
  const number = random.below(1_000);
  switch (random.below(5)) {
    case 0:
      return `${random.pick(FIRST)}${random.pick(SECOND)}`;
    case 1:
      return `${random.pick(GIVEN)}_${number}`;
    case 2:
      return `xX${random.pick(SECOND)}${number}Xx`;
    case 3:
      return `${random.pick(SECOND)}Of${random.pick(FIRST)}${number}`;
    default:
      return `${random.pick(GIVEN)}The${random.pick(SECOND)}${number}`;
  }
}

const SITES = [
  'CraftIndex.example',
  'BlockRank.example',
  'TopServers.example',
  'VoteHub.example',
  'PixelList',
];
const PLAYERS = playerNames(4_000);
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
  const running = await runningConsole(clock, {
    ...{ ledger: filledLedger(votesBegin), ...REWARDS },
    sites: {
      default: { token: TOKEN },
      ...Object.fromEntries(
        SITES.map((site) => [site, { url: `https://${site.toLowerCase()}/vote/blocky` }]),
      ),
    },
    gameServers: { main: main.entry, skyblock: skyblock.entry },
  });
  main.show(...ONLINE.filter((_, at) => at % 4 !== 0));
  skyblock.show(...ONLINE.filter((_, at) => at % 4 === 0));
  clock.set(isoTime(votesBegin));
  await voteNow(running, clock);
  await cancelSome(running, clock);
  return { ...running, clock, browser: await running.operator() };
}

/** @param until when its last vote was cast, in ms since the Unix epoch. */
function filledLedger(until: number): string {
  const file = join(temporaryFolder(), 'data/teller.db');
  mkdirSync(dirname(file));
  placeEmptyLedger(file);
  // The ledger's last day is today.
  const now = until + 3 * DAY_MS;
  const shape = { days: DAYS, players: PLAYERS, services: SITES, until, heldEach: 15_000 };
  fillLedger({ file, votes: VOTES, now, shape }, () => {});
  return file;
}

/** One vote a minute, until now, each paid before the next. */
async function voteNow({ app }: RunningConsole, clock: SettableClock): Promise<void> {
  for (const [at, player] of VOTERS_NOW.entries()) {
    clock.set(isoTime(clock.now() + MINUTE_MS));
    await sendV2(app.listener.port, { player, site: SITES[at % SITES.length] ?? '', at: clock.now() });
  }
  await expect.poll(async () => (await app.ledger.grantStates()).pending ?? 0).toBe(0);
}

async function cancelSome({ app }: RunningConsole, clock: SettableClock): Promise<void> {
  const order = { by: 'admin', to: null };
  for (const { id } of await app.ledger.grants({ state: 'waiting', limit: CANCELLED }))
    await app.ledger.cancel(id, order, clock.now());
}

/** Markup, quotes, and a mark that turns the direction of the text after it. */
const HOSTILE = '<script>alert(1)</script> "\u202E>';
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
  const running = await runningConsole(clock, config);
  await losePayments(running, clock);
  await sendBadVotes(running, clock);
  await running.app.ledger.pause({ server: 'shop', reward: null }, 'admin', clock.now());
  changeFiles(running, config);
  clock.jump(jumpsAt);
  await voteWithoutTime(running, 'Zoe');
  return { ...running, clock, browser: await running.operator() };
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
      'Craft-List.example': { url: 'https://craft-list.example/vote' },
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
async function losePayments({ app }: RunningConsole, clock: SettableClock): Promise<void> {
  for (const player of ['Steve', 'Alex', 'Notch'])
    await sendV2(app.listener.port, { player, site: 'Craft-List.example', at: clock.now() });
  const states = () => app.ledger.grantStates();
  await expect.poll(states, { timeout: 15_000 }).toMatchObject({ held: 1, refused: 3, delivered: 5 });
}

/** From listings without an entry, with a hostile name too, and with a wrong token or player. */
async function sendBadVotes({ app }: RunningConsole, clock: SettableClock): Promise<void> {
  const send = (player: string, site: string, token = TOKEN) =>
    sendV2(app.listener.port, { player, site, token, at: clock.now() });
  for (const service of ['First', 'An-Unlisted-Name-As-Long-As-Listings-Have-It.example', HOSTILE])
    await send('Steve', service);
  await send(HOSTILE, 'Craft-List.example');
  await send('Steve', 'Silent.example', WRONG_TOKEN);
  await expect.poll(() => app.ledger.refusals(0), { timeout: 10_000 }).toHaveLength(2);
}

/** The config file is newer than what runs and readable by everyone, and half of the key pair is gone. */
function changeFiles({ config: file, folder }: RunningConsole, config: { readonly sites: object }): void {
  writeConfig(file, { ...config, sites: { ...config.sites, 'New.example': {} } });
  chmodSync(file, 0o644);
  rmSync(join(folder, 'data/keys/public.key'));
}

/** The listing states no time, so that this machine's clock decides. */
const voteWithoutTime = ({ app }: RunningConsole, player: string) =>
  sendV2(app.listener.port, { player, site: 'Craft-List.example', timestamp: '' });

/** A page and what it is called, in the order of the navigation. */
export type NamedPage = readonly [name: string, path: string];

/** These are seen without having signed in. */
export const openPages: readonly NamedPage[] = [['sign-in', '/sign-in']];

/** Every page of the console, of what there is in this state. */
export async function pagesOf(state: ConsoleState): Promise<readonly NamedPage[]> {
  const { look } = state;
  const [vote] = await look.votes({ limit: 1 });
  const [refused] = await look.grants({ state: 'refused', limit: 1 });
  const [held] = await look.grants({ state: 'held', limit: 1 });
  const stuck = refused ?? held;
  return [
    ...([
      ['now', '/'],
      ['game-server', '/now/game-server'],
      ['site', '/now/site'],
      ['site-lines', '/now/site?service=Minecraft-MP.com'],
      ['votes', '/votes'],
    ] as const),
    ...(vote === undefined ? [] : [['vote', `/votes/${vote.id}`] as const]),
    ['players', '/players'],
    ['players-found', '/players?name=an'],
    ['player', `/players/${vote?.player ?? 'Nobody'}`],
    ['needs-you', '/grants'],
    ...(await grantPages(state, ['held', 'refused', 'waiting', 'delivered'])),
    ...(stuck === undefined ? [] : [['grant-change', await changePath(state, stuck.id)] as const]),
    ...([
      ['figures', '/figures'],
      ['rewards', '/rewards'],
      ['test', '/test'],
    ] as const),
    ...([
      ['keys', '/keys'],
      ['not-found', '/nowhere'],
    ] as const),
  ];
}

/** The result of a test vote, which it sends. So this page comes after all others. */
export async function testPagesOf({ app, browser }: ConsoleState): Promise<readonly NamedPage[]> {
  const [, service = 'Test'] = app.config.sites.keys();
  await browser.get('/test');
  const sent = await browser.post('/test/votes', { player: 'Herobrine', service, version: 'v2' });
  return [['test-vote', sent.to ?? '']];
}

/** One grant in each of these states, as far as there is one. */
async function grantPages({ look }: ConsoleState, states: readonly GrantState[]): Promise<NamedPage[]> {
  const pages: NamedPage[] = [];
  for (const state of states) {
    const [grant] = await look.grants({ state, limit: 1 });
    if (grant !== undefined) pages.push([`grant-${state}`, `/grants/${grant.id}`]);
  }
  return pages;
}

/** What would be cancelled is shown first. */
async function changePath({ browser }: ConsoleState, id: number): Promise<string> {
  const { text } = await browser.get('/grants');
  const [, mark = id] = new RegExp(`name="grant" value="(${id}\\.\\d+)"`).exec(text) ?? [];
  return `/grants/change?action=cancel&grant=${mark}`;
}
