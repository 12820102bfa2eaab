/** Replies over RCON whose packets come apart: from a busy game server, or through a proxy that stalls, resets or drops them. */
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { arrived, connected, isSettled, until } from '../kit/connected.ts';
import { type Dialect, rconGame } from '../kit/game.ts';

const UUID = '069a79f4-44e9-4726-a5be-fca90e38';
const name = (n: number): string => `${'Player_of_a_long_name'.slice(0, 3 + (n % 10))}_${n}`;
/** So many players, with names of different lengths. */
const crowd = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => `${name(n)} (${UUID}${String(1_000 + n)})`);
const names = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => name(n));
const vanilla = (players: readonly string[], before = ''): string =>
  `${before}There are ${players.length} of a max of 500 players online: ${players.join(', ')}`;

async function pair(settings: object = {}, ...dialects: readonly Dialect[]) {
  const game = await rconGame(settings);
  game.speak(...dialects);
  return { game, ...(await connected(game.entry)) };
}

const isList = (command: string): boolean => /\blist\b/.test(command);

test.each<readonly [number, number, readonly Dialect[]]>([
  [400, 300, []],
  [400, 1_600, []],
  [200, 2_000, []],
  [400, 300, ['pieces-of-2048']],
  [100, 2_000, ['pieces-of-2048']],
  [400, 300, ['type-2-replies']],
  [400, 2_000, ['one-frame']],
  [400, 300, ['late-frame']],
])(
  '[RCON-13] a list of %i players whose packets come %i ms apart is read to its end, and nobody is asked for by name: %j',
  async (count, gapMs, dialects) => {
    const { game, presence, clock } = await pair({}, ...dialects);
    game.show(...crowd(count));
    game.pace(gapMs, clock);
    expect(await presence('Ann')).toMatchObject({ kind: 'known', names: names(count) });
    expect(game.asked).toEqual(['minecraft:list uuids']);
  },
);

test('[RCON-13] a list may be cut at any character, with UUIDs and without', async () => {
  const { game, presence, clock } = await pair();
  const players = crowd(100);
  let [list, form] = ['', 'minecraft:list uuids'];
  game.pace(300, clock);
  game.reply((command) => (command === form ? list : isList(command) ? 'Unknown command' : undefined));
  for (let shift = 0; shift < 60; shift++) {
    list = vanilla(players, `${'x'.repeat(shift)} `);
    expect(await presence(), `${shift}`).toMatchObject({ kind: 'known', names: names(100) });
  }
  form = 'minecraft:list';
  for (let shift = 0; shift < 16; shift++) {
    list = vanilla(names(400), `${'x'.repeat(shift)} `);
    expect(await presence(), `${shift}`).toEqual({ kind: 'known', names: names(400) });
  }
});

test('[RCON-5] a list may be cut between any bytes, also within a packet', async () => {
  const { game, presence, clock } = await pair();
  game.show(...crowd(80));
  for (let cut = 1; cut < 4_200; cut += 131) {
    game.pace((packets, socket) => {
      const bytes = Buffer.concat(packets);
      socket.write(bytes.subarray(0, cut));
      clock.after(2_000, () => void socket.write(bytes.subarray(cut)));
    });
    expect(await presence(), `${cut}`).toMatchObject({ kind: 'known', names: names(80) });
  }
});

const COLOURED = names(400).map((each) => `§f${each}§r`);

test.each([
  ['§', vanilla(COLOURED, '§6').replace('400', '§c400§6')],
  ['colours of a terminal', vanilla(names(400).map((each) => `\u001b[33m${each}\u001b[0m`))],
  ['CR LF', `There are 400/500 players online:\r\n${names(400).join(', ')}\r\nHave a nice day\r\n`],
])('[RCON-13] a slow list is read to its end with %s', async (_, list) => {
  const { game, presence, clock } = await pair();
  game.pace(2_000, clock);
  game.reply((command) => (isList(command) ? list : undefined));
  expect(await presence()).toEqual({ kind: 'known', names: names(400) });
});

test.each<readonly [string, number, number, readonly Dialect[]]>([
  ['x', 10_000, 2_000, []],
  ['ä', 9_000, 2_000, []],
  ['x', 8_192, 2_000, []],
  ['x', 7_000, 2_000, ['pieces-of-2048']],
  ['x', 4_096, 300, ['pieces-of-2048']],
])(
  '[RCON-10] a reply of %j, %i times, whose packets come %i ms apart, is read whole: %j',
  async (character, count, gapMs, dialects) => {
    const text = character.repeat(count);
    const { game, run, clock } = await pair({}, ...dialects);
    game.pace(gapMs, clock);
    game.reply((command) => (command === 'tell' ? text : undefined));
    expect(await run('tell')).toEqual({ kind: 'delivered', reply: text });
    expect(await run('say next')).toEqual({ kind: 'delivered', reply: '' });
    expect(game.connections()).toBe(1);
  },
);

