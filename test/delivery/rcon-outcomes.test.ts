import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/config/config.ts';
import type { FaultName } from '../../src/practice/faults.ts';
import { answer, client, practice, scripted } from '../support/rcon.ts';

/** A practice server with Bob online, and a client for it. */
async function pair(fault: FaultName | null = null, settings: Parameters<typeof client>[1] = {}) {
  const server = await practice({ slowReplyMs: 20 });
  server.join('Bob');
  if (fault !== null) server.setFault(fault);
  const ran = () => server.commands().map(({ command }) => command);
  return { server, ran, gameServer: client(server, settings) };
}

describe('a command on a vanilla server', () => {
  it('is delivered, with its reply', async () => {
    const { gameServer, server } = await pair();
    expect(await gameServer.run('give Bob diamond 1')).toEqual({
      kind: 'delivered',
      reply: 'Gave 1 [Diamond] to Bob',
    });
    expect(server.inventory('Bob')).toEqual({ diamond: 1 });
  });

  it('is delivered with an empty reply', async () => {
    const { gameServer, ran } = await pair();
    expect(await gameServer.run('say Bob voted')).toEqual({ kind: 'delivered', reply: '' });
    expect(ran()).toEqual(['say Bob voted']);
  });

  it('is refused if the server does not know it', async () => {
    const { gameServer } = await pair();
    expect(await gameServer.run('crate give Bob')).toMatchObject({ kind: 'refused' });
    expect(await gameServer.run('give Bob diamnod 1')).toMatchObject({ kind: 'refused' });
  });

  it('waits for a player who is offline', async () => {
    const { gameServer } = await pair();
    expect(await gameServer.run('give Ann diamond 1')).toEqual({
      kind: 'player-offline',
      reply: 'No player was found',
    });
  });

  it('with a test before it runs for those who pass, and looks delivered for the others', async () => {
    const { gameServer, server } = await pair();
    server.join('*Ann');
    for (const command of ['tag Bob add vip', 'tag *Ann add vip']) await gameServer.run(command);
    const run = (test: string, item: string) =>
      gameServer.run(`execute ${test} run give ${test.includes('Ann') ? '"*Ann"' : 'Bob'} ${item} 1`);
    expect(await run('if entity @a[name=Bob,tag=vip]', 'diamond')).toMatchObject({
      reply: 'Gave 1 [Diamond] to Bob',
    });
    expect(await run('if entity @a[name="*Ann",tag=vip]', 'diamond')).toMatchObject({
      reply: 'Gave 1 [Diamond] to *Ann',
    });
    expect(await run('unless entity @a[name=Bob,tag=vip]', 'dirt')).toEqual({ kind: 'delivered', reply: '' });
    expect(await run('if entity @a[name=Bob,scores={mined=5..}]', 'dirt')).toEqual({
      kind: 'delivered',
      reply: '',
    });
    expect(await run('in the_nether if entity @a[name=Bob,distance=0..]', 'dirt')).toEqual({
      kind: 'delivered',
      reply: '',
    });
    expect(server.inventory('Bob')).toEqual({ diamond: 1 });
  });

  it("is judged by the operator's patterns as well", async () => {
    const { gameServer } = await pair(null, { refusedReplies: [/^Gave .*\[Bread\]/] });
    expect(await gameServer.run('give Bob bread 1')).toMatchObject({ kind: 'refused' });
  });

  it.each([
    ['command-too-long', `say ${'x'.repeat(1_443)}`],
    ['command-not-one-line', 'say a\nop evil'],
  ])('is refused before it is sent: %s', async (code, command) => {
    const { gameServer, ran } = await pair();
    const outcome = await gameServer.run(command);
    expect(outcome).toEqual({ kind: 'refused', reply: null, reason: code });
    await gameServer.run('say after');
    expect(ran()).toEqual(['say after']);
  });

  it('of 1,446 bytes is sent', async () => {
    const { gameServer } = await pair('reads-once');
    expect(await gameServer.run(`say ${'x'.repeat(1_442)}`)).toMatchObject({ kind: 'delivered' });
  });
});

