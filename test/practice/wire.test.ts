import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { RCON } from 'minecraft-server-util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { encodePacket } from '../../protocol/rcon/packet.ts';
import { CONTROL_REFUSED } from '../../src/practice/control.ts';
import { faults } from '../../src/practice/faults.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming } from '../support/naming.ts';
import { PASSWORD, practice, RawClient, type RawPacket } from '../support/rcon.ts';

const folder = (): string => {
  const made = mkdtempSync(path.join(tmpdir(), 'teller-practice-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
};

/** Sends one command and returns the next packet. */
const ask = (raw: RawClient, body: string, id = 2) => {
  raw.send({ id, type: 2, body });
  return raw.next();
};

const bodyLength = (packet: RawPacket | 'closed'): number => (packet === 'closed' ? 0 : packet.body.length);

describe('without faults the practice server behaves like vanilla', () => {
  it('accepts the password with the request’s ID and type 2, and answers a command with the request’s ID and type 0', async () => {
    const raw = await RawClient.open(await practice());
    raw.send({ id: 5, type: 3, body: PASSWORD });
    expect(await raw.next()).toEqual({ id: 5, type: 2, body: '' });
    expect(await ask(raw, 'list', 6)).toEqual({
      id: 6,
      type: 0,
      body: 'There are 0 of a max of 20 players online: ',
    });
  });

  it('answers a wrong password with id -1 and stays open for another try', async () => {
    const server = await practice();
    const raw = await RawClient.open(server);
    raw.send({ id: 5, type: 3, body: 'wrong' });
    expect(await raw.next()).toEqual({ id: -1, type: 2, body: '' });
    expect(await ask(raw, 'say hello')).toEqual({ id: -1, type: 2, body: '' });
    raw.send({ id: 6, type: 3, body: PASSWORD });
    expect(await raw.next()).toEqual({ id: 6, type: 2, body: '' });
    expect(server.commands()).toEqual([]);
  });

  it('names an unknown request type in its answer', async () => {
    const raw = await RawClient.loggedIn(await practice());
    raw.send({ id: 3, type: 200, body: '' });
    expect(await raw.next()).toEqual({ id: 3, type: 0, body: 'Unknown request c8' });
  });

  it('splits a reply every 4,096 characters', async () => {
    const raw = await RawClient.loggedIn(await practiceWithLongReply());
    raw.send({ id: 2, type: 2, body: 'execute as @a run tell @s xxxxxxxxxx' });
    const sizes = [bodyLength(await raw.next()), bodyLength(await raw.next())];
    expect(sizes).toEqual([4_096, LONG_REPLY_CHARACTERS - 4_096]);
  });

  it('closes a connection that is not RCON', async () => {
    const raw = await RawClient.open(await practice());
    raw.write(Buffer.from('GET / HTTP/1.1\r\n\r\n'));
    expect(await raw.next()).toBe('closed');
  });

  it('creates a new random password each time if none is given', async () => {
    const [one, two] = [
      await practice({ password: undefined as never }),
      await practice({ password: undefined as never }),
    ];
    expect(one.password).toMatch(/^[0-9a-f]{32}$/);
    expect(one.password).not.toBe(two.password);
  });

  it('serves a public RCON client', async () => {
    const server = await practice();
    server.join('Bob');
    const rcon = new RCON();
    onTestFinished(() => rcon.close());
    await rcon.connect(server.host, server.port);
    await rcon.login(PASSWORD);
    expect(await rcon.execute('give bob diamond 2')).toBe('Gave 2 [Diamond] to Bob');
    expect(server.inventory('Bob')).toEqual({ diamond: 2 });
  });
});

/** 100 players with names of 16 characters: `You whisper to <16>: xxxxxxxxxx` for each. */
const LONG_REPLY_CHARACTERS = 100 * 43;
async function practiceWithLongReply() {
  const server = await practice();
  for (let n = 0; n < 100; n++) server.join(`Player_${String(n).padStart(9, '0')}`);
  return server;
}

describe('the record', () => {
  it('has every executed command with its reply, in memory and in the file, before the reply is sent', async () => {
    const logFile = path.join(folder(), 'commands.log');
    const server = await practice({ logFile, clock: new FakeClock('2026-06-01T12:00:00Z') });
    server.join('Bob');
    const raw = await RawClient.loggedIn(server);
    await ask(raw, 'give Bob diamond 1');
    await ask(raw, 'give Cid diamond 1');
    const expected = [
      { time: '2026-06-01T12:00:00.000Z', command: 'give Bob diamond 1', reply: 'Gave 1 [Diamond] to Bob' },
      { time: '2026-06-01T12:00:00.000Z', command: 'give Cid diamond 1', reply: 'No player was found' },
    ];
    expect(server.commands()).toEqual(expected);
    const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(expected);
  });

  it('appends to a file that already has lines', async () => {
    const logFile = path.join(folder(), 'commands.log');
    for (const command of ['say one', 'say two']) {
      const raw = await RawClient.loggedIn(await practice({ logFile }));
      await ask(raw, command);
    }
    expect(readFileSync(logFile, 'utf8').match(/say (?:one|two)/g)).toEqual(['say one', 'say two']);
  });
});

describe('a fault that is switched on', () => {
  it('type-2-replies: replies have type 2 and are followed by an empty frame; an unknown type closes the connection', async () => {
    const server = await practice();
    server.setFault('type-2-replies');
    const raw = await RawClient.loggedIn(server);
    expect(await ask(raw, 'list')).toMatchObject({ id: 2, type: 2 });
    expect(await raw.next()).toEqual({ id: 2, type: 2, body: '' });
    raw.send({ id: 3, type: 200, body: '' });
    expect(await raw.next()).toBe('closed');
  });

  it('pieces-of-2048: replies are split every 2,048 bytes', async () => {
    const server = await practiceWithLongReply();
    server.setFault('pieces-of-2048');
    const raw = await RawClient.loggedIn(server);
    expect(bodyLength(await ask(raw, 'execute as @a run tell @s xxxxxxxxxx'))).toBe(2_048);
  });

  it('one-frame: a reply has any size, an unknown type gets none, and the third request at once is lost', async () => {
    const server = await practiceWithLongReply();
    server.setFault('one-frame');
    const raw = await RawClient.loggedIn(server);
    expect(bodyLength(await ask(raw, 'execute as @a run tell @s xxxxxxxxxx'))).toBe(LONG_REPLY_CHARACTERS);
    raw.send({ id: 3, type: 200, body: '' });
    expect(await ask(raw, 'say 0', 4)).toMatchObject({ id: 4 });
    const three = [5, 6, 7].map((id) => ({ id, type: 2, body: `say ${id}` }));
    raw.send(...three);
    expect([await raw.next(), await raw.next()]).toMatchObject([{ id: 5 }, { id: 6 }]);
    expect(await ask(raw, 'say 8', 8)).toMatchObject({ id: 8 });
    const ran = server.commands().map(({ command }) => command);
    expect(ran.slice(1)).toEqual(['say 0', 'say 5', 'say 6', 'say 8']);
  });

  it('reads-once: one request in one read is served; two in one read or half a request close the connection', async () => {
    const server = await practice();
    server.setFault('reads-once');
    const raw = await RawClient.loggedIn(server);
    expect(await ask(raw, 'say 1')).toMatchObject({ id: 2 });
    raw.send({ id: 3, type: 2, body: 'say 2' }, { id: 4, type: 2, body: 'say 3' });
    expect(await raw.next()).toBe('closed');
    const other = await RawClient.loggedIn(server);
    other.write(encodePacket({ id: 2, type: 2, body: 'say 4' }).subarray(0, 10));
    expect(await other.next()).toBe('closed');
    expect(server.commands().map(({ command }) => command)).toEqual(['say 1']);
  });

  it('wrong-password-closes: a wrong password closes the connection without an answer', async () => {
    const server = await practice();
    server.setFault('wrong-password-closes');
    const raw = await RawClient.open(server);
    raw.send({ id: 5, type: 3, body: 'wrong' });
    expect(await raw.next()).toBe('closed');
  });

  it('close-after-login: the login is accepted, then the connection is closed', async () => {
    const server = await practice();
    server.setFault('close-after-login');
    const raw = await RawClient.open(server);
    raw.send({ id: 5, type: 3, body: PASSWORD });
    expect([await raw.next(), await raw.next()]).toEqual([{ id: 5, type: 2, body: '' }, 'closed']);
  });

  it.each([
    ['close-before-running', 0],
    ['run-and-close', 1],
  ] as const)('%s: the connection closes without a reply, and %i commands ran', async (fault, ran) => {
    const server = await practice();
    server.setFault(fault);
    const raw = await RawClient.loggedIn(server);
    expect(await ask(raw, 'say 1')).toBe('closed');
    expect(server.commands()).toHaveLength(ran);
  });

  it.each([
    ['silent-without-running', 0],
    ['run-and-silent', 1],
  ] as const)(
    '%s for one command: it gets no reply, %i commands ran, and the next one is answered',
    async (fault, ran) => {
      const server = await practice();
      server.setFault(fault, 1);
      const raw = await RawClient.loggedIn(server);
      raw.send({ id: 2, type: 2, body: 'say 1' });
      expect(await ask(raw, 'say 2', 3)).toMatchObject({ id: 3 });
      expect(server.commands()).toHaveLength(ran + 1);
    },
  );

  it('slow-reply: a command runs at once and is answered after the delay', async () => {
    const clock = new FakeClock();
    const server = await practice({ clock, slowReplyMs: 5_000 });
    server.setFault('slow-reply', 1);
    const raw = await RawClient.loggedIn(server);
    raw.send({ id: 2, type: 2, body: 'say slow' });
    expect(await ask(raw, 'say quick', 3)).toMatchObject({ id: 3 });
    expect(server.commands()).toHaveLength(2);
    clock.advance(5_000);
    expect(await raw.next()).toMatchObject({ id: 2 });
  });

  it('late-frame: a frame of the previous request is sent first', async () => {
    const server = await practice();
    server.setFault('late-frame');
    const raw = await RawClient.loggedIn(server);
    expect([await ask(raw, 'say 1', 9), await raw.next()]).toMatchObject([{ id: 8 }, { id: 9 }]);
  });

  it('empty-frame-first: an empty frame with the same ID is sent first', async () => {
    const server = await practice();
    server.setFault('empty-frame-first');
    const raw = await RawClient.loggedIn(server);
    expect([await ask(raw, 'nonsense'), await raw.next()]).toMatchObject([
      { id: 2, body: '' },
      { id: 2, body: expect.stringContaining('Unknown') },
    ]);
  });

  it('half-reply: half of the reply is sent, then the connection is closed', async () => {
    const server = await practice();
    const raw = await RawClient.loggedIn(server);
    server.setFault('half-reply');
    raw.send({ id: 2, type: 2, body: 'list' });
    const reply = encodePacket({ id: 2, type: 0, body: 'There are 0 of a max of 20 players online: ' });
    const login = encodePacket({ id: 1, type: 2, body: '' });
    const seen = await raw.untilClosed();
    expect(seen.subarray(login.length).toString('hex')).toBe(
      reply.subarray(0, reply.length >> 1).toString('hex'),
    );
  });

  it('empty-reply: the command runs, and the reply is empty', async () => {
    const server = await practice();
    server.join('Bob');
    server.setFault('empty-reply');
    const raw = await RawClient.loggedIn(server);
    expect(await ask(raw, 'give Bob bread 1')).toEqual({ id: 2, type: 0, body: '' });
    expect(server.inventory('Bob')).toEqual({ bread: 1 });
  });

  it('garbage-length: the reply announces a length of -4', async () => {
    const server = await practice();
    const raw = await RawClient.loggedIn(server);
    server.setFault('garbage-length');
    raw.send({ id: 2, type: 2, body: 'list' });
    const login = encodePacket({ id: 1, type: 2, body: '' });
    const seen = await raw.received(login.length + 14);
    expect(seen.subarray(login.length).toString('hex')).toBe('fcffffff02000000000000000000');
  });

  it.each([
    ['two-line-list', 'list', 'There are 1/20 players online:\nBob'],
    ['two-line-list', 'minecraft:list', expect.stringMatching(/^Unknown or incomplete command/)],
    ['players-list', 'list', 'Players (1): Bob'],
    ['players-list', 'minecraft:list', expect.stringMatching(/^Unknown or incomplete command/)],
    ['translated-list', 'minecraft:list', 'Es sind 1 von maximal 20 Spielern online: Bob'],
    ['miscounted-list', 'minecraft:list', 'There are 2 of a max of 20 players online: Bob'],
    ['reshaped-list', 'list', 'There are 1 out of maximum 20 players online.\ndefault: Bob'],
    ['reshaped-list', 'minecraft:list', 'There are 1 of a max of 20 players online: Bob'],
    [
      'no-minecraft-names',
      'minecraft:give Bob bread',
      expect.stringMatching(/^Unknown or incomplete command/),
    ],
    ['no-execute', 'execute if entity Bob', expect.stringMatching(/^Unknown or incomplete command/)],
  ] as const)('%s: %s is answered %s', async (fault, command, body) => {
    const server = await practice();
    server.join('Bob');
    server.setFault(fault);
    expect(await ask(await RawClient.loggedIn(server), command)).toMatchObject({ body });
  });

  it('applies the number of times it was set for, and never after it was cleared', async () => {
    const server = await practice();
    const raw = await RawClient.loggedIn(server);
    const isEmpty = async () => (await ask(raw, 'op Bob')) as { body: string };
    server.setFault('empty-reply', 2);
    const bodies = [(await isEmpty()).body, (await isEmpty()).body, (await isEmpty()).body];
    expect(bodies.map((body) => body === '')).toEqual([true, true, false]);
    server.setFault('empty-reply');
    server.clearFaults();
    expect((await isEmpty()).body).not.toBe('');
  });

  it('that is set for a number of times affects commands only, not the queries that a client sends before it pays', async () => {
    const server = await practice();
    const raw = await RawClient.loggedIn(server);
    const bodyOf = async (command: string) => ((await ask(raw, command)) as { body: string }).body;
    server.setFault('empty-reply', 1);
    for (const question of ['list', 'minecraft:list', 'list uuids', 'minecraft:execute if entity Bob'])
      expect(await bodyOf(question)).not.toBe('');
    expect([await bodyOf('op Bob'), await bodyOf('op Bob')]).toEqual(['', 'That player does not exist']);
  });
});

describe('control over the wire', () => {
  const no = (fact: string) => naming(CONTROL_REFUSED, fact);

  it('lets players join and leave, shows what they have, and is not recorded', async () => {
    const server = await practice();
    const raw = await RawClient.loggedIn(server);
    const say = async (command: string) => ((await ask(raw, command)) as { body: string }).body;
    expect(await say('practice join Bob')).toBe('Bob joined the game');
    expect(await say('practice join bob')).toMatch(/\bbob\b/);
    expect(JSON.parse(await say('practice players'))).toMatchObject([{ player: 'Bob' }]);
    await say('give Bob bread 2');
    expect(JSON.parse(await say('practice inventory bob'))).toEqual({ bread: 2 });
    expect(JSON.parse(await say('practice players'))).toMatchObject([{ player: 'Bob' }]);
    expect(await say('practice leave Bob')).toBe('Bob left the game');
    expect(await say('practice leave Bob')).toEqual(no('Bob'));
    expect(await say('practice inventory Cid')).toEqual(no('Cid'));
    expect(await say('practice join "*Ann"')).toBe('*Ann joined the game');
    expect(await say('practice join "two words"')).toEqual(no('"two words"'));
    expect(await say('practice join @a')).toEqual(no('"@a"'));
    expect(await say('practice dance')).toEqual(no('practice join NAME'));
    expect(server.commands().map(({ command }) => command)).toEqual(['give Bob bread 2']);
  });

  it('sets faults permanently or for a number of times, and clears them', async () => {
    const raw = await RawClient.loggedIn(await practice());
    const say = async (command: string) => ((await ask(raw, command)) as { body: string }).body;
    expect(await say('practice fault empty-reply for 1')).toContain(faults['empty-reply']);
    expect([await say('op Bob'), await say('op Bob')]).toEqual(['', 'That player does not exist']);
    expect(await say('practice fault empty-reply')).toContain(faults['empty-reply']);
    expect(JSON.parse(await say('practice faults'))).toEqual(['empty-reply']);
    await say('practice clear');
    expect(JSON.parse(await say('practice faults'))).toEqual([]);
    expect(await say('list')).not.toBe('');
    expect(await say('practice fault nonsense')).toEqual(no('nonsense'));
    expect(await say('practice fault empty-reply for ever')).toEqual(no('practice fault NAME [for N]'));
  });

  it('is not affected by any fault if the client logged in with the control ID', async () => {
    const server = await practice();
    server.setFault('close-after-login');
    server.setFault('close-before-running');
    const raw = await RawClient.open(server);
    raw.send({ id: 20_563, type: 3, body: PASSWORD });
    await raw.next();
    await ask(raw, 'practice clear');
    expect(await ask(raw, 'practice faults')).toMatchObject({ body: '[]' });
    expect(await ask(raw, 'list', 3)).toMatchObject({ id: 3 });
  });
});

it('fails with a code if the port is taken', async () => {
  const { port } = await practice();
  await expect(practice({ port })).rejects.toMatchObject({ code: 'port-in-use' });
});
