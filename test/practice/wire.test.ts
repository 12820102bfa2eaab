import { RCON } from 'minecraft-server-util';
import { expect, onTestFinished, test } from 'vitest';
import { encodePacket } from '../../protocol/rcon.ts';
import { fileForRecord, PASSWORD, practiceServer, RawClient, type RawPacket } from '../kit/practice.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming } from '../support/naming.ts';

/** Sends one command and returns the next packet. */
const ask = (raw: RawClient, body: string, id = 2) => {
  raw.send({ id, type: 2, body });
  return raw.next();
};

const bodyLength = (packet: RawPacket | 'closed'): number => (packet === 'closed' ? 0 : packet.body.length);

/** A practice server with this fault, and a client that has logged in. */
async function faulty(fault: string, times?: number, clock?: FakeClock) {
  const server = await practiceServer(clock === undefined ? {} : { clock });
  const raw = await RawClient.loggedIn(server);
  await server.fault(fault, times);
  return { server, raw };
}

/** 100 players with names of 16 characters: `You whisper to <16>: xxxxxxxxxx` for each. */
const LONG_REPLY_CHARACTERS = 100 * 43;
const LONG = 'execute as @a run tell @s xxxxxxxxxx';
async function withLongReply(fault?: string) {
  const server = await practiceServer();
  for (let n = 0; n < 100; n++) await server.join(`Player_${String(n).padStart(9, '0')}`);
  if (fault !== undefined) await server.fault(fault);
  return { server, raw: await RawClient.loggedIn(server) };
}

test('without faults the practice server behaves like vanilla accepts the password with the request’s ID and type 2, and answers a command with the request’s ID and type 0', async () => {
  const raw = await RawClient.open(await practiceServer());
  raw.send({ id: 5, type: 3, body: PASSWORD });
  expect(await raw.next()).toEqual({ id: 5, type: 2, body: '' });
  const body = 'There are 0 of a max of 20 players online: ';
  expect(await ask(raw, 'list', 6)).toEqual({ id: 6, type: 0, body });
  raw.send({ id: 3, type: 200, body: '' });
  expect(await raw.next()).toEqual({ id: 3, type: 0, body: 'Unknown request c8' });
});

test('without faults the practice server behaves like vanilla answers a wrong password with id -1 and stays open for another try', async () => {
  const server = await practiceServer();
  const raw = await RawClient.open(server);
  raw.send({ id: 5, type: 3, body: 'wrong' });
  expect(await raw.next()).toEqual({ id: -1, type: 2, body: '' });
  expect(await ask(raw, 'say hello')).toEqual({ id: -1, type: 2, body: '' });
  raw.send({ id: 6, type: 3, body: PASSWORD });
  expect(await raw.next()).toEqual({ id: 6, type: 2, body: '' });
  expect(server.ran()).toEqual([]);
});

test('without faults the practice server behaves like vanilla splits a reply every 4,096 characters', async () => {
  const { raw } = await withLongReply();
  const sizes = [bodyLength(await ask(raw, LONG)), bodyLength(await raw.next())];
  expect(sizes).toEqual([4_096, LONG_REPLY_CHARACTERS - 4_096]);
});

test('without faults the practice server behaves like vanilla closes a connection that is not RCON', async () => {
  const raw = await RawClient.open(await practiceServer());
  raw.write(Buffer.from('GET / HTTP/1.1\r\n\r\n'));
  expect(await raw.next()).toBe('closed');
});

test('without faults the practice server behaves like vanilla serves a public RCON client', async () => {
  const server = await practiceServer();
  await server.join('Bob');
  const rcon = new RCON();
  onTestFinished(() => rcon.close());
  await rcon.connect(server.host, server.port);
  await rcon.login(PASSWORD);
  expect(await rcon.execute('give bob diamond 2')).toBe('Gave 2 [Diamond] to Bob');
  expect(JSON.parse(await server.say('practice inventory Bob'))).toEqual({ diamond: 2 });
});

test('its record has every command with its reply, before the reply is sent, after those that the file had already', async () => {
  const file = fileForRecord();
  const clock = new FakeClock('2026-06-01T12:00:00Z');
  for (const player of ['Bob', 'Cid']) {
    const server = await practiceServer({ clock }, file);
    await server.join('Bob');
    await ask(await RawClient.loggedIn(server), `give ${player} diamond 1`);
    expect(server.record().at(-1)).toMatchObject({ command: `give ${player} diamond 1` });
  }
  const time = '2026-06-01T12:00:00.000Z';
  expect((await practiceServer({ clock }, file)).record()).toEqual([
    { time, command: 'give Bob diamond 1', reply: 'Gave 1 [Diamond] to Bob' },
    { time, command: 'give Cid diamond 1', reply: 'No player was found' },
  ]);
});

