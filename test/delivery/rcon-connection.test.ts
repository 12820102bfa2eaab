import { getEventListeners, once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { encodePacket } from '../../protocol/rcon/packet.ts';
import { Secret } from '../../src/config/config.ts';
import { openRconConnection } from '../../src/delivery/kinds/rcon/login.ts';
import { notSentReasons } from '../../src/delivery/reasons.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { answer, client, PASSWORD, practice, type RawPacket, scripted } from '../support/rcon.ts';
import { settled } from '../support/settled.ts';

type Reply = (packet: RawPacket, socket: Socket, connection: number) => void;

/** A scripted server that accepts every login and leaves commands to the test. */
const loggingIn = (reply: Reply) =>
  scripted((packet, socket, connection) => {
    if (packet.type === 3) answer(socket, packet.id, '', 2);
    else reply(packet, socket, connection);
  });

/** Lets everything on this machine arrive while the fake clock stands still. */
async function turns(clock: FakeClock): Promise<void> {
  for (let turn = 0; turn < 50; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(0);
  }
}

/** `isOver` becomes true once the promise is fulfilled. */
function ending(promise: Promise<unknown>): { isOver: boolean } {
  const state = { isOver: false };
  void promise.then(() => {
    state.isOver = true;
  });
  return state;
}

describe('a reply', () => {
  it('may arrive one byte at a time', async () => {
    const server = await loggingIn(({ id }, socket) => {
      for (const byte of encodePacket({ id, type: 0, body: 'done' })) socket.write(Buffer.from([byte]));
    });
    expect(await client(server).run('say 1')).toEqual({ kind: 'delivered', reply: 'done' });
  });

  it('does not contain frames of other IDs and other types [RCON-9]', async () => {
    const server = await loggingIn(({ id }, socket) => {
      answer(socket, id - 1, 'late');
      answer(socket, id + 1, 'early');
      answer(socket, id, 'of another type', 5);
      answer(socket, id, 'right');
    });
    const gameServer = client(server);
    expect(await gameServer.run('say 1')).toEqual({ kind: 'delivered', reply: 'right' });
    expect(await gameServer.run('say 2')).toEqual({ kind: 'delivered', reply: 'right' });
  });

  it('contains a piece that began to arrive before the wait was over [RCON-10]', async () => {
    const second = encodePacket({ id: 2, type: 0, body: 'end' });
    const clock = new FakeClock();
    let sendRest = (): void => {};
    const server = await loggingIn(({ id }, socket) => {
      answer(socket, id, 'x'.repeat(4_096));
      socket.write(second.subarray(0, 6));
      sendRest = () => void socket.write(second.subarray(6));
    });
    const running = client(server, { clock, closeWaitMs: 0, quietMs: 20 }).run('say 1');
    await turns(clock);
    clock.advance(60);
    sendRest();
    await turns(clock);
    clock.advance(20);
    const outcome = await settled(running, clock);
    expect(outcome).toEqual({ kind: 'delivered', reply: `${'x'.repeat(4_096)}end` });
  });

  it('is complete when the connection closes, if its last frame is not full', async () => {
    const server = await loggingIn(({ id }, socket) =>
      socket.end(encodePacket({ id, type: 0, body: 'x'.repeat(3_000) })),
    );
    expect(await client(server).run('say 1')).toEqual({ kind: 'delivered', reply: 'x'.repeat(3_000) });
  });

  it.each([2_048, 4_096])(
    'is unknown if the connection ends after a frame of %i characters [RCON-10]',
    async (size) => {
      const server = await loggingIn(({ id }, socket) =>
        socket.end(encodePacket({ id, type: 0, body: 'x'.repeat(size) })),
      );
      expect(await client(server).run('say 1')).toEqual({ kind: 'unknown', reason: 'closed' });
    },
  );

  it('makes the outcome unknown if it never ends', async () => {
    const clock = new FakeClock();
    let sendPiece = (): void => {};
    const server = await loggingIn(({ id }, socket) => {
      sendPiece = () => answer(socket, id, 'x'.repeat(2_048));
    });
    const gameServer = client(server, { clock, commandTimeoutMs: 150, closeWaitMs: 0 });
    const outcome = gameServer.run('say 1');
    const state = ending(outcome);
    while (!state.isOver) {
      await turns(clock);
      sendPiece();
      await turns(clock);
      clock.advance(10);
    }
    expect(await outcome).toEqual({ kind: 'unknown', reason: 'timeout' });
  });

  it('makes the outcome unknown if it says that the connection is not logged in [RCON-9]', async () => {
    const server = await loggingIn((_, socket) => answer(socket, -1, '', 2));
    expect(await client(server).run('say 1')).toEqual({ kind: 'unknown', reason: 'login-lost' });
  });
});

it('after the first empty reply on a connection, the client waits for a second frame [RCON-11]', async () => {
  const clock = new FakeClock();
  const server = await loggingIn(({ id }, socket) => answer(socket, id, ''));
  const gameServer = client(server, { clock, closeWaitMs: 0, quietMs: 300 });
  const first = ending(gameServer.run('say 1'));
  await turns(clock);
  expect(first.isOver).toBe(false);
  clock.advance(300);
  await turns(clock);
  const second = ending(gameServer.run('say 2'));
  await turns(clock);
  expect([first.isOver, second.isOver]).toEqual([true, true]);
});

it('after a timeout the connection is closed, because the server may still be running the command', async () => {
  const clock = new FakeClock();
  const server = await loggingIn(({ id }, socket, connection) => {
    if (connection > 1) answer(socket, id, 'ok');
  });
  const gameServer = client(server, { clock, closeWaitMs: 0, commandTimeoutMs: 5_000 });
  const hanging = gameServer.run('hang');
  await turns(clock);
  clock.advance(5_000);
  await turns(clock);
  clock.advance(1_000);
  expect(await hanging).toEqual({ kind: 'unknown', reason: 'timeout' });
  clock.advance(2_000);
  expect(await settled(gameServer.run('say 1'), clock)).toEqual({ kind: 'delivered', reply: 'ok' });
  expect(server.connections()).toBe(2);
});

describe('a login [RCON-8]', () => {
  it('may be answered by an empty frame of type 0 first, and is still refused if id -1 follows', async () => {
    const server = await scripted(({ id }, socket) => {
      answer(socket, id, '', 0);
      answer(socket, -1, '', 2);
    });
    expect(await client(server).run('say 1')).toEqual({ kind: 'not-sent', reason: 'wrong-password' });
  });

  it('that is never answered is not-sent', async () => {
    const server = await scripted(() => {});
    const gameServer = client(server, { commandTimeoutMs: 100 });
    expect(await gameServer.run('say 1')).toEqual({ kind: 'not-sent', reason: 'login-timeout' });
  });

  it('at a port that speaks something else is not-sent', async () => {
    const server = await scripted((_, socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect(await client(server).run('say 1')).toEqual({ kind: 'not-sent', reason: 'not-rcon' });
  });
});

describe('commands', () => {
  it('are sent one at a time [RCON-7], in order, over one connection', async () => {
    let inFlight = 0;
    const seen: string[] = [];
    const server = await loggingIn(({ id, body }, socket) => {
      inFlight += 1;
      seen.push(`${body} ${inFlight}`);
      setImmediate(() => {
        inFlight -= 1;
        answer(socket, id, 'ok');
      });
    });
    const gameServer = client(server);
    await Promise.all(['a', 'b', 'c', 'd'].map((command) => gameServer.run(command)));
    expect(seen).toEqual(['a 1', 'b 1', 'c 1', 'd 1']);
    expect(server.connections()).toBe(1);
  });

  it('are separated by at least the configured pause', async () => {
    const clock = new FakeClock();
    const server = await loggingIn(({ id }, socket) => answer(socket, id, 'ok'));
    const gameServer = client(server, { clock, commandPauseMs: 500, closeWaitMs: 0 });
    await settled(gameServer.run('a'), clock);
    const second = gameServer.run('b');
    const state = ending(second);
    clock.advance(499);
    await turns(clock);
    expect(state.isOver).toBe(false);
    clock.advance(1);
    expect(await settled(second, clock)).toEqual({ kind: 'delivered', reply: 'ok' });
  });

  it('get a new connection at once if the last one has closed', async () => {
    const ends: Promise<unknown>[] = [];
    const server = await loggingIn(({ id }, socket) => {
      ends.push(once(socket, 'close'));
      socket.end(encodePacket({ id, type: 0, body: 'ok' }));
    });
    const gameServer = client(server);
    expect(await gameServer.run('a')).toEqual({ kind: 'delivered', reply: 'ok' });
    await ends[0];
    expect(await gameServer.run('b')).toEqual({ kind: 'delivered', reply: 'ok' });
    expect(server.connections()).toBe(2);
  });
});

describe('after a failure', () => {
  it('the client backs off, longer each time, and commands are not-sent at once meanwhile', async () => {
    const clock = new FakeClock();
    const random = { next: () => 0, bytes: () => Buffer.alloc(0) };
    const server = await scripted((_, socket) => socket.end());
    const gameServer = client(server, { clock, random });
    const tries: number[] = [];
    for (const ms of [0, 999, 1, 1_999, 1, 3_999, 1]) {
      clock.advance(ms);
      expect(await gameServer.run('say 1')).toEqual({ kind: 'not-sent', reason: 'closed-at-login' });
      tries.push(server.connections());
    }
    expect(tries).toEqual([1, 1, 2, 2, 3, 3, 4]);
  });

  it('the backoff has random jitter, so that many clients do not reconnect at the same moment', async () => {
    const clock = new FakeClock();
    const random = { next: () => 0.5, bytes: () => Buffer.alloc(0) };
    const server = await scripted((_, socket) => socket.end());
    const gameServer = client(server, { clock, random });
    await gameServer.run('say 1');
    clock.advance(1_049);
    await gameServer.run('say 1');
    expect(server.connections()).toBe(1);
    clock.advance(1);
    await gameServer.run('say 1');
    expect(server.connections()).toBe(2);
  });

  it('a complete reply resets the backoff', async () => {
    const clock = new FakeClock();
    const random = { next: () => 0, bytes: () => Buffer.alloc(0) };
    const server = await loggingIn(({ id, body }, socket) => {
      if (body === 'die') socket.destroy();
      else answer(socket, id, 'ok');
    });
    const gameServer = client(server, { clock, random, closeWaitMs: 0 });
    const run = (command: string) => settled(gameServer.run(command), clock);
    expect(await run('die')).toEqual({ kind: 'unknown', reason: 'closed' });
    expect(await run('say 1')).toEqual({ kind: 'not-sent', reason: 'between-connections' });
    clock.advance(1_000);
    expect(await run('die')).toEqual({ kind: 'unknown', reason: 'closed' });
    clock.advance(2_000);
    expect(await run('say 1')).toEqual({ kind: 'delivered', reply: 'ok' });
    expect(await run('die')).toEqual({ kind: 'unknown', reason: 'closed' });
    clock.advance(1_000);
    expect(await run('say 1')).toEqual({ kind: 'delivered', reply: 'ok' });
  });
});

it('a host name that cannot be resolved is reported with its own reason', async () => {
  const gameServer = client({ host: 'game.invalid', port: 25575 });
  expect(await gameServer.run('say 1')).toEqual({ kind: 'not-sent', reason: 'host-unknown' });
});

it('connections leave no listener on their abort signal', async () => {
  const server = await loggingIn(({ id }, socket) => answer(socket, id, 'ok'));
  const { host, port } = server;
  const password = new Secret(PASSWORD);
  const target = { host, port, password, commandTimeoutMs: 2_000, closeWaitMs: 0, clock: systemClock };
  const { signal } = new AbortController();
  for (let n = 0; n < 12; n++) {
    const opened = await openRconConnection(target, signal);
    if (opened.kind === 'failed') throw new Error(opened.reason);
    expect(getEventListeners(signal, 'abort').length).toBeLessThanOrEqual(1);
    opened.connection.close();
    await opened.connection.endsSoon();
  }
  await expect.poll(() => getEventListeners(signal, 'abort')).toEqual([]);
});

describe('close', () => {
  it('makes the command in flight unknown, and the commands after it not-sent', async () => {
    const server = await practice();
    server.setFault('run-and-silent');
    const gameServer = client(server);
    const [inFlight, behind] = [gameServer.run('say 1'), gameServer.run('say 2')];
    while (server.commands().length === 0) await new Promise((resolve) => setImmediate(resolve));
    await gameServer.close();
    expect(await inFlight).toEqual({ kind: 'unknown', reason: 'shut-down' });
    expect(await behind).toEqual({ kind: 'not-sent', reason: 'shut-down' });
    expect(await gameServer.run('say 3')).toEqual({ kind: 'not-sent', reason: 'shut-down' });
    expect(await gameServer.presence([])).toEqual({ kind: 'unreachable', reason: 'shut-down' });
    expect(server.commands().map(({ command }) => command)).toEqual(['say 1']);
  });

  it('makes a command not-sent if the login is still in progress', async () => {
    const server = await scripted(() => {});
    const gameServer = client(server);
    const waiting = gameServer.run('say 1');
    while (server.connections() === 0) await new Promise((resolve) => setImmediate(resolve));
    await gameServer.close();
    expect(await waiting).toEqual({ kind: 'not-sent', reason: 'shut-down' });
  });
});

it('the reason for a refused password names the config key to compare it with', () => {
  expect(notSentReasons['wrong-password']).toMatch(/rcon\.password/);
});
