/** Files of VotingPlugin and exports with thousands of players, each with last votes, a run and what is owed. */
import { once } from 'node:events';
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { votingPluginPlayers } from '../../src/plugins/votingplugin-players.ts';
import { typedApart, typedHere } from '../kit/apart.ts';
import { furnish } from '../kit/place.ts';
import { placeEmptyLedger, temporaryFolder } from '../support/folder.ts';

const COLUMNS = [
  ...['uuid', 'PlayerName', 'LastVotes', 'OfflineVotes', 'OfflineRewards', 'AllTimeTotal', 'MonthTotal'],
  ...['WeeklyTotal', 'DailyTotal', 'DayVoteStreak', 'BestDayVoteStreak', 'DayVoteStreakLastUpdate'],
];
const SITES = Array.from({ length: 8 }, (_, site) => `Site${site}`);
/** In ms since the Unix epoch. */
const LAST_VOTE = 1_795_302_000_000;

const uuidOf = (at: number): string => `${at.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;

const valuesOf = (at: number, sites: number): readonly string[] => [
  ...[uuidOf(at), `Player_${at}`],
  SITES.slice(0, sites)
    .map((site) => `${site}//${LAST_VOTE + at}`)
    .join('%line%'),
  at % 5 === 0 ? 'Site1%line%Site2' : '',
  at % 7 === 0 ? "VoteSites_Site1_Rewards%placeholders%SiteName%pair%It's one" : '',
  ...['412', '38', '9', '2', '12', '40', String(LAST_VOTE)],
];

/** The services of the sites in VoteSites.yml, by the site in lower case. */
const SERVICES = new Map(SITES.map((site) => [site.toLowerCase(), `${site.toLowerCase()}.example`]));

const VOTE_SITES = [
  'VoteSites:',
  ...SITES.flatMap((site) => [`  ${site}:`, `    ServiceSite: ${site.toLowerCase()}.example`]),
  '',
].join('\n');

/** Writes lines one by one, as many as there are. */
async function writeLines(file: string, lines: Iterable<string>): Promise<void> {
  const stream = createWriteStream(file);
  for (const line of lines) if (!stream.write(line)) await once(stream, 'drain');
  stream.end();
  await finished(stream);
}

const numbers = function* (count: number): Generator<number> {
  for (let at = 0; at < count; at++) yield at;
};

/** Where the players are, in the words of `--data`; null: in the folder. */
type Data = string | null;

/** @param sites the number of last votes of each player, up to 8, if the plugin keeps any. */
type Write = (folder: string, count: number, sites: number) => Promise<Data>;

/** How VotingPlugin or an export stores its players. Each creates so many of them in its folder. */
const VOTING_PLUGIN = {
  'a CSV file': async (folder, count, sites) => {
    const file = path.join(folder, 'users.csv');
    await writeLines(
      file,
      (function* () {
        yield `${COLUMNS.join(',')}\n`;
        for (const at of numbers(count)) yield `${valuesOf(at, sites).map((value) => `"${value}"`)}\n`;
      })(),
    );
    return file;
  },
  'a SQLite file': async (folder, count, sites) => {
    const database = new Sqlite(path.join(folder, 'Users.db'));
    database.exec(`CREATE TABLE Users (${COLUMNS.map((name) => `${name} TEXT`)})`);
    const insert = database.prepare(`INSERT INTO Users VALUES (${COLUMNS.map(() => '?')})`);
    database.transaction(() => {
      for (const at of numbers(count)) insert.run(valuesOf(at, sites));
    })();
    database.close();
    return null;
  },
} as const satisfies Readonly<Record<string, Write>>;

const PLAYERS = 50_000;
const MINUTE_MS = 60_000;

test.each(Object.entries(VOTING_PLUGIN))(
  '50,000 players of VotingPlugin are read from %s within a minute, in bounded memory',
  { timeout: 180_000 },
  async (_, write) => {
    const folder = temporaryFolder({});
    const data = await write(folder, PLAYERS, 8);
    const source = await votingPluginPlayers(folder, data, { services: SERVICES, bedrockPrefixes: ['.'] });
    const [before, start] = [process.memoryUsage().rss, performance.now()];
    let [players, peak] = [0, before];
    for await (const each of source.balances()) {
      if (each.kind === 'player') players += 1;
      if (players % 1000 === 0) peak = Math.max(peak, process.memoryUsage().rss);
    }
    expect(performance.now() - start).toBeLessThan(MINUTE_MS);
    expect(players).toBe(PLAYERS);
    expect(peak - before).toBeLessThan(150 * 1024 * 1024);
  },
);

const IMPORTED = 10_000;

test.each(Object.entries(VOTING_PLUGIN))(
  'teller import players votingplugin imports 10,000 players from %s, with progress',
  { timeout: 300_000 },
  async (_, write) => {
    const sites = Object.fromEntries([...SERVICES.values()].map((service) => [service, {}]));
    const place = furnish(temporaryFolder(), { sites });
    placeEmptyLedger(path.join(place.folder, 'data/teller.db'));
    const from = path.join(place.folder, 'plugin');
    mkdirSync(from);
    writeFileSync(path.join(from, 'VoteSites.yml'), VOTE_SITES);
    const data = await write(from, IMPORTED, 4);

    const words = ['import', 'players', 'votingplugin', from, ...(data === null ? [] : ['--data', data])];
    const { code, out, err } = await typedApart(place, words);
    expect([code, err]).toEqual([0, expect.stringMatching(/^\d+ entries read$/m)]);
    expect(out).toContain(`: ${IMPORTED}, of which imported: ${IMPORTED}`);
    const { json } = await typedHere(place, 'players', 'show', 'player_9999', '--json');
    expect(json[0].votes).toBe(412);
  },
);
