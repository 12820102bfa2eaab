import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { encodePacket } from '../../protocol/rcon.ts';
import { arrived, connected, isSettled, until } from '../kit/connected.ts';
import { type Dialect, type RconGame, rconGame } from '../kit/game.ts';

const GAVE = { kind: 'delivered', reply: 'Gave 1 [diamond] to Bob' };

/** A game server with Bob online, and Teller's connection to it. @param settings of its entry. */
async function pair(settings: object = {}, drawn = 0) {
  const game = await rconGame(settings);
  game.show('Bob');
  return { game, ...(await connected(game.entry, drawn)) };
}

const packet = (id: number, body: string, type = 0): Buffer => encodePacket({ id, type, body });

/** A pair whose game server answers commands with these packets, and questions by itself. */
async function answering(
  write: (id: number, socket: Socket, command: string) => unknown,
  settings: object = {},
) {
  const one = await pair(settings);
  one.game.script(({ id, type, text }, socket) => {
    if (type === 3 || text === 'list') return false;
    write(id, socket, text);
    return true;
  });
  return one;
}

test('a command of 1,446 bytes is sent', async () => {
  const { game, run } = await pair();
  game.speak('reads-once');
  expect(await run(`say ${'x'.repeat(1_442)}`)).toMatchObject({ kind: 'delivered' });
});

const DIALECTS: readonly Dialect[] = [
  'type-2-replies',
  'pieces-of-2048',
  'one-frame',
  'reads-once',
  'late-frame',
  'empty-frame-first',
];

test.each([null, ...DIALECTS])(
  'outcomes and long replies are the same in each dialect: %s',
  async (dialect) => {
    const { game, run, presence } = await pair();
    if (dialect !== null) game.speak(dialect);
    expect(await run('give Bob diamond 1')).toEqual(GAVE);
    expect(await run('say hello')).toEqual({ kind: 'delivered', reply: '' });
    expect(await run('give Ann diamond 1')).toEqual({ kind: 'player-offline', reply: 'No player was found' });
    expect(await run('nonsense')).toEqual({ kind: 'refused', reply: expect.stringContaining('Unknown or') });
    for (const reply of ['ä'.repeat(4_500), 'x'.repeat(6_300)]) {
      game.reply((command) => (command === 'tell' ? reply : undefined));
      expect(await run('tell')).toEqual({ kind: 'delivered', reply });
    }
    expect(await presence()).toMatchObject({ kind: 'known', names: ['Bob'] });
    expect(game.ran.filter((command) => command.startsWith('give Bob'))).toHaveLength(1);
  },
);

test('a reply that comes after 9.9 of 10 s counts', async () => {
  const { game, run, clock } = await pair();
  game.reply((command) =>
    command === 'late' ? new Promise((resolve) => clock.after(9_900, () => resolve('done'))) : undefined,
  );
  expect(await run('late')).toEqual({ kind: 'delivered', reply: 'done' });
});

test.each([
  ['run-and-close', 'closed', true],
  ['close', 'closed', false],
  ['half-reply', 'closed', true],
  ['garbage-length', 'bad-reply', true],
  ['run-and-silent', 'timeout', true],
  ['silent', 'timeout', false],
] as const)('[RCON-12] a command that may have run is unknown: %s, %s', async (fault, reason, isRun) => {
  const { game, run } = await pair({ commandTimeout: '1s' });
  await run('say first');
  game.reply(() => fault);
  expect(await run('give Bob diamond 1')).toEqual({ kind: 'unknown', reason });
  expect(game.ran.includes('give Bob diamond 1')).toBe(isRun);
});

test('after a timeout a new connection is used, because the old one may still answer the command', async () => {
  const { game, run, clock } = await pair({ commandTimeout: '1s' });
  game.reply((command) => (game.connections() === 1 && command !== 'list' ? 'silent' : undefined));
  expect(await run('say 1')).toMatchObject({ kind: 'unknown' });
  clock.advance(2_000);
  expect(await run('say 2')).toEqual({ kind: 'delivered', reply: '' });
  expect(game.connections()).toBe(2);
});

test('without an empty reply a command without output is unknown, with its own reason', async () => {
  const { game, run } = await pair({ commandTimeout: '1s' });
  game.speak('no-empty-frames');
  expect(await run('give Bob diamond 1')).toEqual(GAVE);
  expect(await run('say Bob voted')).toEqual({ kind: 'unknown', reason: 'no-frame' });
  expect(game.ran).toContain('say Bob voted');
});

test('with "noReply": "delivered" it is delivered, and other replies are still read on that connection', async () => {
  const { game, run } = await pair({ noReply: 'delivered' });
  game.speak('no-empty-frames');
  expect(await run('say Bob voted')).toEqual({ kind: 'delivered', reply: '' });
  expect(await run('give Bob diamond 1')).toEqual(GAVE);
  expect(game.connections()).toBe(1);
});

