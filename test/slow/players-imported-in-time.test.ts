import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { configFolder, lookInto } from '../support/config-folder.ts';
import { placeEmptyLedger } from '../support/empty-ledger.ts';
import { SERVICES, VOTING_PLUGIN, writeVoteSites } from '../support/many-plugin-players.ts';
import { teller } from '../support/processes.ts';

const PLAYERS = 50_000;
const MINUTE_MS = 60_000;
/** Last votes of each player. */
const SITES = 4;

/** Runs a command, and prints how long it and this shell computed: on a busy machine, it takes much longer than that. */
const TIMED = '"$@"; code=$?; times >&2; exit $code';

/** Of all processes: each has one time in user mode and one in the kernel, such as `0m12.340s`. */
const computedMs = (printed: string): number =>
  [...printed.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * MINUTE_MS + Number(seconds) * 1_000,
    0,
  );

test.each(Object.entries(VOTING_PLUGIN))(
  'teller import players votingplugin imports 50,000 players from %s within a minute of computing, with progress',
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
    const { code, out, err } = await teller(words, folder, ['sh', '-c', TIMED, 'sh']);
    expect([code, err]).toEqual([0, expect.stringMatching(/^\d+ entries read$/m)]);
    expect(computedMs(err)).toBeLessThan(MINUTE_MS);
    expect(out).toContain(`: ${PLAYERS}, of which imported: ${PLAYERS}`);
    const [player] = await lookInto(ledger).players('player_49999' as never);
    expect(player?.votes).toBe(412);
  },
);
