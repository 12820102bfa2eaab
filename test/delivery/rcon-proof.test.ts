import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { encodePacket } from '../../protocol/rcon/packet.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { answer, client, type RawPacket, scripted } from '../support/rcon.ts';
import { settled } from '../support/settled.ts';

const PROVEN = { provenForMs: 10_000 };

/** A server that accepts every login. The test answers the commands, and reads which one came on which connection. */
async function server(reply: (packet: RawPacket, socket: Socket, connection: number) => void) {
  const heard: string[] = [];
  const at = await scripted((packet, socket, connection) => {
    if (packet.type === 3) {
      answer(socket, packet.id, '', 2);
      return;
    }
    heard.push(`${connection}: ${packet.body}`);
    reply(packet, socket, connection);
  });
  return { at, heard };
}

const answers = ({ id }: RawPacket, socket: Socket): void => answer(socket, id, 'ok');
/** Sends the reply and the end of the connection together. */
const answersAndCloses = ({ id }: RawPacket, socket: Socket): void => {
  socket.end(encodePacket({ id, type: 0, body: 'ok' }));
};

describe('before the first command of a new connection', () => {
  it('`list` is sent, and has to be answered', async () => {
    const { at, heard } = await server(answers);
    const gameServer = client(at, PROVEN);
    expect(await gameServer.ready()).toEqual({ kind: 'open' });
    expect(await gameServer.run('say 1')).toMatchObject({ kind: 'delivered' });
    expect(await gameServer.run('say 2')).toMatchObject({ kind: 'delivered' });
    expect(heard).toEqual(['1: list', '1: say 1', '1: say 2']);
  });

  it('a query for who is online is enough', async () => {
    const { at, heard } = await server(({ id }, socket) =>
      answer(socket, id, 'There are 0 of a max of 20 players online: '),
    );
    const gameServer = client(at, PROVEN);
    await gameServer.presence([]);
    await gameServer.run('say 1');
    expect(heard.map((line) => line.replace(/\S*list.*/, 'list'))).toEqual(['1: list', '1: say 1']);
  });

  it.each([
    ['closes', (_: RawPacket, socket: Socket) => socket.destroy()],
    ['says nothing', () => {}],
  ])('a server that %s after list gets no command', async (_, misbehaves) => {
    const { at, heard } = await server(misbehaves);
    const clock = new FakeClock();
    const gameServer = client(at, { ...PROVEN, clock, commandTimeoutMs: 100, closeWaitMs: 0 });
    const ready = gameServer.ready();
    await expect
      .poll(() => {
        clock.advance(0);
        return heard;
      })
      .toEqual(['1: list']);
    clock.advance(100);
    expect(await settled(ready, clock)).toMatchObject({ kind: 'resting', reason: 'list-unanswered' });
    expect(await settled(gameServer.run('say 1'), clock)).toMatchObject({ kind: 'not-sent' });
    expect(heard).toEqual(['1: list']);
  });
});

it('`list` is sent before a command only if the connection was idle for 10 s', async () => {
  const clock = new FakeClock();
  const { at, heard } = await server(answers);
  const gameServer = client(at, { ...PROVEN, clock, closeWaitMs: 0 });
  for (const [command, idleMs] of [
    ['say 1', 9_999],
    ['say 2', 10_000],
    ['say 3', 0],
  ] as const) {
    await settled(gameServer.run(command), clock);
    clock.advance(idleMs);
  }
  expect(heard).toEqual(['1: list', '1: say 1', '1: say 2', '1: list', '1: say 3']);
});

it.each([
  ['a proxy swallowed an idle connection', (clock: FakeClock) => clock.advance(30_000)],
  [
    'the machine slept while hardly any monotonic time passed',
    (clock: FakeClock) => clock.jump(8 * 3_600_000),
  ],
])('if %s, `list` is sent first and the command then goes out on a new connection', async (_, pass) => {
  const clock = new FakeClock();
  let isDead = false;
  const { at, heard } = await server((packet, socket, connection) => {
    if (connection === 1 && isDead) socket.destroy();
    else answers(packet, socket);
  });
  const gameServer = client(at, { ...PROVEN, clock, closeWaitMs: 0 });
  await settled(gameServer.run('say 1'), clock);
  pass(clock);
  isDead = true;
  expect(await settled(gameServer.run('say 2'), clock)).toMatchObject({ kind: 'delivered' });
  expect(heard).toEqual(['1: list', '1: say 1', '1: list', '2: list', '2: say 2']);
});

