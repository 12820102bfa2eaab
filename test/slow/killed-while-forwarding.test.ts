import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readForward } from '../../src/core/forward.ts';
import { afterFrame } from '../sender/scripted-listener.ts';
import { lookInto } from '../support/config-folder.ts';
import type { Told } from '../support/dying-forwarder.ts';
import { temporaryFolder } from '../support/folder.ts';
import { compiled } from '../support/processes.ts';

const FORWARDER = join(import.meta.dirname, '../support/dying-forwarder.ts');
const TOKEN = 'the-token-of-the-old-listener';
const PLAYERS = ['Steve', 'Alex', 'Kim'];

/** Runs the forwarder until it ends. @returns whether it was killed. */
async function forward(told: Told): Promise<boolean> {
  const child = spawn(process.execPath, [compiled(FORWARDER), JSON.stringify(told)], { stdio: 'inherit' });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (signal === null && code !== 0) throw new Error(`the forwarder exited with ${code}`);
  return signal === 'SIGKILL';
}

/** Another listener, which counts each vote that it receives in whole, and confirms it. */
async function oldListener() {
  const counted: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    afterFrame((answering, frame) => {
      const { payload } = JSON.parse(frame.toString('utf8', 4)) as { payload: string };
      counted.push((JSON.parse(payload) as { username: string }).username);
      answering.end('{"status":"ok"}\r\n');
    })(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, counted };
}

/** The players of forwards in each state. */
async function playersBy(file: string): Promise<Readonly<Record<string, string[]>>> {
  const grants = (await lookInto(file).grants({ limit: 99 })).toReversed();
  const named = grants.map(({ state, commands }) => ({
    state,
    player: readForward(commands[0]?.command ?? '')?.player ?? '',
  }));
  return Object.fromEntries(
    ['delivered', 'held'].map((state) => [
      state,
      named.filter((each) => each.state === state).map(({ player }) => player),
    ]),
  );
}

/** For each vote: storing it, claiming its forward, writing it, and storing the outcome. */
const STEPS = 4 * PLAYERS.length;

describe('votes that are forwarded, after kill -9', () => {
  const kills = Array.from({ length: STEPS }, (_, at) => at + 1).flatMap((step) =>
    (['before', 'after'] as const).map((when) => ({ when, step })),
  );

  test.each(kills)('$when step $step are counted once each and in order, or listed', async (kill) => {
    const { port, counted } = await oldListener();
    const told = { ledger: join(temporaryFolder(), 'teller.db'), port, token: TOKEN, players: PLAYERS };
    expect(await forward({ ...told, kill })).toBe(true);
    expect(await forward({ ...told, kill: null })).toBe(false);
    const { delivered = [], held = [] } = await playersBy(told.ledger);
    expect([...delivered, ...held].toSorted()).toEqual(PLAYERS.toSorted());
    expect(held.length).toBeLessThanOrEqual(1);
    expect(counted).toEqual(PLAYERS.filter((player) => counted.includes(player)));
    expect(counted).toEqual(expect.arrayContaining(delivered));
    // What was not confirmed is listed, whether or not it arrived.
    expect(PLAYERS.filter((player) => !counted.includes(player))).toEqual(
      held.filter((player) => !counted.includes(player)),
    );
  });

  test('the steps are all that there are', async () => {
    const { port, counted } = await oldListener();
    const told = { ledger: join(temporaryFolder(), 'teller.db'), port, token: TOKEN, players: PLAYERS };
    expect(await forward({ ...told, kill: { when: 'before', step: STEPS + 1 } })).toBe(false);
    expect(counted).toEqual(PLAYERS);
  });
});
