import { expect, test } from 'vitest';
import { parsePlayerUuid, playerUuidKind } from '../../src/core/player-uuid.ts';

const ALEX = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';

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
