import { describe, expect, it } from 'vitest';
import { readPlayerList } from '../../src/delivery/kinds/rcon/player-list.ts';

describe('[RCON-13] a list with as many names as it announces is used', () => {
  it.each([
    ['There are 2 of a max of 20 players online: Bob, Ann', ['Bob', 'Ann']],
    ['There are 2 of a max 20 players online: Bob, Ann', ['Bob', 'Ann']],
    ['There are 0 of a max of 20 players online: ', []],
    ['There are 0 of a max of 20 players online: \nTPS: 20.0', []],
    ['There are 1/20 players online:\nBob', ['Bob']],
    ['There are 2/20 players online:Bob, Ann', ['Bob', 'Ann']],
    ['There are 0/20 players online:\n', []],
    ['Players (2): Bob, Ann', ['Bob', 'Ann']],
    ['Players (0): ', []],
    ['[12:00:00] There are 1 of a max of 20 players online: Bob\nHave a nice day', ['Bob']],
    ['§6There are §c1§6 of a max of §c20§6 players online: §fBob§r', ['Bob']],
    ['There are 3 of a max of 20 players online: .Bob, *Ann, !Cid', ['.Bob', '*Ann', '!Cid']],
    ['There are 1 of a max of 20 players online: ABCDEFGHIJKLMNOP', ['ABCDEFGHIJKLMNOP']],
  ])('%j', (reply, names) => {
    expect(readPlayerList(reply)).toEqual({ kind: 'known', names });
  });
});

const ID = '069a79f4-44e9-4726-a5be-fca90e38aaf5';

describe('[RCON-13] a list with UUIDs', () => {
  it.each([
    [`There are 1 of a max of 20 players online: Bob (${ID})`, ['Bob'], { bob: ID }],
    [`There are 1/20 players online:\n.Bob (${ID.toUpperCase()})`, ['.Bob'], { '.bob': ID }],
  ])('%j is used, with the UUIDs in lower case', (reply, names, uuids) => {
    expect(readPlayerList(reply)).toEqual({ kind: 'known', names, uuids: new Map(Object.entries(uuids)) });
  });

  it.each([
    `There are 2 of a max of 20 players online: Bob (${ID}), Ann`,
    `There are 1 of a max of 20 players online: Bob (${ID.slice(1)})`,
    `There are 1 of a max of 20 players online: [Admin] Bob (${ID})`,
    `There are 2 of a max of 20 players online: Bob (${ID}), bob (${ID})`,
  ])('%j gives no UUIDs', (reply) => {
    expect(readPlayerList(reply)).not.toHaveProperty('uuids');
  });
});

describe('[RCON-13] a list that does not add up is not used', () => {
  it.each([
    'There are 2 of a max of 20 players online: Bob',
    'There are 1 of a max of 20 players online: Bob, Ann',
    'There are 0 of a max of 20 players online: Bob',
    'There are 1 of a max of 20 players online: ',
    'There are 1 of a max of 20 players online: [Admin] Bob',
    'There are 2 of a max of 20 players online: Bob, Ann and others',
    'There are 2 of a max of 20 players online: Bob, bob',
    'There are 1 of a max of 20 players online: Bob (AFK)',
    'There are 1 of a max of 20 players online: ABCDEFGHIJKLMNOPQ',
    `There are 1 of a max of 20 players online: \u212aatrin (${ID})`,
    `There are 2 of a max of 20 players online: Ann (${ID}), Bob (${ID.toUpperCase()})`,
    'There are 2/20 players online:\nBob\nAnn',
    'Players (1): ',
  ])('%j', (reply) => {
    expect(readPlayerList(reply)).toEqual({ kind: 'cannot-tell', reason: 'list-does-not-add-up' });
  });
});

describe('[RCON-13] any other reply is not understood', () => {
  it.each([
    '',
    'Es sind 1 von maximal 20 Spielern online: Bob',
    'There are 1 out of maximum 20 players online.\ndefault: Bob',
    'Unknown or incomplete command, see below for errorminecraft:list<--[HERE]',
  ])('%j', (reply) => {
    expect(readPlayerList(reply)).toEqual({ kind: 'cannot-tell', reason: 'list-not-understood' });
  });
});
