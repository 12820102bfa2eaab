import { expect, test } from 'vitest';
import { nearestWord } from '../../src/core/nearest-word.ts';

test.each([
  ['prot', ['host', 'port', 'deadline'], 'port'],
  ['gameservers', ['gameServers'], 'gameServers'],
  ['max-connections', ['maxConnections', 'maxConnectionsPerAddress'], 'maxConnections'],
  ['pasword', ['kind', 'password'], 'password'],
  ['my list.com', ['default', 'My-List.com'], 'My-List.com'],
])('suggests the nearest known word for %s', (written, known, meant) => {
  expect(nearestWord(written, known)).toBe(meant);
});

test.each([
  ['colour', ['host', 'port']],
  ['v3', ['v1', 'v2']],
  ['aa', ['a', 'b']],
  ['anything', []],
])('suggests nothing for %s', (written, known) => {
  expect(nearestWord(written, known)).toBeNull();
});