describe('outcomes and long replies are the same in every dialect', () => {
  const dialects = [
    null,
    'type-2-replies',
    'pieces-of-2048',
    'one-frame',
    'reads-once',
    'late-frame',
    'empty-frame-first',
    'slow-reply',
  ] as const;

  it.each(dialects)('%s', async (dialect) => {
    const { gameServer, server, ran } = await pair(dialect);
    expect(await gameServer.run('give Bob diamond 1')).toEqual({
      kind: 'delivered',
      reply: 'Gave 1 [Diamond] to Bob',
    });
    expect(await gameServer.run('say hello')).toEqual({ kind: 'delivered', reply: '' });
    expect(await gameServer.run('give Ann diamond 1')).toMatchObject({ kind: 'player-offline' });
    expect(await gameServer.run('nonsense')).toMatchObject({ kind: 'refused' });
    for (const message of ['ä'.repeat(700), 'x'.repeat(1_000)]) {
      for (let n = server.players().length; n < 6; n++) server.join(`Player${n}`);
      const reply = server
        .players()
        .map((name) => `You whisper to ${name}: ${message}`)
        .join('');
      expect(await gameServer.run(`execute as @a run tell @s ${message}`)).toEqual({
        kind: 'delivered',
        reply,
      });
    }
    expect(await gameServer.presence([])).toMatchObject({ kind: 'known' });
    expect(ran().filter((command) => command.startsWith('give'))).toHaveLength(2);
  });
});

describe('a reply that fills its pieces exactly has no end mark, but is read completely [RCON-10]', () => {
  it.each([
    [null, 4_096],
    [null, 8_192],
    ['pieces-of-2048', 2_048],
    ['one-frame', 4_096],
  ] as const)('%s, %i characters', async (dialect, characters) => {
    const { gameServer, server } = await pair(dialect);
    for (let n = 1; n < characters / 1_024; n++) server.join(`B0${n}`);
    const message = 'm'.repeat(1_024 - 'You whisper to Bob: '.length);
    const outcome = await gameServer.run(`execute as @a run tell @s ${message}`);
    expect(outcome).toMatchObject({ kind: 'delivered' });
    expect(outcome.kind === 'delivered' && outcome.reply.length).toBe(characters);
  });
});

describe('a command that may have run without a complete reply is unknown [RCON-12]', () => {
  it.each([
    ['run-and-close', 'closed', true],
    ['close-before-running', 'closed', false],
    ['half-reply', 'closed', true],
    ['garbage-length', 'bad-reply', true],
    ['run-and-silent', 'timeout', true],
    ['silent-without-running', 'timeout', false],
  ] as const)('%s: %s', async (fault, reason, isRun) => {
    const { gameServer, server, ran } = await pair(null, { commandTimeoutMs: 150 });
    await gameServer.run('say first');
    server.setFault(fault);
    expect(await gameServer.run('give Bob diamond 1')).toEqual({ kind: 'unknown', reason });
    expect(ran().includes('give Bob diamond 1')).toBe(isRun);
  });
});

describe('a server that sends no frame for a command without output', () => {
  it('makes such a command unknown, with its own reason', async () => {
    const { gameServer, ran } = await pair('no-empty-frames', { commandTimeoutMs: 150 });
    expect(await gameServer.run('give Bob diamond 1')).toMatchObject({ kind: 'delivered' });
    expect(await gameServer.run('say Bob voted')).toEqual({ kind: 'unknown', reason: 'no-frame' });
    expect(ran()).toContain('say Bob voted');
  });

  it('makes it delivered if the config says so, on the same connection, and its other replies are still read', async () => {
    const { gameServer, server } = await pair('no-empty-frames', { noReply: 'delivered' });
    expect(await gameServer.run('say Bob voted')).toEqual({ kind: 'delivered', reply: '' });
    expect(await gameServer.run('give Bob diamond 1')).toMatchObject({ reply: 'Gave 1 [Diamond] to Bob' });
    expect(server.inventory('Bob')).toEqual({ diamond: 1 });
  });

  it('is distinguished from a server whose reply is only late', async () => {
    const late: { write: () => void } = { write: () => {} };
    const at = await scripted(({ id, type, body }, socket) => {
      if (type === 3) answer(socket, id, '', 2);
      else if (body === 'list') {
        late.write();
        answer(socket, id, 'There are 0 of a max of 20 players online:');
      } else late.write = () => answer(socket, id, `Gave ${'x'.repeat(2_000)}`);
    });
    const gameServer = client(at, { noReply: 'delivered' });
    expect(await gameServer.run('give Bob x')).toEqual({
      kind: 'delivered',
      reply: `Gave ${'x'.repeat(2_000)}`,
    });
  });

  it('is distinguished from a server that has stopped answering', async () => {
    const { gameServer, server } = await pair(null, { commandTimeoutMs: 150, noReply: 'delivered' });
    await gameServer.run('say first');
    server.setFault('run-and-silent');
    expect(await gameServer.run('say Bob voted')).toEqual({ kind: 'unknown', reason: 'timeout' });
  });
});

