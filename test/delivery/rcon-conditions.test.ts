import { describe, expect, it } from 'vitest';
import type { PlayerCondition } from '../../src/core/player-condition.ts';
import { ConditionAsker } from '../../src/delivery/condition-asker.ts';
import { client, practice } from '../support/rcon.ts';

const VIP: PlayerCondition = { kind: 'tag', tag: 'vip' };
const VOTES: PlayerCondition = { kind: 'score', objective: 'votes', range: '5..' };
const NETHER: PlayerCondition = { kind: 'dimension', dimension: 'minecraft:the_nether' };

/** A game server over a real socket with Bob and *Ann, on which the operator has run these commands. */
async function pair(...commands: string[]) {
  const server = await practice();
  server.join('Bob');
  server.join('*Ann');
  const gameServer = client(server);
  for (const command of commands) await gameServer.run(command);
  const before = server.commands().length;
  const asked = () =>
    server
      .commands()
      .slice(before)
      .map(({ command }) => command);
  return { server, asked, asker: new ConditionAsker(gameServer), gameServer };
}

describe('a game server is asked whether a player', () => {
  it('has a tag', async () => {
    const { asker, asked } = await pair('tag Bob add vip');
    expect(await asker.ask(VIP, 'Bob')).toEqual({ kind: 'met' });
    expect(await asker.ask(VIP, '*Ann')).toEqual({ kind: 'unmet' });
    expect(asked()).toEqual([
      'minecraft:execute if entity @a[name=Bob,tag=vip]',
      'minecraft:execute if entity @a[name="*Ann",tag=vip]',
      'minecraft:execute if entity @a[name="*Ann"]',
    ]);
  });

  it('is in a team', async () => {
    const { asker } = await pair('team add red', 'team join red *Ann');
    expect(await asker.ask({ kind: 'team', team: 'red' }, '*Ann')).toEqual({ kind: 'met' });
    expect(await asker.ask({ kind: 'team', team: 'red' }, 'Bob')).toEqual({ kind: 'unmet' });
  });

  it('has a score', async () => {
    const { asker } = await pair(
      'scoreboard objectives add votes dummy',
      'scoreboard players set *Ann votes 5',
    );
    expect(await asker.ask(VOTES, '*Ann')).toEqual({ kind: 'met' });
    expect(await asker.ask(VOTES, 'Bob')).toEqual({ kind: 'unmet' });
  });

  it('is in a dimension', async () => {
    const { asker } = await pair('execute in the_nether run tp Bob 0 64 0');
    expect(await asker.ask(NETHER, 'Bob')).toEqual({ kind: 'met' });
    expect(await asker.ask(NETHER, '*Ann')).toEqual({ kind: 'unmet' });
  });

  it('is there at all, before anything is concluded', async () => {
    const { asker, server } = await pair('tag Bob add vip');
    server.leave('Bob');
    expect(await asker.ask(VIP, 'Bob')).toEqual({ kind: 'absent' });
  });

  it('by `execute`, if it knows no `minecraft:` command; that is tried first from then on', async () => {
    const { asker, asked, server } = await pair('tag Bob add vip');
    server.setFault('no-minecraft-names');
    for (const _ of [1, 2]) expect(await asker.ask(VIP, 'Bob')).toEqual({ kind: 'met' });
    expect(asked()).toEqual([
      'minecraft:execute if entity @a[name=Bob,tag=vip]',
      'execute if entity @a[name=Bob,tag=vip]',
      'execute if entity @a[name=Bob,tag=vip]',
    ]);
  });
});

describe('an answer is not clear', () => {
  it('if the objective does not exist', async () => {
    const { asker } = await pair();
    expect(await asker.ask(VOTES, 'Bob')).toEqual({
      kind: 'unclear',
      question: 'execute if score Bob votes matches 5..',
      reply: "Unknown scoreboard objective 'votes'",
    });
  });

  it('if the dimension does not exist', async () => {
    const { asker } = await pair();
    expect(await asker.ask({ kind: 'dimension', dimension: 'the_nehter' }, 'Bob')).toMatchObject({
      kind: 'unclear',
      reply: "Unknown dimension 'minecraft:the_nehter'",
    });
  });

  it.each(['no-execute', 'empty-reply'] as const)('with the fault %s', async (fault) => {
    const { asker, server } = await pair('tag Bob add vip');
    server.setFault(fault);
    expect(await asker.ask(VIP, 'Bob')).toMatchObject({ kind: 'unclear' });
  });
});

it('a game server that does not answer is not asked again for the same player', async () => {
  const { asker, server, asked } = await pair();
  server.setFault('run-and-close');
  expect(await asker.ask(VIP, 'Bob')).toMatchObject({ kind: 'unanswered' });
  expect(new Set(asked())).toEqual(new Set(['minecraft:execute if entity @a[name=Bob,tag=vip]']));
});