test('[RCON-10] after a packet that is not full, a reply is not waited for any longer', async () => {
  const { game, server, soon, clock } = await pair();
  game.reply((command) => (command === 'tell' ? 'x'.repeat(4_095) : undefined));
  await soon(server.ready());
  const running = server.run('tell');
  await until(() => game.ran.length === 1);
  await arrived();
  clock.advance(249);
  expect(await isSettled(running)).toBe(false);
  clock.advance(1);
  expect(await running).toMatchObject({ kind: 'delivered' });
});

test('[RCON-10] a reply whose next packet never comes is judged by what came, when the time limit is over', async () => {
  const { game, server, soon, clock } = await pair();
  game.pace((packets, socket) => void socket.write(packets[0] ?? ''));
  game.reply((command) => (command === 'tell' ? `Unknown item${' '.repeat(9_000)}` : undefined));
  await soon(server.ready());
  const running = server.run('tell');
  await until(() => game.ran.length === 1);
  await arrived();
  clock.advance(9_999);
  expect(await isSettled(running)).toBe(false);
  clock.advance(1);
  expect(await running).toMatchObject({
    kind: 'delivered',
    reply: expect.stringMatching(/^Unknown item +$/),
  });
});

test('a list that never adds up is given up at the time limit, and the players are asked for by name', async () => {
  const { game, presence, clock } = await pair();
  game.show(...crowd(400));
  game.pace((packets, socket) => void socket.write(packets[0] ?? ''));
  const before = clock.monotonic();
  expect(await presence(name(7), 'Ann')).toEqual({ kind: 'asked', names: [name(7)] });
  expect(clock.monotonic() - before).toBeLessThan(12_000);
});

test.each([
  ['stalls in a packet', 'timeout', 99, false],
  ['closes after a full packet', 'closed', 0, true],
  ['closes in a packet', 'closed', 99, true],
])(
  'through a proxy that %s, nobody is known to be online, and a command is unknown: %s',
  async (_, reason, more, isEnd) => {
    const { game, run, presence, clock } = await pair();
    game.show(...crowd(400));
    game.pace(([first = expect.fail(), second], socket) => {
      socket.write(first);
      if (second === undefined) return;
      socket.write(second.subarray(0, more));
      if (isEnd) socket.end();
    });
    expect(await presence('Ann')).toEqual({ kind: 'unreachable', reason });
    clock.advance(60_000);
    game.reply((command) => (command === 'tell' ? 'x'.repeat(9_000) : isList(command) ? 'none' : undefined));
    expect(await run('tell')).toEqual({ kind: 'unknown', reason });
    clock.advance(60_000);
    expect(await run('say next')).toEqual({ kind: 'delivered', reply: '' });
  },
);

test('through a proxy that resets the connection between two packets, nobody is known to be online', async () => {
  const { game, presence, clock } = await pair();
  game.show(...crowd(400));
  game.pace((packets, socket) => {
    socket.write(packets[0] ?? '');
    clock.after(1_000, () => socket.resetAndDestroy());
  });
  expect(await presence('Ann')).toEqual({ kind: 'unreachable', reason: 'closed' });
});

test('a server that closes after each reply may take its time for each packet', async () => {
  const { game, run, presence, clock } = await pair();
  game.show(...crowd(400));
  game.pace((packets, socket) => {
    for (const [index, packet] of packets.entries()) {
      const isLast = index === packets.length - 1;
      clock.after(300 * index, () => void (isLast ? socket.end(packet) : socket.write(packet)));
    }
  });
  game.reply((command) => (command === 'tell' ? 'x'.repeat(9_000) : undefined));
  for (let time = 0; time < 3; time++) {
    expect(await presence('Ann')).toMatchObject({ kind: 'known', names: names(400) });
    expect(await run('tell')).toEqual({ kind: 'delivered', reply: 'x'.repeat(9_000) });
  }
});

test.each<readonly [string, (socket: Socket) => unknown]>([
  ['ignores', () => {}],
  ['closes the connection at', (socket) => socket.end()],
])(
  '[RCON-10] no end mark is asked for: a game server that %s an empty command gets commands alone, and runs every one',
  async (_, chokes) => {
    const { game, run, presence, clock } = await pair();
    const sent: string[] = [];
    game.script(({ type, text }, socket) => {
      sent.push(`${type} ${text}`);
      if (text !== '' && (type === 2 || type === 3)) return false;
      chokes(socket);
      return true;
    });
    game.show(...crowd(400));
    game.pace(300, clock);
    game.reply((command) => (command === 'tell' ? 'x'.repeat(8_192) : undefined));
    for (const command of ['tell', 'say one'])
      expect(await run(command)).toMatchObject({ kind: 'delivered' });
    expect(await presence()).toMatchObject({ kind: 'known' });
    expect(sent.slice(1)).toEqual(['2 list', '2 tell', '2 say one', '2 minecraft:list uuids']);
  },
);
