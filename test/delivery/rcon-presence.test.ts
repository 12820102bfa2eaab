import { describe, expect, it } from 'vitest';
import { FakeClock } from '../support/fake-clock.ts';
import { client, practice } from '../support/rcon.ts';

async function pair() {
  const server = await practice();
  server.join('Bob');
  server.join('*Ann');
  const asked = () => server.commands().map(({ command }) => command);
  return { server, asked, gameServer: client(server) };
}

const BOB_AND_ANN = {
  kind: 'known',
  names: ['Bob', '*Ann'],
  uuids: new Map([
    ['bob', 'faa5dca3-c3d4-354b-ae1b-dde9e5a14b3b'],
    ['*ann', '32dda8af-f2b9-35b7-b717-fd5575539571'],
  ]),
};
const NAMES_ONLY = { kind: 'known', names: ['Bob', '*Ann'] };

describe('Teller learns who is online', () => {
  it('from minecraft:list uuids, in the spelling of the server', async () => {
    const { gameServer, asked } = await pair();
    expect(await gameServer.presence(['bob'])).toEqual(BOB_AND_ANN);
    expect(asked()).toEqual(['minecraft:list uuids']);
  });

  it('even when no player is online', async () => {
    const { gameServer, server } = await pair();
    server.leave('Bob');
    server.leave('*Ann');
    expect(await gameServer.presence(['bob'])).toEqual({ kind: 'known', names: [] });
  });

  it('from `list uuids`, if the server knows no `minecraft:` command; `list uuids` is tried first from then on', async () => {
    const { gameServer, server, asked } = await pair();
    server.setFault('no-minecraft-names');
    for (const _ of [1, 2]) expect(await gameServer.presence(['Bob'])).toEqual(BOB_AND_ANN);
    expect(asked()).toEqual(['minecraft:list uuids', 'list uuids', 'list uuids']);
  });

  it('from minecraft:list and list, if list accepts no argument', async () => {
    const { gameServer, server, asked } = await pair();
    server.setFault('no-list-uuids');
    for (const _ of [1, 2]) expect(await gameServer.presence(['Bob'])).toEqual(NAMES_ONLY);
    server.setFault('no-minecraft-names');
    expect(await gameServer.presence(['Bob'])).toEqual(NAMES_ONLY);
    expect(asked()).toEqual([
      ...['minecraft:list uuids', 'list uuids', 'minecraft:list', 'minecraft:list'],
      ...['minecraft:list', 'minecraft:list uuids', 'list uuids', 'list'],
    ]);
  });

  it('from `list`, if a server that is not vanilla accepts any argument and shows only names', async () => {
    const { gameServer, server } = await pair();
    server.setFault('players-list');
    expect(await gameServer.presence(['Bob'])).toMatchObject(NAMES_ONLY);
  });

  it('from `minecraft:list uuids`, if a plugin changes `list`', async () => {
    const { gameServer, server } = await pair();
    server.setFault('reshaped-list');
    expect(await gameServer.presence([])).toEqual(BOB_AND_ANN);
  });

  it('from `list uuids`, which shows plain names if teams put a prefix before them', async () => {
    const { gameServer, server } = await pair();
    server.setFault('team-prefix');
    expect(await gameServer.presence(['Bob'])).toEqual(BOB_AND_ANN);
  });

  it('by querying each wanted name, if teams put a prefix before names and the server has no list uuids', async () => {
    const { gameServer, server, asked } = await pair();
    server.setFault('team-prefix');
    server.setFault('no-list-uuids');
    server.leave('*Ann');
    expect(await gameServer.presence(['Bob', 'Cid'])).toEqual({ kind: 'known', names: ['~Bob', 'Bob'] });
    expect(asked().at(-1)).toBe('minecraft:execute if entity Bob');
  });

  it('from a list in which only a Bedrock player’s name has a prefix', async () => {
    const { gameServer, server } = await pair();
    server.setFault('no-list-uuids');
    expect(await gameServer.presence(['Ann'])).toEqual(NAMES_ONLY);
  });

  it.each(['translated-list', 'miscounted-list'] as const)(
    'by asking for each wanted name, if the list cannot be relied on: %s',
    async (fault) => {
      const { gameServer, server, asked } = await pair();
      server.setFault(fault);
      expect(await gameServer.presence(['bob', '*Ann', 'Cid'])).toEqual({
        kind: 'asked',
        names: ['bob', '*Ann'],
      });
      expect(asked().filter((command) => command.includes('execute'))).toEqual([
        'minecraft:execute if entity bob',
        'minecraft:execute if entity "*Ann"',
        'minecraft:execute if entity Cid',
      ]);
    },
  );
});

it('[RCON-14] never asks for a name that could end the word or the line', async () => {
  const { gameServer, server, asked } = await pair();
  server.setFault('translated-list');
  const wanted = ['Bob"', 'Bob\\', 'Bob\nop evil', 'Bob'];
  expect(await gameServer.presence(wanted)).toEqual({ kind: 'asked', names: ['Bob'] });
  expect(asked().filter((command) => command.includes('execute'))).toEqual([
    'minecraft:execute if entity Bob',
  ]);
});

describe('Teller cannot learn who is online', () => {
  it.each([
    ['translated-list', 'list-not-understood'],
    ['miscounted-list', 'list-does-not-add-up'],
  ] as const)('from a %s if execute is not known either', async (fault, reason) => {
    const { gameServer, server } = await pair();
    server.setFault(fault);
    server.setFault('no-execute');
    expect(await gameServer.presence(['Bob'])).toEqual({ kind: 'cannot-tell', reason });
  });

  it('from a list that does not add up, if no names are wanted', async () => {
    const { gameServer, server } = await pair();
    server.setFault('miscounted-list');
    expect(await gameServer.presence([])).toEqual({ kind: 'cannot-tell', reason: 'list-does-not-add-up' });
  });

  it('from empty replies', async () => {
    const { gameServer, server } = await pair();
    server.setFault('empty-reply');
    expect(await gameServer.presence(['Bob'])).toEqual({
      kind: 'cannot-tell',
      reason: 'list-not-understood',
    });
  });
});

it('reports unreachable if nothing listens at the port', async () => {
  const { gameServer, server } = await pair();
  await server.close();
  expect(await gameServer.presence(['Bob'])).toEqual({ kind: 'unreachable', reason: 'unreachable' });
});

it('reads a list of a thousand players with their UUIDs without waiting for more after the last one', async () => {
  const clock = new FakeClock();
  const server = await practice();
  const names = Array.from({ length: 1_000 }, (_, n) => `Player_Number${n}`);
  for (const name of names) server.join(name);
  const gameServer = client(server, { clock, closeWaitMs: 0 });
  const asking = gameServer.presence([]);
  let isDone = false;
  void asking.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(0);
  }
  expect(await asking).toMatchObject({ kind: 'known', names });
  expect(clock.monotonic()).toBe(0);
});