test('a fault that is switched on, type-2-replies: replies have type 2 and are followed by an empty frame; an unknown type closes the connection', async () => {
  const { raw } = await faulty('type-2-replies');
  expect(await ask(raw, 'list')).toMatchObject({ id: 2, type: 2 });
  expect(await raw.next()).toEqual({ id: 2, type: 2, body: '' });
  raw.send({ id: 3, type: 200, body: '' });
  expect(await raw.next()).toBe('closed');
});

test('a fault that is switched on, pieces-of-2048: replies are split every 2,048 bytes', async () => {
  const { raw } = await withLongReply('pieces-of-2048');
  expect(bodyLength(await ask(raw, LONG))).toBe(2_048);
});

test('a fault that is switched on, one-frame: a reply has any size, an unknown type gets none, and the third request at once is lost', async () => {
  const { server, raw } = await withLongReply('one-frame');
  expect(bodyLength(await ask(raw, LONG))).toBe(LONG_REPLY_CHARACTERS);
  raw.send({ id: 3, type: 200, body: '' });
  expect(await ask(raw, 'say 0', 4)).toMatchObject({ id: 4 });
  raw.send(...[5, 6, 7].map((id) => ({ id, type: 2, body: `say ${id}` })));
  expect([await raw.next(), await raw.next()]).toMatchObject([{ id: 5 }, { id: 6 }]);
  expect(await ask(raw, 'say 8', 8)).toMatchObject({ id: 8 });
  expect(server.ran().slice(1)).toEqual(['say 0', 'say 5', 'say 6', 'say 8']);
});

test('a fault that is switched on, reads-once: one request in one read is served; two in one read or half a request close the connection', async () => {
  const { server, raw } = await faulty('reads-once');
  expect(await ask(raw, 'say 1')).toMatchObject({ id: 2 });
  raw.send({ id: 3, type: 2, body: 'say 2' }, { id: 4, type: 2, body: 'say 3' });
  expect(await raw.next()).toBe('closed');
  const other = await RawClient.loggedIn(server);
  other.write(encodePacket({ id: 2, type: 2, body: 'say 4' }).subarray(0, 10));
  expect(await other.next()).toBe('closed');
  expect(server.ran()).toEqual(['say 1']);
});

test('a fault that is switched on, wrong-password-closes and close-after-login: the connection is closed without an answer, or after it', async () => {
  const { server } = await faulty('wrong-password-closes');
  const wrong = await RawClient.open(server);
  wrong.send({ id: 5, type: 3, body: 'wrong' });
  expect(await wrong.next()).toBe('closed');
  await server.fault('close-after-login');
  const right = await RawClient.open(server);
  right.send({ id: 5, type: 3, body: PASSWORD });
  expect([await right.next(), await right.next()]).toEqual([{ id: 5, type: 2, body: '' }, 'closed']);
});

test.each([
  ['close-before-running', 0],
  ['run-and-close', 1],
])(
  'a fault that is switched on %s: the connection closes without a reply, and %i commands ran',
  async (fault, ran) => {
    const { server, raw } = await faulty(fault);
    expect(await raw.ask('say 1')).toBe('closed');
    expect(server.ran()).toHaveLength(ran);
  },
);

test.each([
  ['silent-without-running', 0],
  ['run-and-silent', 1],
])(
  'a fault that is switched on %s for one command: it gets no reply, %i commands ran, and the next one is answered',
  async (fault, ran) => {
    const { server, raw } = await faulty(fault, 1);
    raw.send({ id: 2, type: 2, body: 'say 1' });
    expect(await ask(raw, 'say 2', 3)).toMatchObject({ id: 3 });
    expect(server.ran()).toHaveLength(ran + 1);
  },
);

test('a fault that is switched on, slow-reply: a command runs at once and is answered 3 s later', async () => {
  const clock = new FakeClock();
  const { server, raw } = await faulty('slow-reply', 1, clock);
  raw.send({ id: 2, type: 2, body: 'say slow' });
  expect(await ask(raw, 'say quick', 3)).toMatchObject({ id: 3 });
  expect(server.ran()).toHaveLength(2);
  clock.advance(2_999);
  expect(await ask(raw, 'say again', 4)).toMatchObject({ id: 4 });
  clock.advance(1);
  expect(await raw.next()).toMatchObject({ id: 2 });
});

test('a fault that is switched on, late-frame: a frame of the previous request is sent first', async () => {
  const { raw } = await faulty('late-frame');
  expect([await ask(raw, 'say 1', 9), await raw.next()]).toMatchObject([{ id: 8 }, { id: 9 }]);
});

