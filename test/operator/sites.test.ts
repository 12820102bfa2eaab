import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { planSites } from '../../src/operator/sites/add.ts';
import { figuresOfSites } from '../../src/operator/sites/figures.ts';
import { seenSites } from '../../src/operator/sites/seen.ts';
import { type Operator, operator, refusal } from '../commands/operator.ts';
import { TOKEN } from '../support/config-folder.ts';

const SITES = { sites: { default: { token: TOKEN }, 'Listed.net': {} } };

const load = ({ config }: Operator) => loadConfig(config, { missingSecrets: 'defer' });

const figures = async (one: Operator) => figuresOfSites(one.ledger, (await load(one)).sites, one.clock.now());

test.each([
  ['later', '2026-06-01T13:00:00Z', true],
  ['earlier', '2026-06-01T11:00:00Z', false],
])(
  'says whether a wrong token is probably fixed if a vote of the site came %s: %s',
  async (_, at, isProbablyFixed) => {
    const one = await operator(SITES);
    await one.vote('Steve', 'Listed.net', { at });
    await one.ledger.countRefusals([refusal('v2-signature', 'Listed.net', '2026-06-01T12:00:00Z')]);
    const { services } = await figures(one);
    expect(services).toMatchObject([{ service: 'Listed.net', refusals: [{ isProbablyFixed }] }]);
  },
);

test('a service needs an entry if it has votes or was refused as unknown, but not if its token was wrong', async () => {
  const one = await operator(SITES);
  await one.vote('Steve', 'Votes.net');
  await one.vote('Steve', 'Listed.net');
  await one.ledger.countRefusals([
    refusal('v2-unknown-service', 'Unknown.net', '2026-06-01T12:00:00Z'),
    refusal('v2-signature', 'Stranger.net', '2026-06-01T12:00:00Z'),
  ]);
  const { services } = await figures(one);
  const lacking = services.filter(({ lacksEntry }) => lacksEntry).map(({ service }) => service);
  expect(lacking.toSorted()).toEqual(['Unknown.net', 'Votes.net']);
});

test('plans new entries, with the names that already have one and those to ask about', async () => {
  const one = await operator(SITES);
  await one.vote('Steve', 'Signed.net');
  await one.ledger.countRefusals([refusal('v2-unknown-service', 'Claimed.net', '2026-06-01T12:00:00Z')]);
  const config = await load(one);
  const seen = await seenSites(one.ledger, config.sites, one.clock.now());
  const names = ['Signed.net', 'Claimed.net', 'Invented.net', 'Listed.net', 'Signed.net'];
  expect(await planSites(config, names, seen)).toMatchObject({
    kind: 'planned',
    file: one.config,
    added: ['Signed.net', 'Claimed.net', 'Invented.net'],
    present: ['Listed.net'],
    doubtful: [
      { name: 'Claimed.net', seen: { proof: 'claimed', lastVoteAt: null } },
      { name: 'Invented.net', seen: null },
    ],
  });
});

test('knows no service before the first start', async () => {
  expect(await seenSites(null, new Map(), 0)).toEqual([]);
});

test.each([
  [' default ', 'default'],
  ['$schema', 'no-service'],
  ['x'.repeat(129), 'no-service'],
])('returns the reason why the name %j cannot have an entry', async (name, readAs) => {
  const one = await operator(SITES);
  expect(await planSites(await load(one), [name], [])).toEqual({ kind: 'unlistable', name, readAs });
});
