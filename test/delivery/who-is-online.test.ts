import { expect, test } from 'vitest';
import { connected } from '../kit/connected.ts';
import { type RconGame, rconGame } from '../kit/game.ts';

const ID = '069a79f4-44e9-4726-a5be-fca90e38aaf5';
const ANN_ID = '32dda8af-f2b9-35b7-b717-fd5575539571';
const BOTH = {
  kind: 'known',
  names: ['Bob', '*Ann'],
  uuids: new Map([
    ['bob', ID],
    ['*ann', ANN_ID],
  ]),
};
const UNKNOWN = 'Unknown or incomplete command, see below for error';
const vanilla = (...names: readonly string[]): string =>
  `There are ${names.length} of a max of 20 players online: ${names.join(', ')}`;

/** Which forms of `list` the game server knows, with what it replies to each. Other commands that start so are unknown. */
const listing =
  (forms: Readonly<Record<string, string>>) =>
  (command: string): string | undefined =>
    /\blist\b/.test(command) ? (forms[command] ?? UNKNOWN) : undefined;

/** A game server with Bob and the Bedrock player *Ann online. @param says what it replies to questions; by default as vanilla. */
async function pair(says: Parameters<RconGame['reply']>[0] = () => undefined) {
  const game = await rconGame();
  game.show(`Bob (${ID})`, `*Ann (${ANN_ID})`);
  game.reply(says);
  return { game, ...(await connected(game.entry)) };
}

test('who is online is read from `minecraft:list uuids`, in the spelling of the server', async () => {
  const { game, presence } = await pair();
  expect(await presence('bob')).toEqual(BOTH);
  expect(game.asked).toEqual(['minecraft:list uuids']);
  game.show();
  expect(await presence('bob')).toMatchObject({ kind: 'known', names: [] });
});

test.each([
  ['list uuids', vanilla(`Bob (${ID})`, `*Ann (${ANN_ID})`), BOTH, ['minecraft:list uuids', 'list uuids']],
  [
    'minecraft:list',
    vanilla('Bob', '*Ann'),
    { kind: 'known', names: ['Bob', '*Ann'] },
    ['minecraft:list uuids', 'list uuids', 'minecraft:list'],
  ],
  [
    'list',
    'Players (2): Bob, *Ann',
    { kind: 'known', names: ['Bob', '*Ann'] },
    ['minecraft:list uuids', 'list uuids', 'minecraft:list', 'list'],
  ],
])('the form that the server knows is found, and then asked first: %s', async (form, reply, known, asked) => {
  const { game, presence } = await pair(listing({ [form]: reply }));
  for (const _ of [1, 2]) expect(await presence('Bob')).toEqual(known);
  expect(game.asked).toEqual([...asked, form]);
  game.reply(listing({ 'list uuids': vanilla('Cid') }));
  expect(await presence('Bob')).toMatchObject({ names: ['Cid'] });
});

test('a player whom a team’s prefix hides in the list is asked for by name', async () => {
  const { game, presence } = await pair(listing({ 'minecraft:list': vanilla('~Bob') }));
  expect(await presence('Bob', 'Cid')).toEqual({ kind: 'known', names: ['~Bob', 'Bob'] });
  expect(game.asked.slice(3)).toEqual(['minecraft:execute if entity Bob']);
});

test('a prefix that only a Bedrock player’s name has is no team’s', async () => {
  const { game, presence } = await pair(listing({ 'minecraft:list': vanilla('Bob', '*Ann') }));
  game.show('Bob', '*Ann');
  expect(await presence('Ann')).toEqual({ kind: 'known', names: ['Bob', '*Ann'] });
  expect(game.asked.at(-1)).toBe('minecraft:execute if entity Ann');
});

const UNUSABLE = {
  'list-not-understood': 'Es sind 1 von maximal 20 Spielern online: Bob',
  'list-does-not-add-up': 'There are 2 of a max of 20 players online: Bob',
} as const;

test.each(Object.entries(UNUSABLE))(
  'with a list of this kind each wanted player is asked for by name: %s',
  async (reason, list) => {
    const { game, presence } = await pair((command) => (/\blist\b/.test(command) ? list : undefined));
    expect(await presence('bob', 'Bob', '*Ann', 'Cid')).toEqual({ kind: 'asked', names: ['Bob', '*Ann'] });
    expect(game.asked.filter((command) => command.includes('execute'))).toEqual([
      'minecraft:execute if entity bob',
      'minecraft:execute if entity Bob',
      'minecraft:execute if entity "*Ann"',
      'minecraft:execute if entity Cid',
    ]);
    expect(await presence()).toEqual({ kind: 'cannot-tell', reason });
    game.reply((command) => (/\blist\b/.test(command) ? list : UNKNOWN));
    expect(await presence('Bob')).toEqual({ kind: 'cannot-tell', reason });
  },
);

test('[RCON-14] a name that could end the word or the line is never asked for', async () => {
  const { game, presence } = await pair((command) => (/\blist\b/.test(command) ? '?' : undefined));
  const wanted = ['Bob"', 'Bob\\', 'Bob\nop evil', 'Bob'];
  expect(await presence(...wanted)).toEqual({ kind: 'asked', names: ['Bob'] });
  expect(game.asked.filter((command) => command.includes('execute'))).toEqual([
    'minecraft:execute if entity Bob',
  ]);
});

