import { expect, test } from 'vitest';
import { connected } from '../kit/connected.ts';
import { rconGame } from '../kit/game.ts';
import { httpGame } from '../kit/http-game.ts';

/** What the reply of a game server makes of a command. @param settings of the game server's entry. */
async function judging(settings: object = {}) {
  const game = await httpGame({ answers: true, ...settings });
  const { run } = await connected(game.entry);
  return (reply: string, command = 'crate give Steve vip', template?: string) => {
    game.answer(() => ({ body: reply }));
    return run(command, template);
  };
}

const OFFLINE = [
  'No player was found',
  'No entity was found',
  'No targets matched selector',
  'That player cannot be found',
  'Could not find player Steve',
  'Player not found',
  'Player Steve not found',
  "Player 'Steve' not found.",
  'The user Steve does not exist.',
  'User Steve is not online.',
  'The player Steve was not found',
  'Steve is not online.',
  'Can not find player Steve!',
  'Player could not be found: Steve',
  'Unable to locate player Steve',
  'No player matching Steve is connected to this server.',
  'That player is not online',
];
const REFUSED = [
  'Unknown or incomplete command. See below for error',
  'Unknown or incomplete command, see below for errorcrate<--[HERE]',
  'Unbekannter oder unvollständiger Befehl, siehe unten für Fehlercrate<--[HERE]',
  'Unknown command. Type "/help" for help.',
  'Unknown Command.',
  "Unknown command, type 'help' for all commands.",
  'Incorrect argument for command...nd 1 more<--[HERE]',
  'Expected whitespace to end one argument, but found trailing data',
  'Expected integer...iamond one<--[HERE]',
  "Expected '='",
  "Unknown item 'minecraft:diamnod'",
  "Unknown scoreboard objective 'votes'",
  'Integer must not be less than 1, found 0',
  'Integer must not be less than 1: found 0',
  "Invalid chat component: Malformed JSON in '{text}'",
  "Can't give more than 6400 of [Diamond]",
  "Can't find element 'minecraft:diamnod' of type 'minecraft:item'",
  'That player does not exist',
  'A player is required to run this command here',
  'An unexpected error occurred trying to execute that command',
  "I'm sorry, but you do not have permission to perform this command.",
  'There is no such item with name [ diamnod ]',
  'Internal error (See logs for details)',
  'Unknown item name: diamnd.',
  'That kit does not exist.',
  'Invalid Number.',
  'A group named vip could not be found.',
  'Crate not found',
  'There is no crate called vip',
  'vip is not a valid crate!',
  'Amount must be a positive whole number.',
  'Command crate could not be found! Try using help',
  'amount must be a number.',
  'Usage: /crate give <player> <crate>',
];

test.each([
  ['player-offline', OFFLINE],
  ['refused', REFUSED],
] as const)('replies of Minecraft and of plugins mean %s', async (kind, replies) => {
  const judge = await judging();
  for (const reply of replies) expect(await judge(reply), reply).toEqual({ kind, reply });
});

test.each<readonly [string, (reply: string) => string]>([
  ['with Minecraft’s colours', (reply) => `§c§l${reply.replace(' ', ' §4')}§r`],
  ['with colours that a plugin left as written', (reply) => `&c${reply}`],
  ['with a terminal’s colours', (reply) => `\u001b[31;1m${reply}\u001b[0m`],
  ['after a prefix in brackets', (reply) => `§7[§bCrates§7]§r ${reply}`],
  ['after a prefix and an arrow', (reply) => `&6Crates Plus &8» &c${reply}`],
  ['after a prefix and a colon', (reply) => `§cError: §4${reply}`],
  ['after two prefixes', (reply) => `[Crates] Error: ${reply}`],
  ['with a line after it', (reply) => `${reply}\nType /help for help.`],
])('they mean the same %s', async (_, decorated) => {
  const judge = await judging();
  for (const reply of [...OFFLINE, 'Unknown Command.', 'That kit does not exist.', 'Crate not found']) {
    const kind = OFFLINE.includes(reply) ? 'player-offline' : 'refused';
    expect(await judge(decorated(reply)), decorated(reply)).toMatchObject({ kind });
  }
});

test('a reply is refused that ends with what was lost because there was no space', async () => {
  const judge = await judging();
  const reply = 'Giving 64 of diamond to Steve.\nNot enough space, 2 diamond was lost.';
  expect(await judge(reply)).toEqual({ kind: 'refused', reply });
});