test('"noReply": "delivered" waits for a reply that is late, and knows a server that has stopped answering', async () => {
  const late = await pair({ noReply: 'delivered' });
  let write = (): void => {};
  late.game.script(({ id, type, text }, socket) => {
    if (type === 3 || text !== 'give Bob x') write();
    if (type === 3 || text !== 'give Bob x') return false;
    write = () => void socket.write(packet(id, 'Gave x'));
    return true;
  });
  expect(await late.run('give Bob x')).toEqual({ kind: 'delivered', reply: 'Gave x' });

  const stopped = await pair({ commandTimeout: '1s', noReply: 'delivered' });
  await stopped.run('say first');
  stopped.game.reply(() => 'run-and-silent');
  expect(await stopped.run('say Bob voted')).toEqual({ kind: 'unknown', reason: 'timeout' });
});

test('a command that the server does not know is tried once more, on a new connection', async () => {
  const { game, run } = await pair();
  game.fault('unknown-command');
  expect(await run('give Bob diamond 1')).toEqual(GAVE);
  expect([game.ran, game.connections()]).toEqual([['give Bob diamond 1'], 2]);
});

test('a command that the server still does not know is refused, without a new connection for each later vote', async () => {
  const { game, run } = await pair();
  game.fault('unknown-command', 9);
  for (const player of ['Bob', 'Ann', 'Zoe'])
    expect(await run(`crate give ${player}`)).toMatchObject({ kind: 'refused' });
  expect(game.connections()).toBe(2);
});

test('a command is not sent again if the server has stopped before the second try', async () => {
  const { game, run } = await pair({ commandTimeout: '1s' });
  game.reply((command) =>
    game.connections() > 1 ? 'silent' : command === 'list' ? undefined : 'unknown-command',
  );
  expect(await run('crate give Bob')).toEqual({ kind: 'not-sent', reason: 'list-unanswered' });
});

test('a command whose arguments a plugin does not know is refused at once', async () => {
  const { game, run } = await pair();
  game.reply((command) => (command === 'list' ? undefined : '[Crates] Unknown command: gvie'));
  expect(await run('crate gvie Bob')).toMatchObject({ kind: 'refused' });
  expect([game.ran, game.connections()]).toEqual([['crate gvie Bob'], 1]);
});

const WRONG = { password: 'wrong' };
const answersLogin = (answer: (id: number, socket: Socket) => unknown) => (game: RconGame) =>
  game.script(({ id }, socket) => void answer(id, socket));