test('nothing is known of a game server that replies with nothing, or cannot be reached', async () => {
  const { game, presence, clock } = await pair(() => '');
  expect(await presence('Bob')).toEqual({ kind: 'cannot-tell', reason: 'list-not-understood' });
  game.script((_, socket) => void socket.destroy());
  expect(await presence('Bob')).toEqual({ kind: 'unreachable', reason: expect.any(String) });
  clock.advance(60_000);
  expect(await presence('Bob')).toEqual({ kind: 'unreachable', reason: 'closed-at-login' });
});

test('a list of a thousand players with UUIDs is read without waiting for more after the last one', async () => {
  const { game, server, soon, clock } = await pair();
  const names = Array.from({ length: 1_000 }, (_, n) => `Player_Number${n}`);
  game.show(...names.map((name, n) => `${name} (${ID.slice(0, -4)}${1_000 + n})`));
  await soon(server.ready());
  const before = clock.monotonic();
  expect(await server.presence([])).toMatchObject({ kind: 'known', names });
  expect(clock.monotonic()).toBe(before);
});

/** What the game server replies to every form of `list`, and the names or the reason that come of it. */
const LISTS: readonly (readonly [string, readonly string[] | keyof typeof UNUSABLE])[] = [
  ['There are 2 of a max of 20 players online: Bob, Ann', ['Bob', 'Ann']],
  ['There are 2 of a max 20 players online: Bob, Ann', ['Bob', 'Ann']],
  ['There are 0 of a max of 20 players online: ', []],
  ['There are 0 of a max of 20 players online: \nTPS: 20.0', []],
  ['There are 1/20 players online:\nBob', ['Bob']],
  ['There are 2/20 players online:Bob, Ann', ['Bob', 'Ann']],
  ['There are 0/20 players online:\n', []],
  ['Players (2): Bob, Ann', ['Bob', 'Ann']],
  ['Players (0): ', []],
  ['[12:00:00] There are 1 of a max of 20 players online: Bob\nHave a nice day', ['Bob']],
  ['§6There are §c1§6 of a max of §c20§6 players online: §fBob§r', ['Bob']],
  ['There are 3 of a max of 20 players online: .Bob, *Ann, !Cid', ['.Bob', '*Ann', '!Cid']],
  ['There are 1 of a max of 20 players online: ABCDEFGHIJKLMNOP', ['ABCDEFGHIJKLMNOP']],
  ['There are 2 of a max of 20 players online: Bob', 'list-does-not-add-up'],
  ['There are 1 of a max of 20 players online: Bob, Ann', 'list-does-not-add-up'],
  ['There are 0 of a max of 20 players online: Bob', 'list-does-not-add-up'],
  ['There are 1 of a max of 20 players online: ', 'list-does-not-add-up'],
  ['There are 1 of a max of 20 players online: [Admin] Bob', 'list-does-not-add-up'],
  ['There are 2 of a max of 20 players online: Bob, Ann and others', 'list-does-not-add-up'],
  ['There are 2 of a max of 20 players online: Bob, bob', 'list-does-not-add-up'],
  ['There are 1 of a max of 20 players online: Bob (AFK)', 'list-does-not-add-up'],
  ['There are 1 of a max of 20 players online: ABCDEFGHIJKLMNOPQ', 'list-does-not-add-up'],
  [`There are 1 of a max of 20 players online: \u212aatrin (${ID})`, 'list-does-not-add-up'],
  [
    `There are 2 of a max of 20 players online: Ann (${ID}), Bob (${ID.toUpperCase()})`,
    'list-does-not-add-up',
  ],
  ['There are 2/20 players online:\nBob\nAnn', 'list-does-not-add-up'],
  ['Players (1): ', 'list-does-not-add-up'],
  ['', 'list-not-understood'],
  ['Es sind 1 von maximal 20 Spielern online: Bob', 'list-not-understood'],
  ['There are 1 out of maximum 20 players online.\ndefault: Bob', 'list-not-understood'],
  [`${UNKNOWN}minecraft:list<--[HERE]`, 'list-not-understood'],
];

test('[RCON-13] a list is used only if it names as many players as it announces', async () => {
  let list = '';
  const { presence } = await pair(() => list);
  for (const [reply, read] of LISTS) {
    list = reply;
    const expected =
      typeof read === 'string' ? { kind: 'cannot-tell', reason: read } : { kind: 'known', names: read };
    expect(await presence(), reply).toEqual(expected);
  }
});

test.each([
  [`There are 1 of a max of 20 players online: Bob (${ID})`, { bob: ID }],
  [`There are 1/20 players online:\n.Bob (${ID.toUpperCase()})`, { '.bob': ID }],
  [`There are 2 of a max of 20 players online: Bob (${ID}), Ann`, null],
  [`There are 1 of a max of 20 players online: Bob (${ID.slice(1)})`, null],
  [`There are 1 of a max of 20 players online: [Admin] Bob (${ID})`, null],
  [`There are 2 of a max of 20 players online: Bob (${ID}), bob (${ID})`, null],
])('[RCON-13] UUIDs are used, in lower case, if each player has one: %j', async (reply, uuids) => {
  const { presence } = await pair(() => reply);
  const found = await presence();
  if (uuids === null) expect(found).not.toHaveProperty('uuids');
  else expect(found).toMatchObject({ kind: 'known', uuids: new Map(Object.entries(uuids)) });
});
