import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import { describe, expect, test } from 'vitest';
import { votingPluginSource } from '../../src/plugins/votingplugin/source.ts';
import { temporaryFolder } from '../support/folder.ts';

const PLAYERS = 50_000;
const MINUTE_MS = 60_000;

const COLUMNS = [
  ...['uuid', 'PlayerName', 'LastVotes', 'OfflineVotes', 'OfflineRewards', 'AllTimeTotal', 'MonthTotal'],
  ...['WeeklyTotal', 'DailyTotal', 'DayVoteStreak', 'BestDayVoteStreak', 'DayVoteStreakLastUpdate'],
];

const valuesOf = (at: number): readonly string[] => [
  `${at.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`,
  `Player_${at}`,
  Array.from({ length: 8 }, (_, site) => `Site${site}//${1795302000000 + at}`).join('%line%'),
  at % 5 === 0 ? 'Site1%line%Site2' : '',
  at % 7 === 0 ? "VoteSites_Site1_Rewards%placeholders%SiteName%pair%It's one" : '',
  ...['412', '38', '9', '2', '12', '40', '1795302000000'],
];

const services = new Map(Array.from({ length: 8 }, (_, site) => [`site${site}`, `site${site}.example`]));

/** How many players are read, how long it takes, and how much more memory is used meanwhile. */
async function read(folder: string, data: string | null) {
  const source = await votingPluginSource({
    ...{ folder, data, services, bedrockPrefixes: ['.'] },
    commandsOf: () => [],
  });
  const [before, start] = [process.memoryUsage().rss, performance.now()];
  let [players, peak] = [0, before];
  for await (const each of source.balances()) {
    if (each.kind === 'player') players += 1;
    if (players % 1000 === 0) peak = Math.max(peak, process.memoryUsage().rss);
  }
  return { players, took: performance.now() - start, grown: peak - before };
}

describe('50,000 players of VotingPlugin', () => {
  test('are read from a dump of one statement within a minute, in bounded memory', async () => {
    const file = path.join(temporaryFolder({}), 'dump.sql');
    const stream = createWriteStream(file);
    stream.write(
      `CREATE TABLE \`VotingPlugin_Users\` (\n${COLUMNS.map((name) => `\`${name}\` text`).join(',\n')}\n);\n`,
    );
    stream.write('INSERT INTO `VotingPlugin_Users` VALUES ');
    for (let at = 0; at < PLAYERS; at++) {
      const values = valuesOf(at).map((value) => `'${value.replaceAll("'", "\\'")}'`);
      stream.write(`${at === 0 ? '' : ','}(${values.join(',')})`);
    }
    stream.end(';\n');
    await finished(stream);
    const { players, took, grown } = await read(path.dirname(file), file);
    expect(players).toBe(PLAYERS);
    expect(took).toBeLessThan(MINUTE_MS);
    expect(grown).toBeLessThan(150 * 1024 * 1024);
  }, 180_000);

  test('are read from a file each within a minute', async () => {
    const folder = temporaryFolder({});
    await mkdir(path.join(folder, 'Data'));
    for (let at = 0; at < PLAYERS; at += 500) {
      await Promise.all(
        Array.from({ length: 500 }, async (_, more) => {
          const [uuid, ...values] = valuesOf(at + more);
          const lines = values.map(
            (value, index) => `${COLUMNS[index + 1]}: '${value.replaceAll("'", "''")}'`,
          );
          await writeFile(path.join(folder, 'Data', `${uuid}.yml`), `${lines.join('\n')}\n`);
        }),
      );
    }
    const { players, took, grown } = await read(folder, null);
    expect(players).toBe(PLAYERS);
    expect(took).toBeLessThan(MINUTE_MS);
    expect(grown).toBeLessThan(150 * 1024 * 1024);
  }, 180_000);
});