test.each<readonly [string, (game: RconGame) => unknown, object]>([
  ['wrong-password', () => {}, WRONG],
  ['closed-at-login', (game) => game.speak('wrong-password-closes'), WRONG],
  ['closed-after-login', (game) => game.fault('close-after-login'), {}],
  ['login-timeout', answersLogin(() => {}), { commandTimeout: '1s' }],
  ['not-rcon', answersLogin((_, socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')), {}],
  // Source servers send an empty reply before their verdict.
  [
    'wrong-password',
    answersLogin((id, socket) => socket.write(Buffer.concat([packet(id, ''), packet(-1, '', 2)]))),
    {},
  ],
])('[RCON-8] a login that fails is not-sent, with the reason: %s', async (reason, prepare, settings) => {
  const { game, run } = await pair(settings);
  prepare(game);
  expect(await run('say 1')).toEqual({ kind: 'not-sent', reason });
  expect(game.ran).toEqual([]);
});

test('[RCON-9] a reply has nothing of packets with another ID or type', async () => {
  const { run } = await answering((id, socket) => {
    const packets = [packet(id - 1, 'late'), packet(id + 1, 'early'), packet(id, 'of type 5', 5)];
    socket.write(Buffer.concat([...packets, packet(id, 'right')]));
  });
  for (const command of ['say 1', 'say 2'])
    expect(await run(command)).toEqual({ kind: 'delivered', reply: 'right' });
});

test('[RCON-9] a reply that says that the login is lost makes the command unknown', async () => {
  const { run } = await answering((_, socket) => socket.write(packet(-1, '', 2)));
  expect(await run('say 1')).toEqual({ kind: 'unknown', reason: 'login-lost' });
});

test('[RCON-10] a piece that began to arrive before the wait of 250 ms was over belongs to the reply', async () => {
  let sendRest: (() => void) | null = null;
  const { server, soon, clock } = await answering((id, socket) => {
    const second = packet(id, 'end');
    socket.write(Buffer.concat([packet(id, 'x'.repeat(4_096)), second.subarray(0, 6)]));
    sendRest = () => void socket.write(second.subarray(6));
  });
  await soon(server.ready());
  const running = server.run('say 1');
  await until(() => sendRest !== null);
  await arrived();
  clock.advance(249);
  (sendRest as (() => void) | null)?.();
  await arrived();
  expect(await soon(running)).toEqual({ kind: 'delivered', reply: `${'x'.repeat(4_096)}end` });
});

test.each([
  [3_000, { kind: 'delivered', reply: 'x'.repeat(3_000) }],
  [2_048, { kind: 'unknown', reason: 'closed' }],
])(
  '[RCON-10] a connection that ends after a packet of %i characters may have cut the reply',
  async (size, outcome) => {
    const { run } = await answering((id, socket) => socket.end(packet(id, 'x'.repeat(size))));
    expect(await run('say 1')).toEqual(outcome);
  },
);

test('a reply that never ends makes the command unknown after the timeout', async () => {
  let isOver = false;
  const { clock, run } = await answering(
    (id, socket) => {
      const send = (): void => {
        if (isOver) return;
        socket.write(packet(id, 'x'.repeat(2_048)));
        clock.after(100, send);
      };
      send();
    },
    { commandTimeout: '1s' },
  );
  expect(await run('say 1')).toEqual({ kind: 'unknown', reason: 'timeout' });
  isOver = true;
});

test('[RCON-11] after the first empty reply on a connection, a second packet is waited for, and never again', async () => {
  const { server, soon, clock } = await answering((id, socket) => socket.write(packet(id, '')));
  await soon(server.ready());
  const first = server.run('say 1');
  expect(await isSettled(first)).toBe(false);
  clock.advance(250);
  expect(await first).toEqual({ kind: 'delivered', reply: '' });
  expect(await server.run('say 2')).toEqual({ kind: 'delivered', reply: '' });
});

test('[RCON-7] commands are sent one at a time, in order, over one connection', async () => {
  const seen: string[] = [];
  let inFlight = 0;
  const { game, server, soon } = await answering((id, socket, command) => {
    inFlight += 1;
    seen.push(`${command} ${inFlight}`);
    setImmediate(() => {
      inFlight -= 1;
      socket.write(packet(id, 'ok'));
    });
  });
  await soon(Promise.all(['a', 'b', 'c', 'd'].map((command) => server.run(command))));
  expect(seen).toEqual(['a 1', 'b 1', 'c 1', 'd 1']);
  expect(game.connections()).toBe(1);
});

test('a server that closes after each reply gets a connection for each command', async () => {
  const { game, run, server } = await pair();
  game.script(({ id, type }, socket) => (type === 3 ? false : void socket.end(packet(id, 'ok'))));
  for (const command of ['a', 'b', 'c', 'd'])
    expect(await run(command)).toEqual({ kind: 'delivered', reply: 'ok' });
  expect(server.sendsAtOnce()).toBe(false);
});

test('a command is sent at once only over a connection that is open and has just answered', async () => {
  const { game, server, soon, run, clock } = await pair();
  expect(server.sendsAtOnce()).toBe(false);
  expect(await soon(server.open())).toEqual({ kind: 'open' });
  expect(server.sendsAtOnce()).toBe(false);
  expect(await soon(server.ready())).toEqual({ kind: 'open' });
  expect(server.sendsAtOnce()).toBe(true);
  expect([game.asked.length > 0, game.ran]).toEqual([true, []]);
  clock.advance(60_000);
  expect(server.sendsAtOnce()).toBe(false);
  await run('say hi');
  expect(server.sendsAtOnce()).toBe(true);
  game.fault('run-and-close');
  await run('say bye');
  expect(server.sendsAtOnce()).toBe(false);
});

test('after a failure it connects again up to a tenth later than after 1 s, then 2 s, then 4 s', async () => {
  const { game, server, run, clock } = await pair({}, 0.5);
  game.script((_, socket) => void socket.end());
  expect(await run('say 1')).toEqual({ kind: 'not-sent', reason: 'closed-at-login' });
  for (const [before, restMs] of [1_050, 2_100, 4_200].entries()) {
    expect(await server.open()).toEqual({ kind: 'resting', reason: 'closed-at-login', restMs });
    clock.advance(restMs - 1);
    expect(await server.run('say 1')).toEqual({ kind: 'not-sent', reason: 'closed-at-login' });
    expect(game.connections()).toBe(before + 1);
    clock.advance(1);
    await run('say 1');
    expect(game.connections()).toBe(before + 2);
  }
});

test('a whole reply ends the growth of the pauses', async () => {
  const { game, server, run, clock } = await pair();
  for (const _ of [1, 2]) {
    game.fault('run-and-close');
    expect(await run('say 1')).toEqual({ kind: 'unknown', reason: 'closed' });
    expect(await run('say 2')).toEqual({ kind: 'not-sent', reason: 'between-connections' });
    expect(await server.open()).toMatchObject({ kind: 'resting', restMs: 1_000 });
    clock.advance(1_000);
    expect(await run('say 2')).toMatchObject({ kind: 'delivered' });
  }
});

test('closing while the login is in progress makes its command not-sent', async () => {
  const { game, server } = await pair();
  game.script(() => true);
  const waiting = server.run('say 1');
  await until(() => game.connections() > 0);
  await server.close();
  expect(await waiting).toEqual({ kind: 'not-sent', reason: 'shut-down' });
  expect(await server.presence([])).toEqual({ kind: 'unreachable', reason: 'shut-down' });
  expect(server.sendsAtOnce()).toBe(false);
});
