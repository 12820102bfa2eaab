import { expect, test } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import { hypotheticalVotes } from '../../src/operator/preview/hypothetical-votes.ts';
import { previewVotes } from '../../src/operator/preview/preview.ts';
import { rulesOf } from '../../src/votes/intake/rules.ts';
import { type Operator, operator } from '../commands/operator.ts';
import { TOKEN } from '../support/config-folder.ts';

const REWARDS = [
  { name: 'daily', commands: ['give {player} diamond 1'] },
  { name: 'crate', if: { chance: '60%' }, commands: ['give {player} chest 1'] },
];
const SITES = { default: { token: TOKEN }, 'First.net': {}, 'Second.net': {} };

async function previewing(): Promise<{ readonly one: Operator; readonly config: Config }> {
  const one = await operator({ sites: SITES, rewards: REWARDS });
  return { one, config: await loadConfig(one.config, { missingSecrets: 'defer' }) };
}

function arrivalsOf(
  name: string,
  service: string | undefined,
  { one, config }: Awaited<ReturnType<typeof previewing>>,
) {
  const imagined = hypotheticalVotes(name, service, one.clock.now(), config);
  if (imagined.kind === 'refused') throw new Error(imagined.code);
  return imagined.arrivals;
}

test('previews a vote for every listed site, or for the given one', async () => {
  const both = await previewing();
  const services = (service?: string) => arrivalsOf('Steve', service, both).map(({ vote }) => vote.service);
  expect(services()).toEqual(['First.net', 'Second.net']);
  expect(services('Other.net')).toEqual(['Other.net']);
});

test('refuses a name that no player can have with the listener’s code', async () => {
  const { one, config } = await previewing();
  const refused = hypotheticalVotes('not a player!', undefined, one.clock.now(), config);
  expect(refused).toMatchObject({ kind: 'refused', code: 'name-not-allowed' });
});

test('uses the ledger to see whether the window is free', async () => {
  const both = await previewing();
  await both.one.vote('Steve', 'First.net');
  const arrivals = arrivalsOf('Steve', 'First.net', both);
  const decided = async (ledger: Operator['ledger']) =>
    (await previewVotes(arrivals, rulesOf(both.config, 'UTC'), ledger)).map(({ decision }) => decision.kind);
  expect(await decided(both.one.ledger)).toEqual(['cooldown']);
  expect(await decided((await previewing()).one.ledger)).toEqual(['rewarded']);
});

test('previews each vote as if it were the next one', async () => {
  const both = await previewing();
  const arrivals = arrivalsOf('Steve', undefined, both);
  const previews = await previewVotes(arrivals, rulesOf(both.config, 'UTC'), both.one.ledger);
  expect(previews.map(({ arrival, decision }) => [arrival.vote.service, decision.kind])).toEqual([
    ['First.net', 'rewarded'],
    ['Second.net', 'rewarded'],
  ]);
});

test('makes no grants where they are not wanted, with the same reasons', async () => {
  const both = await previewing();
  const arrivals = arrivalsOf('Steve', 'First.net', both);
  const preview = async (wanted: 'grants' | 'reasons') =>
    (await previewVotes(arrivals, rulesOf(both.config, 'UTC'), both.one.ledger, { wanted }))[0];
  const [grants, reasons] = [await preview('grants'), await preview('reasons')];
  expect(grants?.decision.grants).not.toEqual([]);
  expect(reasons?.decision.grants).toEqual([]);
  expect(reasons?.reasons).toEqual(grants?.reasons);
});

test('without a seed assumes that every chance is won; with a seed draws the same numbers each time', async () => {
  const both = await previewing();
  const arrivals = arrivalsOf('Steve', 'First.net', both);
  const [open] = await previewVotes(arrivals, rulesOf(both.config, 'UTC'), both.one.ledger);
  expect(open).toMatchObject({ chances: new Map([['crate', 0.6]]), drawn: null });
  const seeded = await previewVotes(arrivals, rulesOf(both.config, 'UTC'), both.one.ledger, { seed: 7 });
  expect(seeded).toMatchObject([{ drawn: { seed: 7, rolls: [{ reward: 'crate', chance: 0.6 }] } }]);
  expect(await previewVotes(arrivals, rulesOf(both.config, 'UTC'), both.one.ledger, { seed: 7 })).toEqual(
    seeded,
  );
});
