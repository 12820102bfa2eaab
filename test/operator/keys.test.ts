import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { listingKeys } from '../../src/operator/keys/listing-keys.ts';
import { planTokenRotation, rotateToken } from '../../src/operator/keys/rotate.ts';
import { configFolder, TOKEN } from '../support/config-folder.ts';
import { fixedRandom } from '../support/fixed-random.ts';

const V2_ONLY = { host: '127.0.0.1', port: 0, protocols: ['v2'] };
const OWN = 'own-token-of-thirty-two-characters';

const configWith = (sites: object) =>
  loadConfig(configFolder({ listener: V2_ONLY, sites }).config, { missingSecrets: 'defer' });

test('returns a site’s own token, the default token, or the reason why there is no token', async () => {
  const config = await configWith({
    default: { token: TOKEN },
    'Own.net': { token: OWN },
    'Shared.net': {},
    'Elsewhere.net': { token: 'env:TELLER_TEST_UNSET' },
  });
  expect(await listingKeys(config)).toMatchObject({
    port: 0,
    acceptsV2: true,
    publicKey: null,
    sites: [
      { site: 'default', token: TOKEN, problem: null },
      { site: 'Own.net', token: OWN, problem: null },
      { site: 'Shared.net', token: TOKEN, problem: null },
      { site: 'Elsewhere.net', token: null, problem: expect.stringContaining('TELLER_TEST_UNSET') },
    ],
  });
});

test('a new default token affects every site that shares it; a site’s own token affects only that site', async () => {
  const config = await configWith({ default: { token: TOKEN }, 'Shared.net': {}, 'Own.net': { token: OWN } });
  expect(await planTokenRotation(config, 'default')).toMatchObject({
    kind: 'planned',
    sharing: ['default', 'Shared.net'],
  });
  expect(await planTokenRotation(config, 'Shared.net')).toMatchObject({ sharing: ['Shared.net'] });
});

test('refuses an unknown site, and a token from the environment, with a code', async () => {
  const config = await configWith({
    default: { token: TOKEN },
    'Elsewhere.net': { token: 'env:TELLER_TEST_UNSET' },
  });
  expect(await planTokenRotation(config, 'Elsewere.net')).toEqual({
    kind: 'site-unknown',
    site: 'Elsewere.net',
    nearly: 'Elsewhere.net',
  });
  expect(await planTokenRotation(config, 'Elsewhere.net')).toEqual({
    kind: 'token-elsewhere',
    site: 'Elsewhere.net',
    variable: 'TELLER_TEST_UNSET',
  });
});

test('moves a token from the config to a file, which the config then names', async () => {
  const config = await configWith({ default: { token: TOKEN }, 'Own.net': { token: OWN } });
  const plan = await planTokenRotation(config, 'Own.net');
  if (plan.kind !== 'planned') throw new Error(plan.kind);
  const file = await rotateToken(plan, fixedRandom(7));
  const token = readFileSync(file, 'utf8').trim();
  expect(token).not.toBe(OWN);
  expect(readFileSync(config.file, 'utf8')).not.toContain(OWN);
  const { sites } = await listingKeys(await loadConfig(config.file));
  expect(sites.find(({ site }) => site === 'Own.net')?.token).toBe(token);
});
