import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { configFolder, lookInto } from '../support/config-folder.ts';
import { placeEmptyLedger } from '../support/empty-ledger.ts';
import { SERVICES, VOTING_PLUGIN, writeVoteSites } from '../support/many-plugin-players.ts';
import { teller } from '../support/processes.ts';

const PLAYERS = 10_000;
/** Last votes of each player. */
const SITES = 4;

test.each(Object.entries(VOTING_PLUGIN))(
  'teller import players votingplugin imports 10,000 players from %s, with progress',
  { timeout: 300_000 },
  async (_, write) => {
    const sites = Object.fromEntries([...SERVICES.values()].map((service) => [service, {}]));
    const { folder, ledger } = configFolder({ sites });
    const from = path.join(folder, 'plugin');
    for (const each of [from, path.dirname(ledger)]) mkdirSync(each, { recursive: true });
    placeEmptyLedger(ledger);
    writeVoteSites(from);
    const data = await write(from, PLAYERS, SITES);

    const words = ['import', 'players', 'votingplugin', from, ...(data === null ? [] : ['--data', data])];
    const { code, out, err } = await teller(words, folder);
    expect([code, err]).toEqual([0, expect.stringMatching(/^\d+ entries read$/m)]);
    expect(out).toContain(`: ${PLAYERS}, of which imported: ${PLAYERS}`);
    const [player] = await lookInto(ledger).players('player_9999' as never);
    expect(player?.votes).toBe(412);
  },
);
