import { describe, expect, it } from 'vitest';
import { GameConsole } from '../../src/practice/console.ts';
import { FaultSwitches } from '../../src/practice/faults.ts';
import { World } from '../../src/practice/world.ts';

/** A console of a game with these players online. */
function game(...players: string[]): { run(command: string): string; world: World } {
  const world = new World();
  for (const name of players) world.join(name);
  const console = new GameConsole(world, new FaultSwitches());
  return { run: (command) => console.run(command), world };
}

describe('give', () => {
  it('puts the items into the inventory and replies like vanilla', () => {
    const { run, world } = game('Bob');
    expect(run('give Bob diamond 3')).toBe('Gave 3 [Diamond] to Bob');
    expect(run('minecraft:give Bob minecraft:diamond')).toBe('Gave 1 [Diamond] to Bob');
    expect(world.inventory('bob')).toEqual({ diamond: 4 });
  });

  it('ignores the case of names and shows the spelling they joined with', () => {
    expect(game('Bob').run('give bOB bread 1')).toBe('Gave 1 [Bread] to Bob');
  });

  it('accepts a quoted name, which Bedrock players need', () => {
    const { run, world } = game('*Bob');
    expect(run('give "*Bob" carrot_on_a_stick 1')).toBe('Gave 1 [Carrot on a Stick] to *Bob');
    expect(world.inventory('*Bob')).toEqual({ carrot_on_a_stick: 1 });
  });

  it('accepts components and data with spaces', () => {
    const { run } = game('Bob');
    expect(run('give Bob diamond_sword[custom_name="Vote Sword"] 1')).toBe('Gave 1 [Diamond Sword] to Bob');
    expect(run(`give Bob stick{display:{Name:'{"text":"a b"}'}} 2`)).toBe('Gave 2 [Stick] to Bob');
  });

  it('finds no player who is not online', () => {
    const { run, world } = game('Bob');
    world.leave('Bob');
    expect(run('give Bob diamond 1')).toBe('No player was found');
    expect(world.inventory('Bob')).toEqual({});
  });

  it('refuses an item that does not exist, a count below 1, and more than a hundred stacks', () => {
    const { run, world } = game('Bob');
    expect(run('give Bob diamnod 1')).toBe("Unknown item 'minecraft:diamnod'...ob diamnod<--[HERE]");
    expect(run('give Bob diamond 0')).toBe('Integer must not be less than 1, found 0... diamond 0<--[HERE]');
    expect(run('give Bob diamond one')).toBe('Expected integer...iamond one<--[HERE]');
    expect(run('give Bob diamond 6401')).toBe("Can't give more than 6400 of [Diamond]");
    expect(run('give Bob')).toBe('Unknown or incomplete command, see below for errorgive Bob<--[HERE]');
    expect(run('give Bob diamond 1 more')).toBe('Incorrect argument for command... diamond 1<--[HERE]');
    expect(world.inventory('Bob')).toEqual({});
  });

  it('accepts any item of a mod', () => {
    expect(game('Bob').run('give Bob create:brass_ingot 2')).toBe('Gave 2 [Brass Ingot] to Bob');
  });

  it('gives to all players by a selector', () => {
    const { run, world } = game('Bob', 'Ann');
    expect(run('give @a emerald 1')).toBe('Gave 1 [Emerald] to 2 players');
    expect(run('give @a[name=Ann] emerald 1')).toBe('Gave 1 [Emerald] to Ann');
    expect([world.inventory('Bob'), world.inventory('Ann')]).toEqual([{ emerald: 1 }, { emerald: 2 }]);
  });
});

