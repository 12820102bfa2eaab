import { describe, expect, it } from 'vitest';
import { client, practice } from '../support/rcon.ts';

async function pair() {
  const server = await practice();
  server.join('Bob');
  server.join('*Ann');
  const asked = () => server.commands().map(({ command }) => command);
  return { server, asked, gameServer: client(server) };
}

describe('who is online is known', () => {
  it('from minecraft:list, in the spelling of the server', async () => {
    const { gameServer, asked } = await pair();
    expect(await gameServer.presence(['bob'])).toEqual({ kind: 'known', names: ['Bob', '*Ann'] });
    expect(asked()).toEqual(['minecraft:list']);
  });

  it('to be nobody', async () => {
    const { gameServer, server } = await pair();
    server.leave('Bob');
    server.leave('*Ann');
    expect(await gameServer.presence(['bob'])).toEqual({ kind: 'known', names: [] });
  });

  it.each(['two-line-list', 'players-list', 'no-minecraft-names'] as const)(
    'from list, where minecraft:list is not known: %s; and list is asked first from then on',
    async (fault) => {
      const { gameServer, server, asked } = await pair();
      server.setFault(fault);
      expect(await gameServer.presence(['Bob'])).toEqual({ kind: 'known', names: ['Bob', '*Ann'] });
      expect(await gameServer.presence(['Bob'])).toEqual({ kind: 'known', names: ['Bob', '*Ann'] });
      expect(asked()).toEqual(['minecraft:list', 'list', 'list']);
    },
  );

  it('from minecraft:list, where a plugin reshapes list', async () => {
    const { gameServer, server } = await pair();
    server.setFault('reshaped-list');
    expect(await gameServer.presence([])).toEqual({ kind: 'known', names: ['Bob', '*Ann'] });
  });

  it.each(['translated-list', 'miscounted-list'] as const)(
    'by asking for each name wanted, where the list cannot be relied on: %s',
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

it('[RCON-14] what could end the word or the line of the question is never asked for', async () => {
  const { gameServer, server, asked } = await pair();
  server.setFault('translated-list');
  const wanted = ['Bob"', 'Bob\\', 'Bob\nop evil', 'Bob'];
  expect(await gameServer.presence(wanted)).toEqual({ kind: 'asked', names: ['Bob'] });
  expect(asked().filter((command) => command.includes('execute'))).toEqual([
    'minecraft:execute if entity Bob',
  ]);
});

describe('who is online cannot be told', () => {
  it.each([
    ['translated-list', 'list-not-understood'],
    ['miscounted-list', 'list-does-not-add-up'],
  ] as const)('from a %s where execute is not known either', async (fault, reason) => {
    const { gameServer, server } = await pair();
    server.setFault(fault);
    server.setFault('no-execute');
    expect(await gameServer.presence(['Bob'])).toEqual({ kind: 'cannot-tell', reason });
  });

  it('where the list does not add up and nobody in particular is wanted', async () => {
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

it('nobody answers where nobody is', async () => {
  const { gameServer, server } = await pair();
  await server.close();
  expect(await gameServer.presence(['Bob'])).toEqual({ kind: 'unreachable', reason: 'unreachable' });
});
