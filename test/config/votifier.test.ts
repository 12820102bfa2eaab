import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { publicKeyText } from '../../protocol/votifier/key-text.ts';
import { examined, faultsOf } from './examined.ts';

const MAIN = { main: { kind: 'practice' } };
const OLD = { kind: 'votifier', port: 8194, token: 'the-token-of-the-old-listener' };
const DAILY = { name: 'daily', commands: ['give {player} diamond 1'] };

const withOld = (change: object, more: object = {}) => ({
  gameServers: { ...MAIN, old: { ...OLD, ...change } },
  ...more,
});

describe('a game server of kind votifier', () => {
  test('needs a token, and gets votes for a day', async () => {
    const { config, faults } = await examined(withOld({}));
    expect(faults).toEqual([]);
    expect(config?.gameServers.get('old')).toMatchObject({
      host: '127.0.0.1',
      protocol: 'v2',
      maxAge: 86_400_000,
    });
  });

  test.each([
    [{ token: undefined }, 'token'],
    [{ token: undefined, protocol: 'v1' }, 'publicKey'],
    [{ port: 8192 }, 'port'],
    [{ port: undefined }, 'port'],
    [{ port: 8192, host: 'localhost' }, 'port'],
    [{ maxAge: '1s' }, 'maxAge'],
    [{ publicKey: '' }, 'publicKey'],
    [{ protocol: 'v3' }, 'protocol'],
  ])('is refused with %o', async (change, key) => {
    expect(await faultsOf(withOld(change))).toEqual([`config-value gameServers.old.${key}`]);
  });

  test('may be at the port of the own listener on another machine', async () => {
    expect(await faultsOf(withOld({ port: 8192, host: '192.0.2.7' }))).toEqual([]);
    const listener = { host: '192.0.2.7' };
    expect(await faultsOf(withOld({ port: 8192, host: '192.0.2.7' }, { listener }))).toEqual([
      'config-value gameServers.old.port',
    ]);
  });

  test('has no keys that are about commands or players', async () => {
    expect(await faultsOf(withOld({ refusedReplies: ['no'], joinDelay: '1s' }))).toEqual([
      'config-unknown-key gameServers.old.refusedReplies',
      'config-unknown-key gameServers.old.joinDelay',
    ]);
  });

  test('pays only where `pay` leaves votes to it, because otherwise both would pay', async () => {
    expect(await faultsOf(withOld({ pays: true }))).toEqual(['config-value gameServers.old.pays']);
    expect(await faultsOf(withOld({ pays: true }, { pay: { mode: 'shadow' } }))).toEqual([]);
    expect(await faultsOf(withOld({ pays: true }, { pay: { from: '2026-06-01T12:00Z' } }))).toEqual([]);
  });

  test('has a public key in a file, or as the key itself', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    for (const [written, read] of [
      ['old/public.key', '/srv/teller/old/public.key'],
      [publicKeyText(publicKey), publicKeyText(publicKey)],
      [pem, pem],
    ]) {
      const { config } = await examined(withOld({ protocol: 'v1', publicKey: written }));
      expect(config?.gameServers.get('old')).toMatchObject({ publicKey: read });
    }
  });
});

describe('a reward', () => {
  test('is not paid on a game server that takes votes: "all", and leaving `servers` out, mean the others', async () => {
    for (const servers of [{}, { servers: 'all' }]) {
      const { config, faults } = await examined(withOld({}, { rewards: [{ ...DAILY, ...servers }] }));
      expect(faults).toEqual([]);
      expect(config?.rewards[0]?.servers).toEqual(['main']);
    }
  });

  test.each([['rewards'], ['party'], ['publish'], ['remind']])(
    'in `%s` cannot name a game server that takes votes',
    async (section) => {
      const entry = {
        ...DAILY,
        name: 'another',
        servers: ['main', 'old'],
        ...(section === 'party' ? { every: 5 } : {}),
      };
      const faults = await faultsOf(withOld({}, { [section]: [entry] }));
      expect(faults).toEqual([`config-value ${section}[0].servers`]);
    },
  );

  test('cannot be paid if every game server takes votes', async () => {
    const gameServers = { old: OLD };
    expect(await faultsOf({ gameServers, rewards: [DAILY] })).toEqual(['config-value rewards[0].servers']);
    expect(await faultsOf({ gameServers, rewards: [] })).toEqual([]);
  });

  test('cannot have the name that stands for forwards', async () => {
    expect(await faultsOf({ rewards: [{ ...DAILY, name: '(forward)' }] })).toEqual([
      'config-value rewards[0].name',
    ]);
  });
});
