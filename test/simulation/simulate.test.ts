import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { JudgedArrival } from '../../src/core/decide.ts';
import type { PlayerName } from '../../src/core/player-name.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openTemporaryLedger } from '../../src/ledger/sqlite/temporary.ts';
import { hypotheticalVote, isRefused } from '../../src/operator/preview/hypothetical-votes.ts';
import type { JointOptions } from '../../src/operator/simulation/joint.ts';
import { simulate } from '../../src/operator/simulation/simulate.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { rulesOf } from '../../src/votes/intake/rules.ts';
import { operator } from '../commands/operator.ts';
import { configFolder, TOKEN } from '../support/config-folder.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runDying } from '../support/processes.ts';

async function configOf(overrides: object): Promise<Config> {
  const { config } = configFolder({ sites: { default: { token: TOKEN }, 'My-List.com': {} }, ...overrides });
  return loadConfig(config, { missingSecrets: 'defer' });
}

async function ledgerForTest(): Promise<Ledger> {
  const ledger = await openTemporaryLedger(systemClock);
  onTestFinished(() => ledger.close());
  return ledger;
}

function vote(config: Config, player: string, at: string, site = 'My-List.com'): JudgedArrival {
  const arrival = hypotheticalVote(player, site, Date.parse(at), config);
  if (isRefused(arrival)) throw new Error(arrival.code);
  return arrival;
}

const evenings = (config: Config, count: number): JudgedArrival[] =>
  Array.from({ length: count }, (_, day) =>
    vote(config, 'Alex', new Date(Date.UTC(2026, 10, 1 + day, 18)).toISOString()),
  );

const NOTHING_JOINT: JointOptions = { tops: [], until: null, online: [] };

const CRATE = { name: 'crate', if: { chance: '50%' }, commands: ['give {player} chest 1'] };

test('records each vote as a real one, so that the cooldown, totals and figures decide as in a ledger', async () => {
  const config = await configOf({
    rewards: [
      { name: 'second', if: { votes: { at: [2] } }, commands: ['say {player} has {votes} votes'] },
      { name: 'again', when: 'always', commands: ['say vote again in {nextVote}'] },
    ],
  });
  const votes = [
    vote(config, 'Alex', '2026-11-01T18:00:00Z'),
    vote(config, 'Alex', '2026-11-01T19:00:00Z'),
    vote(config, 'Alex', '2026-11-02T18:00:00Z'),
  ];
  const simulated = await simulate(await ledgerForTest(), votes, rulesOf(config, 'UTC'), 1, NOTHING_JOINT);
  expect(simulated.map(({ decision }) => decision)).toEqual(['rewarded', 'cooldown', 'rewarded']);
  expect(simulated.map(({ grants }) => grants.flatMap(({ commands }) => commands))).toEqual([
    ['say vote again in 24 h'],
    [],
    ['say Alex has 2 votes', 'say vote again in 24 h'],
  ]);
  expect(simulated[2]?.grants[0]).toMatchObject({ reward: 'second', occasion: 'total 2', server: 'main' });
  expect(simulated[0]?.reasons.get('second')).toMatchObject({ code: 'votes' });
});

test('counts the same vote once (rule 2)', async () => {
  const config = await configOf({});
  const once = vote(config, 'Alex', '2026-11-01T18:00:00Z');
  const simulated = await simulate(
    await ledgerForTest(),
    [once, once],
    rulesOf(config, 'UTC'),
    1,
    NOTHING_JOINT,
  );
  expect(simulated.map(({ decision }) => decision)).toEqual(['rewarded', 'same']);
  expect(simulated[1]?.grants).toEqual([]);
});

test('draws the same for the same seed, and differently for another', async () => {
  const config = await configOf({ rewards: [CRATE] });
  const won = async (seed: number): Promise<boolean[]> => {
    const votes = evenings(config, 40);
    const simulated = await simulate(
      await ledgerForTest(),
      votes,
      rulesOf(config, 'UTC'),
      seed,
      NOTHING_JOINT,
    );
    return simulated.map(({ grants }) => grants.length > 0);
  };
  const first = await won(7);
  expect(await won(7)).toEqual(first);
  expect(await won(8)).not.toEqual(first);
});

test('wins a chance as often as it says, within four standard deviations', async () => {
  const config = await configOf({ rewards: [CRATE] });
  const votes = evenings(config, 2_000);
  const simulated = await simulate(await ledgerForTest(), votes, rulesOf(config, 'UTC'), 7, NOTHING_JOINT);
  const won = simulated.filter(({ grants }) => grants.length > 0).length;
  // The standard deviation of 2,000 draws at 50% is 22.4.
  expect(Math.abs(won - 1_000)).toBeLessThan(90);
});