test('a fault that is switched on, empty-frame-first: an empty frame with the same ID is sent first', async () => {
  const { raw } = await faulty('empty-frame-first');
  expect([await ask(raw, 'nonsense'), await raw.next()]).toMatchObject([
    { id: 2, body: '' },
    { id: 2, body: expect.stringContaining('Unknown') },
  ]);
});

test('a fault that is switched on, half-reply and garbage-length: half of the reply is sent before the connection closes, or a length of -4', async () => {
  const login = encodePacket({ id: 1, type: 2, body: '' });
  const half = await faulty('half-reply');
  half.raw.send({ id: 2, type: 2, body: 'list' });
  const reply = encodePacket({ id: 2, type: 0, body: 'There are 0 of a max of 20 players online: ' });
  expect((await half.raw.received()).subarray(login.length)).toEqual(reply.subarray(0, reply.length >> 1));
  const { raw } = await faulty('garbage-length');
  raw.send({ id: 2, type: 2, body: 'list' });
  const seen = await raw.received(login.length + 14);
  expect(seen.subarray(login.length).toString('hex')).toBe('fcffffff02000000000000000000');
});

test.each([
  ['two-line-list', 'list', 'There are 1/20 players online:\nBob'],
  ['two-line-list', 'minecraft:list', /^Unknown or incomplete command/],
  ['players-list', 'list', 'Players (1): Bob'],
  ['players-list', 'minecraft:list', /^Unknown or incomplete command/],
  ['translated-list', 'minecraft:list', 'Es sind 1 von maximal 20 Spielern online: Bob'],
  ['miscounted-list', 'minecraft:list', 'There are 2 of a max of 20 players online: Bob'],
  ['reshaped-list', 'list', 'There are 1 out of maximum 20 players online.\ndefault: Bob'],
  ['reshaped-list', 'minecraft:list', 'There are 1 of a max of 20 players online: Bob'],
  ['no-minecraft-names', 'minecraft:give Bob bread', /^Unknown or incomplete command/],
  ['no-execute', 'execute if entity Bob', /^Unknown or incomplete command/],
] as const)('a fault that is switched on %s: %s is answered %s', async (fault, command, body) => {
  const { server, raw } = await faulty(fault);
  await server.join('Bob');
  expect(await raw.ask(command)).toEqual(typeof body === 'string' ? body : expect.stringMatching(body));
});

test('a fault that is switched on applies to as many commands as it was set for, not to the questions that a client asks before it pays, and never after it was cleared', async () => {
  const { server, raw } = await faulty('empty-reply', 2);
  await server.join('Bob');
  for (const question of ['list', 'minecraft:list', 'list uuids', 'minecraft:execute if entity Bob'])
    expect(await raw.ask(question)).not.toBe('');
  const replies = [];
  for (const _ of [1, 2, 3]) replies.push(await raw.ask('give Bob bread 1'));
  expect(replies).toEqual(['', '', 'Gave 1 [Bread] to Bob']);
  expect(await server.fault('empty-reply')).toContain('A command is run, but its reply is empty.');
  expect(await raw.ask('give Bob bread 1')).toBe('');
  expect(await raw.ask('practice faults')).toBe('["empty-reply"]');
  await raw.ask('practice clear');
  expect(await raw.ask('practice faults')).toBe('[]');
  expect(await raw.ask('give Bob bread 1')).toBe('Gave 1 [Bread] to Bob');
  expect(await raw.ask('practice inventory Bob')).toBe('{"bread":5}');
});

test('a fault that is switched on does not affect a client that logged in with the control ID', async () => {
  const server = await practiceServer();
  for (const fault of ['close-after-login', 'close-before-running']) await server.fault(fault);
  const raw = await RawClient.loggedIn(server, 20_563);
  expect(await raw.ask('list')).toMatch(/^There are 0/);
});

test('control over the wire lets players join and leave, shows what they have, and is not recorded', async () => {
  const server = await practiceServer();
  const raw = await RawClient.loggedIn(server);
  const no = (fact: string) => naming(/^No: /, fact);
  await raw.ask('practice join Bob');
  await raw.ask('give Bob bread 2');
  for (const [request, answer] of [
    ['join bob', naming('bob')],
    ['players', naming('"Bob"')],
    ['inventory bob', '{"bread":2}'],
    ['leave Bob', 'Bob left the game'],
    ['leave Bob', no('Bob')],
    ['inventory Cid', no('Cid')],
    ['join "*Ann"', '*Ann joined the game'],
    ['join "two words"', no('"two words"')],
    ['join @a', no('"@a"')],
    ['dance', no('practice join NAME')],
    ['fault nonsense', no('nonsense')],
    ['fault empty-reply for ever', no('practice fault NAME [for N]')],
  ])
    expect(await raw.ask(`practice ${request}`), request as string).toEqual(answer);
  expect(server.ran()).toEqual(['give Bob bread 2']);
});
