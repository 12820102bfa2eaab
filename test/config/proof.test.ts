import { expect, test } from 'vitest';
import { examined } from './examined.ts';

const withProof = (server: object, ...commands: readonly string[]) => ({
  gameServers: { main: { kind: 'practice', proof: 'storage', ...server } },
  rewards: [{ name: 'daily', commands }],
});

test('proof is off by default, on for a practice server that says so, and unknown to a kind that has none', async () => {
  const { config } = await examined({ gameServers: { main: { kind: 'practice' } } });
  expect(config?.gameServers.get('main')).toMatchObject({ proof: 'none' });
  const { config: proving } = await examined(withProof({}, 'say hello'));
  expect(proving?.gameServers.get('main')).toMatchObject({ proof: 'storage' });
  const posted = { kind: 'http', url: 'http://127.0.0.1:9/', secret: 'a-secret-of-http', proof: 'storage' };
  expect((await examined({ gameServers: { main: posted }, rewards: [] })).faults).toMatchObject([
    { code: 'config-unknown-key', path: 'gameServers.main.proof' },
  ]);
});

test('the mark counts towards what a game server reads', async () => {
  const fits = `say ${'x'.repeat(1446 - 69 - 4)}`;
  expect((await examined(withProof({}, fits))).faults).toEqual([]);
  expect((await examined(withProof({}, `${fits}x`))).faults).toMatchObject([
    { code: 'config-template', path: 'rewards[0]' },
  ]);
  expect((await examined(withProof({ proof: 'none' }, `${fits}x`))).faults).toEqual([]);
});