test('stores what the ledger of a running Teller stores for the same votes', async () => {
  const overrides = {
    sites: { default: { token: TOKEN }, 'My-List.com': {} },
    rewards: [
      {
        name: 'streak',
        if: { streak: { length: 2, repeat: true } },
        commands: ['give {player} diamond {streak}'],
      },
      { name: 'daily', if: { firstVote: 'day' }, commands: ['give {player} bread 1'] },
    ],
  };
  const real = await operator(overrides);
  const times = [
    '2026-11-01T18:00:00Z',
    '2026-11-01T20:00:00Z',
    '2026-11-02T18:00:00Z',
    '2026-11-04T18:00:00Z',
  ];
  for (const at of times) await real.vote('Alex', 'My-List.com', { at });
  const config = await loadConfig(real.config, { missingSecrets: 'defer' });
  const votes = times.map((at) => vote(config, 'Alex', at));
  const simulated = await simulate(await ledgerForTest(), votes, rulesOf(config, 'UTC'), 1, NOTHING_JOINT);
  const stored = (await real.ledger.grants({ limit: 99 })).toReversed();
  const shown = ({ reward, occasion }: { reward: string; occasion: string }) => [reward, occasion];
  expect(stored).toHaveLength(4);
  expect(simulated.flatMap(({ grants }) => grants.map(shown))).toEqual(stored.map(shown));
  expect(simulated.flatMap(({ grants }) => grants.flatMap(({ commands }) => commands))).toEqual(
    stored.flatMap(({ commands }) => commands.map(({ command }) => command)),
  );
});

test('leaves nothing among the temporary files, also if the process is killed', () => {
  const { config } = configFolder({ sites: { default: { token: TOKEN }, 'My-List.com': {} } });
  const folder = temporaryFolder();
  for (const name of ['TMPDIR', 'SQLITE_TMPDIR']) vi.stubEnv(name, folder);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  expect(runDying(path.join(import.meta.dirname, 'dying-simulation.ts'), [config])).toBeNull();
  expect(readdirSync(folder)).toEqual([]);
});

test('reads and changes no file of the folder that it runs in', async () => {
  const folder = temporaryFolder({ '.lock': 'no database', '.mark': 'no mark', '-wal': 'no log' });
  const before = process.cwd();
  process.chdir(folder);
  onTestFinished(() => process.chdir(before));
  const config = await configOf({});
  const ledger = await ledgerForTest();
  const votes = [vote(config, 'Alex', '2026-11-01T18:00:00Z')];
  expect(await simulate(ledger, votes, rulesOf(config, 'Asia/Tokyo'), 1, NOTHING_JOINT)).toHaveLength(1);
  expect(readdirSync(folder).sort()).toEqual(['-wal', '.lock', '.mark']);
});

const FEAST = { name: 'feast', every: 3, commands: ['say {player} has {votes}, party of {partyVotes}'] };
const NO_REWARDS = { rewards: [] };

const joint = async (config: Config, votes: readonly JudgedArrival[], more: Partial<JointOptions> = {}) => {
  const options = { ...NOTHING_JOINT, tops: config.tops, ...more };
  const simulated = await simulate(await ledgerForTest(), votes, rulesOf(config, 'UTC'), 1, options);
  return simulated.map(({ together }) =>
    together.flatMap(({ grants }) => grants.flatMap(({ commands }) => commands)),
  );
};

test('pays a party at the vote that reaches it, with figures of that moment', async () => {
  const config = await configOf({ ...NO_REWARDS, party: [FEAST] });
  const votes = ['Alex', 'Bob', 'Alex', 'Bob', 'Bob', 'Bob', 'Alex'].map((player, day) =>
    vote(config, player, new Date(Date.UTC(2026, 10, 1 + day, 18)).toISOString()),
  );
  expect(await joint(config, votes)).toEqual([
    [],
    [],
    ['say Alex has 2, party of 3', 'say Bob has 1, party of 3'],
    [],
    [],
    ['say Bob has 4, party of 3'],
    [],
  ]);
});

test('pays a party for those online to the given players, or to the voters if nobody is', async () => {
  const party = [{ ...FEAST, for: 'online', commands: ['give {player} cake 1'] }];
  const config = await configOf({ ...NO_REWARDS, party });
  const votes = [
    vote(config, 'Alex', '2026-11-01T16:59:00Z'),
    vote(config, 'Bob', '2026-11-01T17:01:00Z'),
    vote(config, 'Carol', '2026-11-01T18:00:00Z'),
  ];
  expect((await joint(config, votes, { online: ['Dave' as PlayerName] })).at(-1)).toEqual([
    'give Dave cake 1',
  ]);
  expect((await joint(config, votes)).at(-1)).toEqual(
    ['Alex', 'Bob', 'Carol'].map((player) => `give ${player} cake 1`),
  );
});

test('settles each period of a top before the first vote after its end, and what ends until a time after the last', async () => {
  const tops = [{ name: 'best', period: 'day', prizes: { 1: ['say {player} won {occasion}'] } }];
  const config = await configOf({ ...NO_REWARDS, tops });
  const votes = [
    vote(config, 'Alex', '2026-11-01T18:00:00Z'),
    vote(config, 'Bob', '2026-11-02T00:30:00Z'),
    vote(config, 'Carol', '2026-11-02T01:00:00Z'),
  ];
  const first = 'say Alex won top 2026-11-01 place 1';
  expect(await joint(config, votes)).toEqual([[], [first], []]);
  const until = Date.parse('2026-11-03T01:00:00Z');
  expect(await joint(config, votes, { until })).toEqual([
    [],
    [first],
    ['say Bob won top 2026-11-02 place 1'],
  ]);
});

test('draws the same for rewards, whether a party is paid or not', async () => {
  const drawn = async (party: readonly object[]) => {
    const config = await configOf({ rewards: [CRATE], party });
    const votes = evenings(config, 20);
    const simulated = await simulate(await ledgerForTest(), votes, rulesOf(config, 'UTC'), 1, NOTHING_JOINT);
    return simulated.map(({ grants }) => grants.length);
  };
  expect(await drawn([{ ...FEAST, commands: ['say {random 1..6}'] }])).toEqual(await drawn([]));
});
