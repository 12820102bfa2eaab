import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { here } from '../kit/here.ts';
import { fileForRecord, PASSWORD, practiceServer, RawClient } from '../kit/practice.ts';
import { service } from '../kit/service.ts';
import { typed } from '../kit/typed.ts';
import { naming } from '../support/naming.ts';

const ALEX = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const STRANGER = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';

/** Starts `teller practice …` in this process. */
const start = (...given: string[]) => service(['practice', ...given]);

/** Runs the command until it ends. */
async function run(...given: string[]) {
  const { out, err, exit } = await typed(['practice', ...given], null);
  return { out: out === '' ? [] : out.split('\n'), err: err === '' ? [] : err.split('\n'), code: exit };
}

const jsonOf = async (...given: string[]) => (await typed(['practice', ...given, '--json'], null)).json;

/** What `run` has of a command that is refused. */
const refusal = (...facts: string[]) => ({ out: [], err: [naming(...facts, '[practice-refused]')], code: 1 });

test('teller practice prints the ready line once it listens, and the new password on stderr', async () => {
  const started = await start('--json');
  const { ready } = started;
  expect(ready).toEqual({
    msg: 'ready',
    practice: true,
    practiceServer: { host: '127.0.0.1', port: expect.any(Number) },
  });
  const password = /[0-9a-f]{32}/.exec(started.err[0] as string)?.[0] as string;
  const raw = await RawClient.open(ready.practiceServer);
  raw.send({ id: 1, type: 3, body: password });
  expect(await raw.next()).toEqual({ id: 1, type: 2, body: '' });
  expect(await started.stop()).toBe(0);
  expect(await raw.next()).toBe('closed');
});

test('teller practice says how to connect it and how a player joins; scripts and those who chose the password are not told', async () => {
  const started = await start();
  const [, , , join = ''] = started.err;
  const words = join.trim().split(' ');
  expect(words.slice(0, 4)).toEqual(['teller', 'practice', 'join', 'Alex']);
  expect(await run(...words.slice(2))).toMatchObject({ out: ['Alex joined the game'], code: 0 });
  expect(started.err[1]).toContain(`port ${started.ready.practiceServer.port}`);
  const [forScript, chosen] = [await start('--json'), await start('--password', PASSWORD)];
  expect([forScript.err.length, chosen.err.length]).toEqual([1, 0]);
});

test('teller practice accepts a password, which it does not show, and a log file, which has each command before its reply', async () => {
  const log = fileForRecord();
  const started = await start('--password', PASSWORD, '--log', log);
  await (await RawClient.loggedIn(started.ready.practiceServer)).ask('give Bob bread 1');
  expect(JSON.parse(readFileSync(log, 'utf8'))).toMatchObject({ command: 'give Bob bread 1' });
  expect([...started.out, ...started.err].join()).not.toContain(PASSWORD);
});

test('teller practice exits with a problem code if the port is in use or invalid', async () => {
  const { port } = await practiceServer();
  expect(await run('--port', String(port))).toMatchObject({
    code: 1,
    err: [expect.stringContaining('[port-in-use]')],
  });
  expect(await run('--port', '70000')).toMatchObject({
    code: 2,
    err: [expect.stringContaining('[usage]')],
  });
});

