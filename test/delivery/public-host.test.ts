import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { checked } from '../kit/connected.ts';
import { failing, fault } from '../kit/network.ts';

/** Whether `check` warns that the password of RCON crosses the internet to this host, which nothing can be sent to. */
async function isPublic(host: string): Promise<boolean> {
  failing(fault('ECONNREFUSED'));
  const entry = { kind: 'rcon', host, port: 25_575, password: 'a-password-of-this-test' };
  const found = await checked(entry);
  expect(found.length).toBeGreaterThan(0);
  return found.includes('warning rcon-public');
}

test.each(['8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8'])(
  'RCON to %s crosses the internet, and check warns',
  async (host) => {
    expect(await isPublic(host)).toBe(true);
  },
);

test.each([
  ...['127.0.0.1', '10.0.0.5', '172.16.0.1', '192.168.1.2', '100.64.0.1', '169.254.1.1'],
  ...['::1', 'fd00::1', 'fe80::1'],
])('RCON to %s stays in a private network', async (host) => {
  expect(await isPublic(host)).toBe(false);
});

test('RCON to a public address of this machine does not leave it', async () => {
  const { networkInterfaces } = os;
  const set = (value: unknown): void => {
    Reflect.set(os, 'networkInterfaces', value);
    syncBuiltinESMExports();
  };
  set(() => ({ eth0: [{ address: '8.8.8.8' }] }));
  onTestFinished(() => set(networkInterfaces));
  expect(await isPublic('8.8.8.8')).toBe(false);
});

test('a name that cannot be resolved is reported elsewhere', async () => {
  // A label of 64 characters does not fit into a DNS query, so no name server is asked.
  expect(await isPublic(`${'x'.repeat(64)}.invalid`)).toBe(false);
});
