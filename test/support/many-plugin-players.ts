/** Files of plugins with thousands of players, each with last votes, a run and what is owed. Free of vitest. */
import { once } from 'node:events';
import { createWriteStream, writeFileSync } from 'node:fs';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import { Sqlite } from '../../src/platform/sqlite/driver.ts';

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
export const SERVICES = new Map(SITES.map((site) => [site.toLowerCase(), `${site.toLowerCase()}.example`]));

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
export type Write = (folder: string, count: number, sites: number) => Promise<Data>;

/** How VotingPlugin or an export stores its players. Each creates so many of them in its folder. */
export const VOTING_PLUGIN = {
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

/** The rest of VotingPlugin's folder. */
export const writeVoteSites = (folder: string): void =>
  writeFileSync(path.join(folder, 'VoteSites.yml'), VOTE_SITES);
