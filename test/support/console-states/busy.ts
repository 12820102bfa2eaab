import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../../src/core/duration.ts';
import { isoTime } from '../../../src/core/instant.ts';
import type { PracticeServer } from '../../../src/practice/server.ts';
import { fillLedger } from '../../bench/big-ledger.ts';
import { TOKEN } from '../config-folder.ts';
import { placeEmptyLedger } from '../empty-ledger.ts';
import { temporaryFolder } from '../folder.ts';
import { PASSWORD, practice } from '../rcon.ts';
import { type RunningConsole, runningConsole } from '../running-console.ts';
import { SettableClock } from '../settable-clock.ts';
import { voteTo } from '../votes-to.ts';
import { playerNames } from './names.ts';
import { type ConsoleState, NOW } from './state.ts';

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

const rcon = ({ port }: PracticeServer) => ({ kind: 'rcon', host: '127.0.0.1', port, password: PASSWORD });

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
export async function busyState(): Promise<ConsoleState> {
  const clock = new SettableClock(NOW);
  const votesBegin = clock.now() - VOTES_NOW * MINUTE_MS;
  const main = await practice();
  const skyblock = await practice();
  const running = await runningConsole(clock, {
    ...{ ledger: filledLedger(votesBegin), ...REWARDS },
    sites: {
      default: { token: TOKEN },
      ...Object.fromEntries(
        SITES.map((site) => [site, { url: `https://${site.toLowerCase()}/vote/blocky` }]),
      ),
    },
    gameServers: { main: rcon(main), skyblock: rcon(skyblock) },
  });
  for (const [at, player] of ONLINE.entries()) (at % 4 === 0 ? skyblock : main).join(player);
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
    await voteTo(app.listener.port, player, SITES[at % SITES.length], TOKEN, clock);
  }
  await expect.poll(async () => (await app.ledger.grantStates()).pending ?? 0).toBe(0);
}

async function cancelSome({ app }: RunningConsole, clock: SettableClock): Promise<void> {
  const order = { by: 'admin', to: null };
  for (const { id } of await app.ledger.grants({ state: 'waiting', limit: CANCELLED }))
    await app.ledger.cancel(id, order, clock.now());
}
