import { describe, expect, it } from 'vitest';
import { practice, RawClient } from '../support/rcon.ts';

const ALEX = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const KIM = '00000000-0000-0000-0009-01f64f65c7c3';

/** A practice server with these players. @returns what answers its commands, which come by RCON. */
async function game(...players: readonly string[]) {
  const raw = await RawClient.loggedIn(await practice());
  let id = 1;
  const say = async (body: string): Promise<string> => {
    id += 1;
    raw.send({ id, type: 2, body });
    const reply = await raw.next();
    return reply === 'closed' ? reply : reply.body;
  };
  for (const player of players) await say(`practice join "${player}"`);
  const inventory = async (player: string) => JSON.parse(await say(`practice inventory "${player}"`));
  return { say, inventory };
}

/** Commands, each with its reply, in a game with Bob and Ann. */
type Story = readonly (readonly [command: string, reply: string])[];

it.each<[string, Story]>([
  [
    'give counts as vanilla does, with and without its namespace, whatever the case of the name',
    [
      ['give Bob diamond 3', 'Gave 3 [Diamond] to Bob'],
      ['minecraft:give bOB minecraft:diamond', 'Gave 1 [Diamond] to Bob'],
      ['give Bob diamond_sword[custom_name="Vote Sword"] 1', 'Gave 1 [Diamond Sword] to Bob'],
      [`give Bob stick{display:{Name:'{"text":"a b"}'}} 2`, 'Gave 2 [Stick] to Bob'],
      ['give Bob create:brass_ingot 2', 'Gave 2 [Brass Ingot] to Bob'],
      ['give @a emerald 1', 'Gave 1 [Emerald] to 2 players'],
      ['give @a[name=Ann] emerald 1', 'Gave 1 [Emerald] to Ann'],
      ['give Cid diamond 1', 'No player was found'],
      ['practice inventory Ann', '{"emerald":2}'],
      [
        'practice inventory bob',
        '{"diamond":4,"diamond_sword":1,"stick":2,"create:brass_ingot":2,"emerald":1}',
      ],
    ],
  ],
  [
    'give refuses an item that does not exist, a count below 1, and more than a hundred stacks',
    [
      ['give Bob diamnod 1', "Unknown item 'minecraft:diamnod'...ob diamnod<--[HERE]"],
      ['give Bob diamond 0', 'Integer must not be less than 1, found 0... diamond 0<--[HERE]'],
      ['give Bob diamond one', 'Expected integer...iamond one<--[HERE]'],
      ['give Bob diamond 6401', "Can't give more than 6400 of [Diamond]"],
      ['give Bob', 'Unknown or incomplete command, see below for errorgive Bob<--[HERE]'],
      ['give Bob diamond 1 more', 'Incorrect argument for command... diamond 1<--[HERE]'],
      ['practice inventory Bob', '{}'],
    ],
  ],
  [
    'clear removes items and replies with their number',
    [
      ['give Bob bread 3', 'Gave 3 [Bread] to Bob'],
      ['clear Bob bread', 'Removed 3 item(s) from player Bob'],
      ['clear Bob', 'No items were found on player Bob'],
    ],
  ],
  [
    'tags are added, listed, selected and removed as in vanilla',
    [
      ['tag Bob add vip', "Added tag 'vip' to Bob"],
      ['tag Bob add vip', 'Target either already has the tag or has too many tags'],
      ['tag @a add voter', "Added tag 'voter' to 2 entities"],
      ['tag Bob list', 'Bob has 2 tags: vip, voter'],
      ['execute if entity @a[name=Bob,tag=vip]', 'Test passed, count: 1'],
      ['execute if entity @a[name=Ann,tag=vip]', 'Test failed'],
      ['execute if entity @a[tag=!vip]', 'Test passed, count: 1'],
      ['execute if entity @a[tag=voter]', 'Test passed, count: 2'],
      ['tag Bob remove vip', "Removed tag 'vip' from Bob"],
      ['tag Bob remove vip', 'Target does not have this tag'],
      ['execute if entity @a[name=Bob,tag=vip]', 'Test failed'],
      ['tag Cid add vip', 'No entity was found'],
    ],
  ],
  [
    'teams have each player in one of them at most',
    [
      ['team add red', 'Created team [red]'],
      ['team add red', 'A team already exists by that name'],
      ['team join red Bob', 'Added Bob to team [red]'],
      ['execute if entity @a[name=Bob,team=red]', 'Test passed, count: 1'],
      ['team add blue', 'Created team [blue]'],
      ['team join blue Bob', 'Added Bob to team [blue]'],
      ['execute if entity @a[name=Bob,team=red]', 'Test failed'],
      ['team list blue', 'Team [blue] has 1 members: Bob'],
      ['team leave Bob', 'Removed Bob from any team'],
      ['execute if entity @a[team=]', 'Test passed, count: 2'],
      ['team join green Bob', "Unknown team 'green'"],
      ['team remove red', 'Removed team [red]'],
      ['team list', 'There are 1 teams: [blue]'],
    ],
  ],
  [
    'scores are stored by objective and name, and those that are not set match nothing',
    [
      ['execute if score Ann votes matches 1', "Unknown scoreboard objective 'votes'"],
      ['scoreboard objectives add votes dummy', 'Created new objective [votes]'],
      ['scoreboard players add bob votes 6', 'Added 6 to [votes] for Bob (now 6)'],
      ['scoreboard players remove Bob votes 1', 'Removed 1 from [votes] for Bob (now 5)'],
      ['scoreboard players set Cid votes 7', 'Set [votes] for Cid to 7'],
      ['scoreboard players get Bob votes', 'Bob has 5 [votes]'],
      ['execute if score Bob votes matches 5..', 'Test passed'],
      ['execute if score Bob votes matches ..4', 'Test failed'],
      ['execute if score Bob votes matches 5', 'Test passed'],
      ['execute if score Bob votes matches -3..7', 'Test passed'],
      ['execute if entity @a[name=Bob,scores={votes=5..}]', 'Test passed, count: 1'],
      ['execute if entity @a[name=Bob,scores={votes=..4}]', 'Test failed'],
      ['execute if entity @a[name=Bob,scores={votes=-3..7}]', 'Test passed, count: 1'],
      ['execute if score Ann votes matches ..9', 'Test failed'],
    ],
  ],
  [
    'dimensions hold the players who were moved there; those of Minecraft are known, and those of data packs',
    [
      ['execute in minecraft:the_nether if entity @a[name=Bob,distance=0..]', 'Test failed'],
      [
        'execute in minecraft:the_nether run tp Bob 0 64 0',
        'Teleported Bob to 0.500000, 64.000000, 0.500000',
      ],
      ['execute in minecraft:the_nether if entity @a[name=Bob,distance=0..]', 'Test passed, count: 1'],
      ['tp Bob ~ ~ ~', 'Teleported Bob to 0.000000, 0.000000, 0.000000'],
      ['execute in minecraft:the_nether if entity @a[name=Bob,distance=0..]', 'Test failed'],
      ['execute in the_nehter if entity @a', "Unknown dimension 'minecraft:the_nehter'"],
      ['execute in pack:sky if entity @a', 'Test passed, count: 2'],
    ],
  ],
  [
    'a test that fails after `as` says nothing, and only the name of a selector distinguishes upper and lower case',
    [
      ['execute as Bob if entity @s[tag=vip]', ''],
      ['execute as Bob if entity @s', 'Test passed, count: 1'],
      ['execute if entity @a[name=bob]', 'Test failed'],
      ['execute if entity bob', 'Test passed, count: 1'],
    ],
  ],
  [
    'a player who comes back still has their items, in the spelling they joined with last',
    [
      ['give Bob bread 1', 'Gave 1 [Bread] to Bob'],
      ['practice leave BOB', 'BOB left the game'],
      ['practice join BOB', 'BOB joined the game'],
      ['list', 'There are 2 of a max of 20 players online: Ann, BOB'],
      ['practice inventory bob', '{"bread":1}'],
    ],
  ],
  [
    'a player with a UUID keeps their items under a new name, and the old name is free',
    [
      [`practice join Alex ${ALEX}`, 'Alex joined the game'],
      [`practice join .Kim ${KIM}`, '.Kim joined the game'],
      ['give Alex diamond 1', 'Gave 1 [Diamond] to Alex'],
      [`practice join Toni ${ALEX}`, 'Toni joined the game'],
      ['practice inventory Toni', '{"diamond":1}'],
      ['practice leave Bob', 'Bob left the game'],
      ['practice leave Ann', 'Ann left the game'],
      ['list uuids', `There are 2 of a max of 20 players online: .Kim (${KIM}), Toni (${ALEX})`],
      ['practice leave Toni', 'Toni left the game'],
      ['practice join toni', 'toni joined the game'],
      ['list uuids', `There are 2 of a max of 20 players online: .Kim (${KIM}), toni (${ALEX})`],
    ],
  ],
])('%s', async (_, story) => {
  const { say } = await game('Bob', 'Ann');
  for (const [command, reply] of story) expect(await say(command), command).toBe(reply);
});

it('accepts a quoted name, which Bedrock players need', async () => {
  const { say, inventory } = await game('*Bob');
  expect(await say('give "*Bob" carrot_on_a_stick 1')).toBe('Gave 1 [Carrot on a Stick] to *Bob');
  expect(await inventory('*Bob')).toEqual({ carrot_on_a_stick: 1 });
});

it('a UUID has no name that someone else on the server has', async () => {
  const { say } = await game('Alex');
  expect(await say(`practice join Alex ${ALEX}`)).toMatch(/^No: .*Alex/);
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
  ])('%j is answered %j', async (command, reply) => {
    expect(await (await game('Bob', 'Ann')).say(command)).toBe(reply);
  });
});
