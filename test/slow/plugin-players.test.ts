import { describe, expect, test } from 'vitest';
import { votingPluginPlayers } from '../../src/plugins/votingplugin-players.ts';
import { temporaryFolder } from '../support/folder.ts';
import { SERVICES, VOTING_PLUGIN } from '../support/many-plugin-players.ts';

const PLAYERS = 50_000;
const MINUTE_MS = 60_000;

/** How many players are read, how long it takes, and how much more memory is used meanwhile. */
async function read(folder: string, data: string | null) {
  const source = await votingPluginPlayers(folder, data, { services: SERVICES, bedrockPrefixes: ['.'] });
  const [before, start] = [process.memoryUsage().rss, performance.now()];
  let [players, peak] = [0, before];
  for await (const each of source.balances()) {
    if (each.kind === 'player') players += 1;
    if (players % 1000 === 0) peak = Math.max(peak, process.memoryUsage().rss);
  }
  return { players, took: performance.now() - start, grown: peak - before };
}

describe('50,000 players of VotingPlugin', () => {
  test.each(Object.entries(VOTING_PLUGIN))(
    'are read from %s within a minute, in bounded memory',
    { timeout: 180_000 },
    async (_, write) => {
      const folder = temporaryFolder({});
      const { players, took, grown } = await read(folder, await write(folder, PLAYERS, 8));
      expect(players).toBe(PLAYERS);
      expect(took).toBeLessThan(MINUTE_MS);
      expect(grown).toBeLessThan(150 * 1024 * 1024);
    },
  );
});