describe('with a pause of a minute between commands', () => {
  const PAUSE_MS = 60_000;
  const pausingServer = async () => {
    const clock = new FakeClock();
    const { at, heard } = await server(({ id }, socket) => {
      heard.push(`at ${clock.monotonic()}`);
      answer(socket, id, 'There are 1 of a max of 20 players online: Steve');
    });
    const gameServer = client(at, { ...PROVEN, clock, commandPauseMs: PAUSE_MS, closeWaitMs: 0 });
    return { clock, heard, gameServer };
  };
  /** Like `settled`, while time passes whenever everything on this machine has arrived. */
  const passing = async <T>(promise: Promise<T>, clock: FakeClock): Promise<T> => {
    let isSettled = false;
    const marked = promise.finally(() => (isSettled = true));
    while (!isSettled) {
      for (let turn = 0; turn < 20; turn++) {
        await new Promise((resolve) => setImmediate(resolve));
        clock.advance(0);
      }
      clock.advance(isSettled ? 0 : 100);
    }
    return marked;
  };

  it('ready() waits for its end, so that the command is sent as soon as it is claimed', async () => {
    const { clock, gameServer } = await pausingServer();
    await passing(gameServer.run('say 1'), clock);
    await passing(gameServer.ready(), clock);
    const readyAt = clock.monotonic();
    expect(readyAt).toBeGreaterThanOrEqual(PAUSE_MS);
    await settled(gameServer.run('say 2'), clock);
    expect(clock.monotonic()).toBe(readyAt);
  });

  it('the answer about who is online and the check of the connection are fresh when a command is sent', async () => {
    const { clock, gameServer } = await pausingServer();
    await passing(gameServer.run('say 1'), clock);
    await passing(gameServer.open(), clock);
    expect(clock.monotonic()).toBeGreaterThanOrEqual(PAUSE_MS);
    await passing(gameServer.presence([]), clock);
    const askedAt = clock.monotonic();
    await passing(gameServer.ready(), clock);
    await passing(gameServer.run('say 2'), clock);
    expect(clock.monotonic() - askedAt).toBeLessThan(1_000);
  });
});

it('a server that closes after each reply gets each command on a new connection, and no command is held', async () => {
  const { at, heard } = await server(answersAndCloses);
  const gameServer = client(at, PROVEN);
  for (const command of ['say 1', 'say 2', 'say 3']) {
    expect(await gameServer.ready()).toEqual({ kind: 'open' });
    expect(await gameServer.run(command)).toEqual({ kind: 'delivered', reply: 'ok' });
  }
  expect(heard).toEqual(['1: list', '2: list', '3: say 1', '4: say 2', '5: say 3']);
});

it('a server that closed only one connection after a reply gets all further commands on the second', async () => {
  const { at, heard } = await server((packet, socket, connection) =>
    connection === 1 ? answersAndCloses(packet, socket) : answers(packet, socket),
  );
  const gameServer = client(at, PROVEN);
  for (const command of ['say 1', 'say 2']) await gameServer.run(command);
  expect(heard).toEqual(['1: list', '2: list', '2: say 1', '2: say 2']);
});

describe('a login that is refused late', () => {
  it('150 ms after an empty packet, as on Source servers, means a wrong password', async () => {
    const clock = new FakeClock();
    let refuse: (() => void) | null = null;
    const at = await scripted(({ id, type }, socket) => {
      if (type !== 3) return;
      answer(socket, id, '', 0);
      refuse = () => answer(socket, -1, '', 2);
    });
    const ready = client(at, { ...PROVEN, clock }).ready();
    await expect.poll(() => refuse).not.toBeNull();
    clock.advance(150);
    refuse!();
    expect(await settled(ready, clock)).toMatchObject({ reason: 'wrong-password' });
  });

  it('after it seemed to be accepted means a wrong password, and no command is sent', async () => {
    const heard: string[] = [];
    const at = await scripted(({ id, type, body }, socket) => {
      heard.push(type === 3 ? 'login' : body);
      answer(socket, type === 3 ? id : -1, '', 2);
    });
    const gameServer = client(at, PROVEN);
    expect(await gameServer.ready()).toMatchObject({ kind: 'resting', reason: 'wrong-password' });
    expect(await gameServer.run('say 1')).toEqual({ kind: 'not-sent', reason: 'wrong-password' });
    expect(heard).toEqual(['login', 'list']);
  });

  it('is also reported by a query for who is online', async () => {
    const at = await scripted(({ id, type }, socket) => answer(socket, type === 3 ? id : -1, '', 2));
    expect(await client(at, PROVEN).presence([])).toEqual({ kind: 'unreachable', reason: 'wrong-password' });
  });
});