describe('the replies of other commands', () => {
  it.each([
    ['list', 'There are 2 of a max of 20 players online: Bob, Ann'],
    ['minecraft:list', 'There are 2 of a max of 20 players online: Bob, Ann'],
    [
      'list uuids',
      'There are 2 of a max of 20 players online: Bob (faa5dca3-c3d4-354b-ae1b-dde9e5a14b3b), Ann (797bad90-405a-3b0c-bc6e-c386fcab7958)',
    ],
    ['say Bob voted', ''],
    ['/say with the slash that people paste', ''],
    ['tellraw @a {"text":"Bob voted"}', ''],
    ['tellraw Cid {"text":"hi"}', 'No player was found'],
    ['tellraw @a {text}', "Invalid chat component: Malformed JSON in '{text}'... @a {text}<--[HERE]"],
    ['title Bob title {"text":"Thanks"}', 'Showing new title for Bob'],
    ['tell bob thank you', 'You whisper to Bob: thank you'],
    ['xp add Bob 100', 'Gave 100 experience points to Bob'],
    ['experience add @a 5 levels', 'Gave 5 experience levels to 2 players'],
    ['effect give Bob minecraft:speed 60 1', 'Applied effect Speed to Bob'],
    ['effect give Cid speed', 'No entity was found'],
    ['op bob', 'Made Bob a server operator'],
    ['op Cid', 'That player does not exist'],
    ['gamemode creative Bob', "Set Bob's game mode to Creative Mode"],
    ['kick Bob', 'Kicked Bob: Kicked by an operator'],
    ['playsound entity.player.levelup master Bob', 'Played sound minecraft:entity.player.levelup to Bob'],
    ['summon firework_rocket', 'Summoned new Firework Rocket'],
    ['scoreboard players add Bob votes 1', "Unknown scoreboard objective 'votes'... Bob votes<--[HERE]"],
    ['execute if entity bob', 'Test passed, count: 1'],
    ['minecraft:execute if entity "*Bob"', 'Test failed'],
    ['execute unless entity Cid', 'Test passed'],
    ['execute as @a run give @s bread 1', 'Gave 1 [Bread] to BobGave 1 [Bread] to Ann'],
    ['execute if entity Cid run give Bob bread 1', ''],
    [
      'execute if entity Cid run crate give Bob',
      'Unknown or incomplete command, see below for error...e give Bob<--[HERE]',
    ],
    ['crate key give Bob', 'Unknown or incomplete command, see below for errorcrate<--[HERE]'],
    ['', 'Unknown or incomplete command, see below for error<--[HERE]'],
  ])('%j is answered %j', (command, reply) => {
    expect(game('Bob', 'Ann').run(command)).toBe(reply);
  });

  it('scores are stored by objective and name', () => {
    const { run } = game('Bob');
    expect(run('scoreboard objectives add votes dummy')).toBe('Created new objective [votes]');
    expect(run('scoreboard players add bob votes 2')).toBe('Added 2 to [votes] for Bob (now 2)');
    expect(run('scoreboard players remove Bob votes 1')).toBe('Removed 1 from [votes] for Bob (now 1)');
    expect(run('scoreboard players set Cid votes 7')).toBe('Set [votes] for Cid to 7');
    expect(run('scoreboard players get Bob votes')).toBe('Bob has 1 [votes]');
  });

  it('clear removes items and replies with their number', () => {
    const { run, world } = game('Bob');
    run('give Bob bread 3');
    expect(run('clear Bob bread')).toBe('Removed 3 item(s) from player Bob');
    expect(run('clear Bob')).toBe('No items were found on player Bob');
    expect(world.inventory('Bob')).toEqual({});
  });
});

it('a player who comes back still has their items, in the spelling they joined with last', () => {
  const { run, world } = game('Bob');
  run('give Bob bread 1');
  expect([world.leave('BOB'), world.leave('Bob'), world.join('BOB'), world.join('bob')]).toEqual([
    true,
    false,
    'joined',
    'already-here',
  ]);
  expect(run('list')).toBe('There are 1 of a max of 20 players online: BOB');
  expect(world.inventory('bob')).toEqual({ bread: 1 });
});

describe('a player with a UUID', () => {
  const ALEX = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
  const KIM = '00000000-0000-0000-0009-01f64f65c7c3';

  it('is listed with it', () => {
    const { run, world } = game();
    world.join('Alex', ALEX);
    world.join('.Kim', KIM);
    expect(run('list uuids')).toBe(
      `There are 2 of a max of 20 players online: Alex (${ALEX}), .Kim (${KIM})`,
    );
  });

  it('keeps their items under a new name, and the old name is free', () => {
    const { run, world } = game();
    world.join('Alex', ALEX);
    run('give Alex diamond 1');
    expect(world.join('Toni', ALEX)).toBe('joined');
    expect(run('list')).toBe('There are 1 of a max of 20 players online: Toni');
    expect([world.inventory('Toni'), world.findKnown('Alex')]).toEqual([{ diamond: 1 }, null]);
  });

  it('comes back by their name alone', () => {
    const { run, world } = game();
    world.join('Alex', ALEX);
    world.leave('Alex');
    world.join('alex');
    expect(run('list uuids')).toBe(`There are 1 of a max of 20 players online: alex (${ALEX})`);
  });

  it('has no name that someone else on the server has', () => {
    const { world } = game('Alex');
    expect(world.join('Alex', ALEX)).toBe('name-in-use');
    world.leave('Alex');
    expect(world.join('Alex', ALEX)).toBe('joined');
    expect(world.join('ALEX', ALEX)).toBe('already-here');
    expect(world.online()).toMatchObject([{ name: 'Alex', uuid: ALEX }]);
  });
});
