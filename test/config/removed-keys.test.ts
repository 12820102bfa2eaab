import path from 'node:path';
import { expect, test } from 'vitest';
import { examineConfig } from '../../src/config/load.ts';
import { temporaryFolder } from '../support/folder.ts';

const PLAIN = { name: 'plain', commands: ['say hi'] };
const REWARD = { name: 'daily', commands: ['say {player} voted'] };
const OTHER = { ...REWARD, name: 'other' };
const RCON = { kind: 'rcon', password: 'the-password-of-the-game-server' };

/** What an earlier config could have, and where it is refused. */
const REMOVED: readonly (readonly [where: string, config: object])[] = [
  ['rewards', { rewards: 'rewards.yml' }],
  ['rewards[0].when', { rewards: [{ ...PLAIN, when: 'join' }] }],
  ['rewards[0].strangers', { rewards: [{ ...PLAIN, announce: true, strangers: true }] }],
  ['rewards[0].maxWaiting', { rewards: [{ ...PLAIN, maxWaiting: 5 }] }],
  [
    'rewards[0].firstOf[1].maxWaiting',
    { rewards: [{ firstOf: [PLAIN, { ...PLAIN, name: 'more', maxWaiting: 5 }] }] },
  ],
  ['players.test', { players: { test: ['Steve'] } }],
  ['publish[0].if', { publish: [{ name: 'board', commands: ['say {top1}'], if: { site: 'default' } }] }],
  ['publish[0].party', { publish: [{ name: 'board', commands: ['say {partyLeft}'], party: 'all' }] }],
  [
    'gameServers.main.userCache',
    { gameServers: { main: { kind: 'practice', userCache: 'usercache.json' } } },
  ],
  [
    'rewards[0].payIf',
    { rewards: [{ ...REWARD, payIf: { tag: 'vip', orElse: ['say {player} is no VIP'] } }] },
  ],
  ['rewards[0].firstOf[1].payIf', { rewards: [{ firstOf: [REWARD, { ...OTHER, payIf: { team: 'red' } }] }] }],
  ['rewards[0].combine', { rewards: [{ ...REWARD, combine: true }] }],
  ['rewards[0].firstOf[1].combine', { rewards: [{ firstOf: [REWARD, { ...OTHER, combine: false }] }] }],
  ['rewards[0].verify', { rewards: [{ ...REWARD, verify: { command: 'list', reply: '{player}' } }] }],
  ['rewards[0].firstOf[0].verify', { rewards: [{ firstOf: [{ ...REWARD, verify: {} }, OTHER] }] }],
  ['gameServers.main.management', { gameServers: { main: { ...RCON, management: 'ws://127.0.0.1:25585' } } }],
  ['gameServers.main.managementSecret', { gameServers: { main: { ...RCON, managementSecret: 'env:IT' } } }],
  [
    'gameServers.main.managementCertificate',
    { gameServers: { main: { ...RCON, managementCertificate: 'a.pem' } } },
  ],
  ['gameServers.main.proof', { gameServers: { main: { kind: 'practice', proof: 'storage' } } }],
];

test.each(REMOVED)(
  'a config that still has what %s was is refused at its line, with a code of its own',
  async (where, config) => {
    const file = path.join(temporaryFolder({ 'config.json': JSON.stringify(config) }), 'config.json');
    const { faults } = await examineConfig(file, {});
    expect(faults.map((fault) => [fault.code, fault.path, fault.line])).toEqual([
      ['config-removed-key', where, 1],
    ]);
  },
);

/** What an earlier Teller filled in, and would be sent as text now. */
const PLACEHOLDERS: readonly (readonly [where: string, config: object])[] = [
  ['rewards[0].broadcast', { rewards: [{ ...PLAIN, broadcast: '{voters} voted' }] }],
  ['rewards[0].commands[1]', { rewards: [{ name: 'plain', commands: ['say hi', 'say %voters%'] }] }],
  ['party[0].announce[0]', { party: [{ ...PLAIN, every: 5, for: 'once', announce: ['say {voters}'] }] }],
  ['rewards[0].commands[0]', { rewards: [{ ...PLAIN, commands: ['eco give {player} {count}'] }] }],
];

test.each(PLACEHOLDERS)('a placeholder of before in %s is refused', async (where, config) => {
  const file = path.join(temporaryFolder({ 'config.json': JSON.stringify(config) }), 'config.json');
  const { faults } = await examineConfig(file, {});
  expect(faults.map((fault) => [fault.code, fault.path])).toEqual([['config-template', where]]);
});

test('the rest of such a config is checked too', async () => {
  const config = '{\n  "rewards": "rewards.yml",\n  "kees": 1\n}';
  const file = path.join(temporaryFolder({ 'config.json': config }), 'config.json');
  const { faults } = await examineConfig(file, {});
  expect(faults.map(({ code, line }) => [code, line])).toEqual([
    ['config-removed-key', 2],
    ['config-unknown-key', 3],
  ]);
});
