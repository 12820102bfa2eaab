import { expect, test } from 'vitest';
import { parsePlayerUuid, playerUuidKind } from '../../src/core/player-uuid.ts';
import { parseUserCache } from '../../src/core/user-cache.ts';
import { at } from '../support/votes.ts';

const ALEX = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const KIM = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';

const entry = (name: string, uuid: string, expiresOn: string) => ({ name, uuid, expiresOn });
const parsed = (entries: unknown) => parseUserCache(JSON.stringify(entries));

test('a user cache has players, each with the earliest time at which they can have been seen', () => {
  expect(parsed([entry('Alex', ALEX, '2026-12-21 18:40:00 +0100')])).toEqual({
    kind: 'players',
    players: [{ name: 'Alex', uuid: ALEX, at: at('2026-11-20T17:40:00Z') }],
  });
  expect(parsed([])).toEqual({ kind: 'players', players: [] });
});

test('of two players with the same name only the later one has it, and a player’s last name comes last', () => {
  const entries = [
    entry('Sasha', ALEX, '2026-12-21 18:40:00 +0000'),
    entry('alex', KIM, '2026-12-20 18:40:00 +0000'),
    entry('Alex', ALEX, '2026-12-01 18:40:00 +0000'),
  ];
  expect(parsed(entries)).toMatchObject({
    players: [
      { name: 'alex', uuid: KIM },
      { name: 'Sasha', uuid: ALEX },
    ],
  });
});

test('what cannot be the name of a player is left out, also with a letter that passes for another one', () => {
  const names = ['Ka lex', '\u212aalex', 'K\u212aalex', 'A'.repeat(17), 'Kalex'];
  const entries = names.map((name) =>
    entry(name, name === 'Kalex' ? KIM : ALEX, '2026-12-21 18:40:00 +0000'),
  );
  expect(parsed(entries)).toMatchObject({ players: [{ name: 'Kalex', uuid: KIM }] });
  expect(parsed(entries)).toHaveProperty('players.length', 1);
});

test.each([
  ['is not JSON', '[{'],
  ['is no list', '{}'],
  ['has something that is no player', '[7]'],
  ['has a player without a UUID', JSON.stringify([{ name: 'Alex', expiresOn: '2026-12-21 18:40:00 +0000' }])],
  ['has a UUID that is none', JSON.stringify([entry('Alex', 'x', '2026-12-21 18:40:00 +0000')])],
  ['has a time that is none', JSON.stringify([entry('Alex', ALEX, 'tomorrow')])],
])('a file that %s is not used', (_, text) => {
  expect(parseUserCache(text)).toMatchObject({ kind: 'fault' });
});

test('random cuts of a user cache never throw', () => {
  const text = JSON.stringify([entry('Alex', ALEX, '2026-12-21 18:40:00 +0000')]);
  for (let length = 0; length < text.length; length++)
    expect(parseUserCache(text.slice(0, length)).kind, String(length)).toBe('fault');
});

test.each([
  [ALEX, 'online'],
  ['00000000-0000-0000-0009-000000000001', 'floodgate'],
  ['36532b5e-c442-3dbb-a24c-c7e55d0f979a', null],
  ['aaaaaaaa-aaaa-4aaa-0aaa-aaaaaaaaaaaa', null],
  ['aaaaaaaa-aaaa-7aaa-8aaa-aaaaaaaaaaaa', null],
  ['Alex', null],
])('the UUID %s belongs to: %s', (uuid, kind) => {
  expect(playerUuidKind(uuid)).toBe(kind);
});

test.each([
  ['AAAAAAAAAAAA4AAA8AAAAAAAAAAAAAAA', ALEX],
  [ALEX.toUpperCase(), ALEX],
  ['', null],
  [`${ALEX}0`, null],
])('the text %j is the UUID %j', (text, uuid) => {
  expect(parsePlayerUuid(text)).toBe(uuid);
});
