import { expect, test } from 'vitest';
import { publicHost } from '../../src/delivery/kinds/rcon/public-host.ts';

const codesFor = async (host: string, own: readonly string[] = []): Promise<readonly string[]> =>
  (await publicHost('city', { host, port: 25_575 }, own)).map(({ code }) => code);

test.each(['8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8'])(
  'RCON to %s crosses the internet, and check warns',
  async (host) => {
    expect(await codesFor(host)).toEqual(['rcon-public']);
  },
);

test.each([
  '127.0.0.1',
  '10.0.0.5',
  '172.16.0.1',
  '192.168.1.2',
  '100.64.0.1',
  '169.254.1.1',
  '::1',
  'fd00::1',
  'fe80::1',
])('RCON to %s stays in a private network', async (host) => {
  expect(await codesFor(host)).toEqual([]);
});

test('RCON to a public address of this machine does not leave it', async () => {
  expect(await codesFor('8.8.8.8', ['8.8.8.8'])).toEqual([]);
});

test('a name that cannot be resolved is reported elsewhere', async () => {
  expect(await codesFor('no-such-host.invalid')).toEqual([]);
});