describe('a command that the server itself does not know has not run', () => {
  it('is retried once on a new connection, and delivered if the server knows it then', async () => {
    const { gameServer, server, ran } = await pair();
    server.setFault('unknown-command', 1);
    expect(await gameServer.run('give Bob diamond 1')).toMatchObject({ kind: 'delivered' });
    expect(ran()).toEqual(['give Bob diamond 1']);
  });

  it('is refused if the server still does not know it, without a new connection for each later vote', async () => {
    const at = await scripted(({ id, type, body }, socket) => {
      if (type === 3) answer(socket, id, '', 2);
      else
        answer(
          socket,
          id,
          body === 'list' ? 'There are 0 of a max of 20 players online:' : 'Unknown command',
        );
    });
    const gameServer = client(at, { provenForMs: 10_000 });
    for (const player of ['Bob', 'Ann', 'Zoe']) {
      expect(await gameServer.run(`crate give ${player}`)).toEqual({
        kind: 'refused',
        reply: 'Unknown command',
      });
    }
    expect(at.connections()).toBe(2);
  });

  it('is not-sent if the server stops before the retry, so that it is tried later', async () => {
    const at = await scripted(({ id, type, body }, socket, connection) => {
      if (type === 3) answer(socket, id, '', 2);
      else if (connection === 1) answer(socket, id, body === 'list' ? 'Players (0):' : 'Unknown command');
    });
    const gameServer = client(at, { provenForMs: 10_000, commandTimeoutMs: 150 });
    expect(await gameServer.run('crate give Bob')).toEqual({ kind: 'not-sent', reason: 'list-unanswered' });
  });

  it('is refused at once if a plugin knows the command but not its arguments', async () => {
    let commands = 0;
    const at = await scripted(({ id, type }, socket) => {
      if (type === 3) answer(socket, id, '', 2);
      else answer(socket, id, `[Crates] Unknown command #${++commands}: gvie`.replace(/ #\d+/, ''));
    });
    expect(await client(at).run('crate gvie Bob')).toMatchObject({ kind: 'refused' });
    expect([commands, at.connections()]).toEqual([1, 1]);
  });
});

describe('a command that certainly never ran is not-sent, with the reason', () => {
  it('wrong-password, if the server says so', async () => {
    const { gameServer } = await pair(null, { password: new Secret('wrong') });
    expect(await gameServer.run('say 1')).toEqual({ kind: 'not-sent', reason: 'wrong-password' });
  });

  it('closed-at-login, if it closes instead [RCON-8]', async () => {
    const { gameServer } = await pair('wrong-password-closes', { password: new Secret('wrong') });
    expect(await gameServer.run('say 1')).toEqual({ kind: 'not-sent', reason: 'closed-at-login' });
  });

  it('closed-after-login: the close is seen before anything is sent [RCON-8]', async () => {
    const { gameServer, server, ran } = await pair('close-after-login', { closeWaitMs: 200 });
    expect(await gameServer.run('say 1')).toEqual({ kind: 'not-sent', reason: 'closed-after-login' });
    server.clearFaults();
    expect(ran()).toEqual([]);
  });

  it('unreachable', async () => {
    const server = await practice();
    await server.close();
    expect(await client(server).run('say 1')).toEqual({ kind: 'not-sent', reason: 'unreachable' });
  });
});
