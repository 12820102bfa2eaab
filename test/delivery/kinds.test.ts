/** What holds for every kind of game server to which Teller connects, whatever it sends there. */
import { expect, test } from 'vitest';
import { connected, isSettled, until } from '../kit/connected.ts';
import { rconGame } from '../kit/game.ts';
import { HTTP_SECRET, httpGame } from '../kit/http-game.ts';
import { afterFrame, OK, scriptedListener } from '../kit/listener.ts';
import { panelGame } from '../kit/panel.ts';
import { freePort } from '../kit/serve.ts';

interface Kind {
  readonly kind: string;
  /** Its entry for an address. */
  at(address: string): object;
  /** Why nothing is sent while nothing listens there, and why if the host has no address. */
  readonly unreachable: string;
  readonly hostUnknown: string;
  /** A game server that answers, or does not, and what has been sent to it. @param settings of its entry. */
  start(answers: boolean, settings?: object): Promise<{ readonly entry: object; sent(): readonly string[] }>;
}

const PAUSE = { commandPause: '0ms' };
const hostAndPort = (address: string): object => {
  const [host = '', port] = address.split(':');
  return { host, port: Number(port) };
};

const KINDS: readonly Kind[] = [
  {
    kind: 'rcon',
    at: (address) => ({ kind: 'rcon', password: 'any', ...PAUSE, ...hostAndPort(address) }),
    ...{ unreachable: 'unreachable', hostUnknown: 'host-unknown' },
    start: async (answers, settings) => {
      const game = await rconGame(settings);
      if (!answers) game.reply((command) => (command === 'list' ? undefined : 'run-and-silent'));
      return { entry: game.entry, sent: () => game.ran };
    },
  },
  {
    kind: 'http',
    at: (address) => ({ kind: 'http', url: `http://${address}/`, secret: HTTP_SECRET, ...PAUSE }),
    ...{ unreachable: 'http-unreachable', hostUnknown: 'http-host-unknown' },
    start: async (answers, settings) => {
      const game = await httpGame(settings);
      if (!answers) game.answer(() => 'silence');
      return { entry: game.entry, sent: () => game.received.map(({ body }) => String(body)) };
    },
  },
  {
    kind: 'votifier',
    at: (address) => ({ kind: 'votifier', token: 'any-token', ...PAUSE, ...hostAndPort(address) }),
    ...{ unreachable: 'votifier.unreachable', hostUnknown: 'votifier.host-unknown' },
    start: async (answers, settings) => {
      const sent: string[] = [];
      const { port } = await scriptedListener(
        afterFrame((socket, frame) => {
          sent.push(String(frame));
          if (answers) socket.end(OK);
        }),
      );
      const entry = { kind: 'votifier', host: '127.0.0.1', port, token: 'any-token', ...PAUSE, ...settings };
      return { entry, sent: () => sent };
    },
  },
  {
    kind: 'pterodactyl',
    at: (address) => ({
      ...{ kind: 'pterodactyl', url: `http://${address}`, server: 'd3aac109', apiKey: 'ptlc_any' },
      ...{ console: false, ...PAUSE },
    }),
    ...{ unreachable: 'http-unreachable', hostUnknown: 'http-host-unknown' },
    start: async (answers, settings) => {
      const command = () => (answers ? { status: 204 } : null);
      const panel = await panelGame({ command }, { console: false, ...settings });
      return { entry: panel.entry, sent: panel.commands };
    },
  },
];

/** What is sent for this player: a vote, or a command. */
const sentFor = (kind: string, player: string): string =>
  kind === 'votifier'
    ? JSON.stringify({ service: 'List', player, address: '203.0.113.9', at: 1_780_315_200_123 })
    : `say ${player}`;

test.each(KINDS)('$kind: while nothing listens there, it is tried less and less often', async (one) => {
  const { unreachable: reason } = one;
  const { server, clock } = await connected(one.at(`127.0.0.1:${await freePort()}`));
  for (const restMs of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
    expect(await server.run(sentFor(one.kind, 'Steve'))).toEqual({ kind: 'not-sent', reason });
    expect(await server.ready()).toEqual({ kind: 'resting', reason, restMs });
    clock.advance(restMs);
  }
  // A label of 64 characters does not fit into a DNS query, so no name server is asked.
  const nameless = await connected(one.at(`${'x'.repeat(64)}.invalid:1`));
  expect(await nameless.server.run(sentFor(one.kind, 'Steve'))).toEqual({
    ...{ kind: 'not-sent', reason: one.hostUnknown },
  });
});

test.each(KINDS)(
  '$kind: one is sent at a time, in order, with the pause of the config between them; ready() waits for its end',
  async ({ kind, start }) => {
    const { entry, sent } = await start(true, { commandPause: '500ms' });
    const { server, soon, clock } = await connected(entry);
    await soon(server.ready());
    const [first, second] = ['Alex', 'Steve'].map((player) => server.run(sentFor(kind, player)));
    await soon(first!);
    expect(server.sendsAtOnce()).toBe(false);
    clock.advance(499);
    expect(await isSettled(second!)).toBe(false);
    expect(sent()).toEqual([expect.stringContaining('Alex')]);
    clock.advance(1);
    expect(await second).toMatchObject({ kind: 'delivered' });
    expect(sent().slice(1)).toEqual([expect.stringContaining('Steve')]);
    const ready = server.ready();
    expect(await isSettled(ready)).toBe(false);
    clock.advance(500);
    expect(await ready).toEqual({ kind: 'open' });
  },
);

test.each(KINDS)(
  '$kind: closing makes what is in flight unknown, and what comes after it not-sent',
  async ({ kind, start }) => {
    const { entry, sent } = await start(false);
    const { server, soon } = await connected(entry);
    await soon(server.ready());
    const run = () => server.run(sentFor(kind, 'Steve'));
    const [inFlight, waiting] = [run(), run()];
    await until(() => sent().length === 1);
    await server.close();
    expect(await inFlight).toEqual({ kind: 'unknown', reason: 'shut-down' });
    expect(await waiting).toEqual({ kind: 'not-sent', reason: 'shut-down' });
    expect(await run()).toEqual({ kind: 'not-sent', reason: 'shut-down' });
    expect(await server.open()).toMatchObject({ kind: 'resting', reason: 'shut-down' });
    expect(sent()).toHaveLength(1);
  },
);

test.each(KINDS.filter(({ kind }) => kind !== 'votifier'))(
  '$kind: a command that no game server could read is refused before it is sent, and the next one is sent',
  async ({ start }) => {
    const { entry, sent } = await start(true);
    const { run } = await connected(entry);
    for (const [reason, command] of [
      ['command-too-long', `say ${'x'.repeat(1_443)}`],
      ['command-not-one-line', 'say a\nop evil'],
    ] as const)
      expect(await run(command)).toEqual({ kind: 'refused', reply: null, reason });
    await run('say after');
    expect(sent()).toEqual([expect.stringContaining('say after')]);
  },
);
