import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parsePluginYaml } from '../../src/plugins/plugin-yaml.ts';
import { convertSuperbVote } from '../../src/plugins/superbvote/convert.ts';
import { faultsOf } from './loads.ts';

const SAMPLE = path.resolve(import.meta.dirname, 'samples/superbvote/config.yml');
const { fragment, converted, notConverted } = convertSuperbVote(
  parsePluginYaml(readFileSync(SAMPLE, 'utf8')),
);

describe('The config of SuperbVote', () => {
  test('becomes a config that loads, in which the first reward that matches is given', async () => {
    expect(await faultsOf(fragment)).toEqual([]);
    expect(fragment.rewards).toEqual([
      {
        firstOf: [
          {
            name: 'reward-2',
            if: { site: 'MCList.example', chance: '5%' },
            commands: ['give {player} diamond 4', 'eco give {player} 1000'],
            broadcast: '&a{player} got really lucky on {service}!',
          },
          {
            name: 'reward-3',
            if: { site: ['PlanetMinecraft.com', 'MCList.example'], votes: { every: 50 } },
            commands: ['give {player} beacon 1'],
          },
          {
            name: 'reward-4',
            commands: ['eco give {player} 100'],
            message: '&aThanks, that is vote {votes}.',
          },
        ],
      },
    ]);
  });

  test('has its cooldown for each site that a reward names, and for all others', () => {
    expect(fragment.sites).toEqual({
      'MCList.example': { cooldown: '12h' },
      'PlanetMinecraft.com': { cooldown: '12h' },
      default: { cooldown: '12h' },
    });
  });

  test('reminds players, at most once a minute', () => {
    expect(fragment.remind).toEqual([
      {
        ...{ name: 'vote-reminder', every: '1m' },
        commands: [
          'tellraw {player} ["",{"text":"Vote for us! You have ","color":"red"},{"text":" votes.","color":"red"}]',
        ],
      },
    ]);
  });

  test('has each option in one of the two lists', () => {
    expect(converted.map(({ what }) => what)).toEqual([
      'config.yml: rewards.2',
      'config.yml: rewards.3',
      'config.yml: rewards.4',
      'config.yml: votes.cooldown-per-service',
      'config.yml: vote-reminder',
    ]);
    expect(notConverted.map(({ what, why }) => `${what} | ${why.slice(0, 46)}`)).toEqual([
      'config.yml: rewards.1 | the reward was left out, because it depends on',
      'config.yml: rewards.4.player-message | the message had %clip_rank%, which only the pl',
      'config.yml: vote-reminder.message | the message had %votes%, which only the plugin',
      'config.yml: queue-votes | votes for players who are offline were lost; h',
      'config.yml: storage | is about where the plugin stores its votes; th',
      'config.yml: streaks | Teller counts days in a row for every player; ',
      'config.yml: broadcast | a `broadcast` is sent within two minutes or no',
      'config.yml: vote-command | Teller adds no commands to the game; `{voteLin',
      'config.yml: leaderboard | show top voters with `publish`',
      'config.yml: votes.process-fake-votes | fake votes are those of `teller votes add`',
    ]);
  });

  test('with cascading rewards goes on to the next one that matches', async () => {
    const rewards = [
      { if: { 'cumulative-votes': 1 }, commands: ['say first'], 'allow-cascading': true },
      { if: { 'chance-fractional': 8 }, commands: ['say lucky'] },
      { if: { default: true }, commands: ['say vote'] },
    ];
    const found = convertSuperbVote({ rewards }).fragment;
    expect(found.rewards).toEqual([
      { name: 'reward-1', if: { votes: { at: [1] } }, when: 'always', commands: ['say first'] },
      { name: 'reward-2', if: { chance: '12.5%' }, when: 'always', commands: ['say lucky'], stop: true },
      { name: 'reward-3', when: 'always', commands: ['say vote'], stop: true },
    ]);
    expect(await faultsOf(found)).toEqual([]);
  });

  test.each([
    [{ group: 'vip' }, 'group'],
    [{ worlds: ['world'] }, 'worlds'],
    [{ script: 'a.js' }, 'script'],
    [{ 'cumulative-votes': 1, 'every-cumulative-votes': 2 }, 'two matchers'],
    [{ chance: 100 }, 'matcher chance is not known'],
  ])('pays nobody for a matcher that cannot be converted: %j', (matcher, word) => {
    const found = convertSuperbVote({ rewards: [{ if: matcher, commands: ['say hi'] }] });
    expect(found.fragment.rewards).toEqual([]);
    expect(found.notConverted).toEqual([
      { what: 'config.yml: rewards.1', why: expect.stringContaining(word) as string },
    ]);
  });
});