test('any other reply means delivered', async () => {
  const judge = await judging();
  for (const reply of [
    'Bob says: Unknown command',
    'Expected delivery: tomorrow',
    'Unknown to most, Bob is a hero',
    'Invalidated the old key and gave a new one',
    'Reward given; Player not found in the old file, so a new one was made',
    'Nothing changed. The player already is an operator',
    'Executed. (No player was found) is what others would read',
    'Usage of /vote counted',
    'Error: none. Gave 3 diamonds',
    'Player not found in the cache, loaded from disk and paid',
    '[Server] Unknown command',
    '[Rcon] Player not found',
  ])
    expect(await judge(reply), reply).toMatchObject({ kind: 'delivered', reply });
  for (const reply of [
    '',
    'Gave 1 [Diamond] to Bob',
    'Gave 1 [Unknown item] to Bob',
    'Crates » Given x1 key(s) to Steve.',
    '[LP] vip already inherits from default. Failed nothing',
    '[Crates] You have given 1 key(s) to the offline player Steve.',
  ])
    expect(await judge(reply), `${reply} leaves no doubt`).toEqual({ kind: 'delivered', reply });
});

test.each([
  ['say Unknown command', '[Lobby] Unknown command'],
  ['broadcast &cPlayer not found? Vote!', '§6[Broadcast]§r Player not found? Vote!'],
  ['tell Steve Error: Player not found', 'You whisper to Steve: Error: Player not found'],
])('a reply that repeats the words of %j means delivered', async (command, reply) => {
  const judge = await judging();
  expect(await judge(reply, command)).toEqual({ kind: 'delivered', reply });
});

test('the operator’s patterns match anywhere, whatever the case, and come before the built-in ones', async () => {
  const judge = await judging({
    refusedReplies: ['inventory (?:is )?full', 'gone'],
    offlineReplies: ['Unknown command: no such player', 'gone'],
    deliveredReplies: ['^player not found', 'lookup failed'],
  });
  for (const _ of [1, 2, 3])
    expect(await judge('Sorry, inventory is FULL')).toMatchObject({ kind: 'refused' });
  expect(await judge('Unknown command: no such player')).toMatchObject({ kind: 'player-offline' });
  expect(await judge('Unknown command: no such thing')).toMatchObject({ kind: 'refused' });
  // Such a grant is paid later, without the operator.
  expect(await judge('gone')).toMatchObject({ kind: 'player-offline' });
  for (const reply of ['Player not found', 'Lookup failed, paid by UUID'])
    expect(await judge(reply)).toEqual({ kind: 'delivered', reply });
});

test.each([
  ['[Shop] Steve could not get tier 3 of vip', '\\S+ could not get tier \\d+ of \\S+'],
  ['§cError: the bank (main) is closed!', 'the bank \\(main\\) is closed!'],
  ['Working on it\nInvalid tier: gold', 'Invalid tier: gold'],
])(
  'an unknown reply that looks like a failure is delivered, with the entry that would refuse it: %j',
  async (reply, doubt) => {
    const judge = await judging();
    expect(await judge(reply)).toEqual({ kind: 'delivered', reply, doubt });
    const refusing = await judging({ refusedReplies: [doubt] });
    expect(await refusing(reply)).toEqual({ kind: 'refused', reply });
  },
);

test('a long reply is judged without backtracking, which would take hours, and suggests an entry that is short enough for the config', async () => {
  const game = await rconGame();
  game.speak('one-frame');
  const { run } = await connected(game.entry);
  const pieces = ['is not a valid ', '[', 'Error: ', '§c', 'Command could not be found! ', 'Failed (very) '];
  for (const piece of pieces) {
    const reply = piece.repeat(90_000 / Buffer.byteLength(piece));
    game.reply((command) => (command === 'kit Steve' ? reply : undefined));
    const outcome = await run('kit Steve');
    expect(outcome.kind, piece).toMatch(/^(?:delivered|refused)$/);
    const doubt = 'doubt' in outcome ? String(outcome.doubt) : '';
    expect(doubt.length).toBeLessThan(500);
    if (piece.startsWith('Failed')) expect(doubt).toMatch(/^Failed /);
  }
});

test.each([
  ['execute as {uuid} run give @s diamond 1', 'player-offline'],
  ['give @a[name={player}] diamond 1', 'player-offline'],
  ['tellraw @a "new vote"', 'delivered'],
])(
  'if %j matches no player, it ends as %s: a grant waits if its command names the player',
  async (template, kind) => {
    const judge = await judging();
    const command = template
      .replace('{player}', 'Steve')
      .replace('{uuid}', '069a79f4-44e9-4726-a5be-fca90e38aaf5');
    expect(await judge('No entity was found', command, template)).toMatchObject({ kind });
  },
);