describe('control of a running practice server', () => {
  async function running() {
    const server = await practiceServer();
    return { server, at: ['--port', String(server.port), '--password', PASSWORD] };
  }

  test('run runs a command of the game and prints its reply', async () => {
    const { at } = await running();
    await run('join', 'Bob', ...at);
    expect(await run('run', ...at, 'tag Bob add vip')).toMatchObject({ out: ["Added tag 'vip' to Bob"] });
    expect(await run('run', ...at, 'say', 'hello')).toMatchObject({ out: ['(no output)'] });
    expect(await jsonOf('run', ...at, 'say hello')).toEqual([{ answer: '' }]);
    expect(await run('run', ...at, 'say a\nsay b')).toMatchObject({ code: 2 });
  });

  test('join, players, inventory and leave do what they say, or are refused with a code and exit 1', async () => {
    const { server, at } = await running();
    expect(await run('join', 'Bob', ...at)).toEqual({ out: ['Bob joined the game'], err: [], code: 0 });
    expect(await run('join', '*Ann', ...at)).toMatchObject({ out: ['*Ann joined the game'] });
    await server.say('give Bob bread 2');
    expect(await run('inventory', 'bob', ...at)).toMatchObject({ out: ['item  count', 'bread  2'] });
    expect(await jsonOf('inventory', 'bob', ...at)).toEqual([{ item: 'bread', count: 2 }]);
    expect(await jsonOf('players', ...at)).toEqual([
      { player: 'Bob', uuid: 'faa5dca3-c3d4-354b-ae1b-dde9e5a14b3b' },
      { player: '*Ann', uuid: expect.any(String) },
    ]);
    await run('leave', 'Bob', ...at);
    expect(await server.say('list')).toMatch(/: \*Ann$/);
    expect(await run('leave', 'Bob', ...at)).toEqual(refusal('Bob'));
    // The address may also come before the word.
    await run(...at, 'join', 'Cid');
    expect(await server.say('list')).toMatch(/: \*Ann, Cid$/);
    const [, port = ''] = at;
    expect(await run('join', 'Bob', '--port', port, '--password', 'wrong')).toMatchObject({
      ...{ err: [expect.stringContaining('[practice-not-running]')], code: 1 },
    });
  });

  test('join with a UUID makes an account join, under a new name too', async () => {
    const { server, at } = await running();
    expect(await run('join', 'Alex', '--uuid', ALEX.toUpperCase(), ...at)).toMatchObject({
      out: ['Alex joined the game'],
    });
    await server.say('give Alex bread 2');
    await run('join', 'Toni', '--uuid', ALEX.replaceAll('-', ''), ...at);
    await run('join', 'Alex', '--uuid', STRANGER, ...at);
    expect(await jsonOf('players', ...at)).toEqual([
      { player: 'Toni', uuid: ALEX },
      { player: 'Alex', uuid: STRANGER },
    ]);
    expect(await server.say('practice inventory Toni')).toBe('{"bread":2}');
    expect(await server.say('practice inventory Alex')).toBe('{}');
    await run('leave', 'Toni', ...at);
    expect(await run('join', 'Alex', '--uuid', ALEX, ...at)).toEqual(refusal('Alex'));
    expect(await run('join', 'Kim', '--uuid', '1111', ...at)).toEqual(refusal('1111'));
  });

  test('fault, faults and clear work whichever faults are set', async () => {
    const { server, at } = await running();
    await run('fault', 'close-after-login', ...at);
    await run('fault', 'run-and-silent', '--for', '3', ...at);
    const faultsOn = async () => {
      const rows: readonly { fault: string; on: boolean }[] = await jsonOf('faults', ...at);
      return rows.filter(({ on }) => on).map(({ fault }) => fault);
    };
    expect(await faultsOn()).toEqual(['close-after-login', 'run-and-silent']);
    expect(await run('clear', ...at)).toMatchObject({ err: [], code: 0 });
    expect(await faultsOn()).toEqual([]);
    expect(await (await RawClient.loggedIn(server)).ask('list')).toMatch(/^There are 0/);
  });

  test('refuses a misspelt fault without asking the server', async () => {
    expect(await run('fault', 'emty-reply', '--port', '1', '--password', 'x')).toEqual({
      out: [],
      err: [naming('emty-reply', 'empty-reply', '[usage]')],
      code: 2,
    });
    expect(await run('fault', 'empty-reply', '--for', '0', '--port', '1')).toMatchObject({ code: 2 });
    expect(await run('join', 'Bob', '--port', '1')).toMatchObject({ code: 2 });
  });
});

describe('without --port, the command controls the practice server of `teller run`', () => {
  const rewards = [{ name: 'r', when: 'always', servers: 'all', commands: ['say {player}'] }];
  const joined = { out: ['Bob joined the game'], err: [], code: 0 };

  test('found through the file beside the ledger, until it stops', async () => {
    const teller = await here({ rewards });
    expect(await run('join', 'Bob', '--config', teller.config)).toEqual(joined);
    expect(statSync(path.join(teller.folder, 'data/practice-main.json')).mode & 0o777).toBe(0o600);
    await teller.stop();
    const refused = { err: [expect.stringContaining('[practice-not-running]')], code: 1 };
    expect(await run('join', 'Bob', '--config', teller.config)).toMatchObject(refused);
  });

  test('chosen by --server if there are several', async () => {
    const kind = { kind: 'practice', autoJoin: false };
    const { config } = await here({ rewards, gameServers: { one: kind, two: kind } });
    expect(await run('join', 'Bob', '--config', config)).toMatchObject({ code: 2 });
    expect(await run('join', 'Bob', '--config', config, '--server', 'two')).toEqual(joined);
    expect(await jsonOf('players', '--config', config, '--server', 'one')).toEqual([]);
  });
});

describe('the game', () => {
  const KIM = '00000000-0000-0000-0009-01f64f65c7c3';

  /** A practice server with these players. @returns what answers its commands, which come by RCON. */
  async function game(...players: readonly string[]): Promise<(command: string) => Promise<string>> {
    const server = await practiceServer();
    for (const player of players) await server.join(player);
    const raw = await RawClient.loggedIn(server);
    return (command) => raw.ask(command);
  }

  /** Commands, each with its reply, in a game with Bob and Ann. */
  type Story = readonly (readonly [command: string, reply: string])[];

  test.each<[string, Story]>([
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
    const say = await game('Bob', 'Ann');
    for (const [command, reply] of story) expect(await say(command), command).toBe(reply);
  });

  test('accepts a quoted name, which Bedrock players need; a UUID has no name that someone else on the server has', async () => {
    const say = await game('*Bob', 'Alex');
    expect(await say('give "*Bob" carrot_on_a_stick 1')).toBe('Gave 1 [Carrot on a Stick] to *Bob');
    expect(await say('practice inventory "*Bob"')).toBe('{"carrot_on_a_stick":1}');
    expect(await say(`practice join Alex ${ALEX}`)).toMatch(/^No: .*Alex/);
  });

  test('other commands are answered as vanilla answers them', async () => {
    const say = await game('Bob', 'Ann');
    for (const [command, reply] of [
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
      ['playsound entity.player.levelup master Bob', 'Played sound minecraft:entity.player.levelup to Bob'],
      ['summon firework_rocket', 'Summoned new Firework Rocket'],
      ['scoreboard players add Bob votes 1', "Unknown scoreboard objective 'votes'... Bob votes<--[HERE]"],
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
      ['kick Bob', 'Kicked Bob: Kicked by an operator'],
    ] as const)
      expect(await say(command), command).toBe(reply);
  });
});
