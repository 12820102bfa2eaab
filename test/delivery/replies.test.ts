import { describe, expect, it, test } from 'vitest';
import { closeCommand } from '../../src/core/template.ts';
import { type ReplyMeaning, replySources } from '../../src/delivery/known-replies.ts';
import { asked, judgeReply, type ReplyPatterns, type Verdict } from '../../src/delivery/replies.ts';

const NONE: ReplyPatterns = { refusedReplies: [], offlineReplies: [], deliveredReplies: [] };

const judged = (reply: string, own: Partial<ReplyPatterns> = {}, command = 'crate give Steve vip') =>
  judgeReply(reply, { ...NONE, ...own }, asked(command));

const verdict = (reply: string, own: Partial<ReplyPatterns> = {}, command?: string): Verdict =>
  judged(reply, own, command).verdict;

const VERDICTS: Readonly<Record<ReplyMeaning, Verdict>> = {
  'nobody-matched': 'player-offline',
  'player-offline': 'player-offline',
  'unknown-command': 'refused',
  refused: 'refused',
};

/** Every known reply as a server would send it, with its meaning in that file. */
const knownReplies = replySources.flatMap(({ from, replies }) =>
  Object.entries(replies).flatMap(([means, texts]) =>
    texts.map((text) => {
      const reply = text
        .replaceAll('{player}', 'Steve')
        .replaceAll('{number}', '64')
        .replaceAll('{text}', 'some_thing here');
      return [from, reply, VERDICTS[means as ReplyMeaning]] as const;
    }),
  ),
);

describe('every known reply', () => {
  it.each(knownReplies)('of %s, %j, means %s', (_, reply, expected) => {
    expect(verdict(reply)).toBe(expected);
  });

  it.each([
    ['with Minecraft colours', (reply: string) => `§c§l${reply.replace(' ', ' §4')}§r`],
    ['with colours that a plugin left as written', (reply: string) => `&c${reply}`],
    ['with a terminal’s colours', (reply: string) => `\u001b[31;1m${reply}\u001b[0m`],
    ['after a prefix in brackets', (reply: string) => `§7[§bCrates§7]§r ${reply}`],
    ['after a prefix and an arrow', (reply: string) => `&6Crates Plus &8» &c${reply}`],
    ['after a prefix and a colon', (reply: string) => `§cError: §4${reply}`],
    ['after two prefixes', (reply: string) => `[Crates] Error: ${reply}`],
    ['with a line after it', (reply: string) => `${reply}\nType /help for help.`],
  ])('%s means the same', (_, decorate) => {
    const wrong = knownReplies.filter(([, reply, expected]) => verdict(decorate(reply)) !== expected);
    expect(wrong).toEqual([]);
  });

  test('has a source, and appears once in the file', () => {
    for (const { from, version, readIn } of replySources) expect([from, version, readIn]).not.toContain('');
    const texts = replySources.flatMap(({ replies }) => Object.values(replies).flat());
    expect(texts.filter((text, at) => texts.indexOf(text) !== at)).toEqual([]);
  });
});

describe('a reply means refused', () => {
  it.each([
    'Unknown or incomplete command, see below for errorcrate<--[HERE]',
    'Unknown command. Type "/help" for help.',
    'Unknown Command.',
    'Incorrect argument for command...nd 1 more<--[HERE]',
    'Expected whitespace to end one argument, but found trailing data',
    'Expected integer...iamond one<--[HERE]',
    "Expected '='",
    "Unknown item 'minecraft:diamnod'",
    "Unknown scoreboard objective 'votes'",
    'Integer must not be less than 1, found 0',
    "Invalid chat component: Malformed JSON in '{text}'",
    "Can't give more than 6400 of [Diamond]",
    "Can't find element 'minecraft:diamnod' of type 'minecraft:item'",
    'That player does not exist',
    'A player is required to run this command here',
    'An unexpected error occurred trying to execute that command',
    "I'm sorry, but you do not have permission to perform this command.",
    '§cUnknown command.',
    'Unbekannter oder unvollständiger Befehl, siehe unten für Fehlercrate<--[HERE]',
    'Error: Unknown item name: diamnd.',
    'Error: That kit does not exist.',
    'Error: Invalid Number.',
    'Giving 64 of diamond to Steve.\nNot enough space, 2 diamond was lost.',
    'Usage: /crate give <player> <crate>',
  ])('if it is %j', (reply) => {
    expect(verdict(reply)).toBe('refused');
  });
});

