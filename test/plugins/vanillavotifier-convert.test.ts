import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parsePluginYaml } from '../../src/plugins/plugin-yaml.ts';
import { convertVanillaVotifier } from '../../src/plugins/vanillavotifier/convert.ts';

const sample = (name: string) =>
  convertVanillaVotifier(
    parsePluginYaml(readFileSync(path.resolve(import.meta.dirname, 'samples/vanillavotifier', name), 'utf8')),
    name,
  );

describe('The config of VanillaVotifier', () => {
  test('in YAML becomes a game server and a reward for each RCON server', () => {
    const { fragment, secrets, port, keys } = sample('config.yaml');
    expect(fragment).toEqual({
      ...{ sites: {}, party: [], tops: [], remind: [] },
      gameServers: {
        main: { kind: 'rcon', host: '127.0.0.1', port: 25575, password: 'file:data/secrets/main.rcon' },
        'server-2': {
          kind: 'rcon',
          host: '10.0.0.2',
          port: 25576,
          password: 'file:data/secrets/server-2.rcon',
        },
      },
      rewards: [
        {
          ...{ name: 'vote', when: 'always', servers: ['main'] },
          commands: [
            'tellraw @a {"text":"{player} voted on {service}","color":"yellow"}',
            'scoreboard players add {player} voted 1',
          ],
        },
        { name: 'vote-2', when: 'always', servers: ['server-2'], commands: ['say {player}'] },
      ],
    });
    expect(secrets).toEqual({
      'data/secrets/main.rcon': 'first secret\n',
      'data/secrets/server-2.rcon': 'second secret\n',
    });
    expect([port, keys]).toEqual([8193, { public: 'public.pem', private: 'private.pem' }]);
  });

  test('lists what has no counterpart, without a password', () => {
    const { notConverted } = sample('config.yaml');
    expect(notConverted.map(({ what, why }) => `${what} | ${why.slice(0, 17)}`)).toEqual([
      'config.yaml: on-vote.1 | the command “say ',
      'config.yaml: on-vote.1.regex-replace | names are checked',
      'config.yaml: on-vote.3 | Teller runs no pr',
      'config.yaml: log-directory | is about the prog',
    ]);
    expect(JSON.stringify(notConverted)).not.toContain('secret');
  });

  test('in JSON, which came before, becomes the same', () => {
    const { fragment, port, notConverted } = sample('config.json');
    expect(fragment.rewards).toEqual([{ name: 'vote', when: 'always', commands: ['say {player}'] }]);
    expect(port).toBe(8192);
    expect(notConverted.map(({ what }) => what)).toEqual(['config.json: ip', 'config.json: log-file']);
  });
});