describe('a reply means that the player is offline', () => {
  it.each([
    'No player was found',
    'No entity was found',
    'That player cannot be found',
    'Player not found',
    'Error: Player not found.',
    '§cError: §4Player not found.',
    'Player Bob is not online',
    'Error: The user Steve does not exist.',
    '[Crates] The player Steve is not online.',
    "Player 'Steve' not found.",
  ])('if it is %j', (reply) => {
    expect(verdict(reply)).toBe('player-offline');
  });
});

describe('a reply means delivered', () => {
  it.each([
    '',
    'Gave 1 [Diamond] to Bob',
    'Gave 1 [Unknown item] to Bob',
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
    'Crates » Given x1 key(s) to Steve.',
    '[Server] Unknown command',
    '[Rcon] Player not found',
  ])('if it is %j', (reply) => {
    expect(verdict(reply)).toBe('delivered');
  });

  it.each([
    ['say Unknown command', '[Lobby] Unknown command'],
    ['broadcast &cPlayer not found? Vote!', '§6[Broadcast]§r Player not found? Vote!'],
    ['tell Steve Error: Player not found', 'You whisper to Steve: Error: Player not found'],
  ])('if it repeats the words of %j', (command, reply) => {
    expect(judged(reply, {}, command)).toMatchObject({ verdict: 'delivered', doubt: null });
  });
});

describe("the operator's patterns", () => {
  it('match anywhere, and take precedence over the built-in patterns', () => {
    const own = {
      refusedReplies: [/inventory (?:is )?full/i],
      offlineReplies: [/Unknown command: no such player/],
    };
    expect(verdict('Sorry, inventory is FULL', own)).toBe('refused');
    expect(verdict('Unknown command: no such player', own)).toBe('player-offline');
    expect(verdict('Unknown command: no such thing', own)).toBe('refused');
  });

  it('match every time, even with the flag g', () => {
    const own = { refusedReplies: [/full/g] };
    expect([1, 2, 3].map(() => verdict('inventory full', own))).toEqual(['refused', 'refused', 'refused']);
  });

  it('read a reply that both lists match as offline, because such a grant is paid later', () => {
    expect(verdict('gone', { refusedReplies: [/gone/], offlineReplies: [/gone/] })).toBe('player-offline');
  });

  it('can make a reply mean delivered that is a known failure or looks like a failure', () => {
    const own = { deliveredReplies: [/^player not found/i, /failed/] };
    expect(judged('Player not found', own)).toMatchObject({ verdict: 'delivered', doubt: null });
    expect(judged('Lookup failed, paid by UUID', own)).toMatchObject({ verdict: 'delivered', doubt: null });
  });
});

describe('an unknown reply that looks like a failure means delivered, with a doubt', () => {
  it.each([
    ['[Shop] Steve could not get tier 3 of vip', '\\S+ could not get tier \\d+ of \\S+'],
    ['§cError: the bank (main) is closed!', 'the bank \\(main\\) is closed!'],
    ['Working on it\nInvalid tier: gold', 'Invalid tier: gold'],
  ])('%j, with the entry that would refuse it', (reply, entry) => {
    expect(judged(reply)).toMatchObject({ verdict: 'delivered', doubt: entry });
    expect(judged(reply, { refusedReplies: [new RegExp(entry, 'i')] })).toMatchObject({
      verdict: 'refused',
      doubt: null,
    });
  });

  it('suggests an entry that is short enough for the config, however long the reply is', () => {
    const { doubt } = judged(`Failed ${'(very) '.repeat(10_000)}`);
    expect(doubt).toMatch(/^Failed /);
    expect(doubt?.length).toBeLessThan(500);
  });

  it.each([
    '',
    'Gave 1 [Unknown item] to Steve',
    '[LP] vip already inherits from default. Failed nothing',
    '[Crates] You have given 1 key(s) to the offline player Steve.',
  ])('%j leaves no doubt', (reply) => {
    expect(judged(reply).doubt).toBeNull();
  });
});

test('a reply of a megabyte is judged without backtracking, which would take hours', () => {
  for (const piece of ['is not a valid ', '[', 'Error: ', '§c', 'Command could not be found! ']) {
    verdict(piece.repeat(1_000_000 / piece.length));
  }
});

test.each([
  ['execute as {uuid} run give @s diamond 1', 'player-offline'],
  ['give @a[name={player}] diamond 1', 'player-offline'],
  ['tellraw @a "new vote"', 'delivered'],
])(
  'if %j matched no player, the outcome is %s: a grant waits if its command names the player',
  (template, expected) => {
    const command = closeCommand(template, {
      player: 'Steve',
      uuid: '069a79f4-44e9-4726-a5be-fca90e38aaf5',
      now: null,
    });
    expect(judgeReply('No entity was found', NONE, asked(command, template)).verdict).toBe(expected);
  },
);
