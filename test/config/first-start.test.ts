import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { typedHere } from '../kit/apart.ts';
import { service } from '../kit/service.ts';
import { typed } from '../kit/typed.ts';
import { sendV2 } from '../kit/vote.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming } from '../support/naming.ts';

const EXAMPLE = readFileSync(new URL('../../config.example.json', import.meta.url), 'utf8');

/** `teller run` in this folder, as long as it takes to start. Whether its port is free does not matter here. */
async function started(folder: string): Promise<{ exit: number; err: string }> {
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder);
  onTestFinished(() => cwd.mockRestore());
  const { err, stop } = await service(['run']);
  return { exit: await stop(), err: err.join('\n') };
}

const fileIn = (folder: string, name: string): string => readFileSync(path.join(folder, name), 'utf8');
const modeOf = (folder: string, name: string): number => statSync(path.join(folder, name)).mode & 0o777;
const SECRETS = ['data/keys/private.key', 'data/keys/public.key', 'data/secrets/default.token'];

/** All files but those of the ledger and of the running Teller. */
const written = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .filter((name) => !/^data\/(?:teller\.|practice-|[^/]*\.(?:lock|sock|mark))/.test(name))
    .sort();

test('a first start writes a token of its own, a key pair, the schema and a config that loads, and nothing else, and says what to paste', async () => {
  const folder = temporaryFolder();
  const { err } = await started(folder);
  expect(written(folder)).toEqual(['config.json', 'config.schema.json', ...SECRETS].sort());
  expect(fileIn(folder, 'config.json')).toBe(EXAMPLE);
  const schema = (await typed(['config', 'schema'], null)).out;
  expect(JSON.parse(fileIn(folder, 'config.schema.json'))).toEqual(JSON.parse(schema));
  const { json } = await typedHere({ folder, config: path.join(folder, 'config.json') }, 'keys', '--json');
  expect(JSON.stringify(json)).toContain(fileIn(folder, 'data/keys/public.key'));
  const token = fileIn(folder, 'data/secrets/default.token').trim();
  expect(token).toMatch(/^[0-9a-f]{32}$/);
  expect(err).toEqual(naming(fileIn(folder, 'data/keys/public.key').trim(), 'teller keys'));
  expect(err).not.toContain(token);
  expect([modeOf(folder, 'data/secrets/default.token'), modeOf(folder, 'data/keys/private.key')]).toEqual([
    0o600, 0o600,
  ]);
});

test('a start keeps the config, keys and tokens that exist', async () => {
  const config = `${EXAMPLE}\n// mine\n`;
  const folder = temporaryFolder({ 'config.json': config, 'data/secrets/default.token': 'an-old-token' });
  await started(folder);
  const keys = SECRETS.map((name) => fileIn(folder, name));
  await started(folder);
  expect(SECRETS.map((name) => fileIn(folder, name))).toEqual(keys);
  expect(fileIn(folder, 'config.json')).toBe(config);
  expect(fileIn(folder, 'data/secrets/default.token')).toBe('an-old-token');
});

test('four first starts at the same instant in one folder use the same token and leave no temporary file', async () => {
  const config = { ...JSON.parse(EXAMPLE), listener: { host: '127.0.0.1', port: 0 }, console: { port: 0 } };
  const folder = temporaryFolder({ 'config.json': JSON.stringify(config) });
  const file = path.join(folder, 'config.json');
  const services = await Promise.all(Array.from({ length: 4 }, () => service(['run', '--config', file])));
  expect(written(folder)).toEqual(['config.json', ...SECRETS].sort());
  const token = fileIn(folder, 'data/secrets/default.token').trim();
  const ready = services.filter((one) => one.ready !== null);
  expect(ready.length).toBeGreaterThanOrEqual(1);
  for (const [at, one] of ready.entries())
    expect(await sendV2(one.ready.listener.port, { player: `P${at}`, token })).toBe('ok');
  const { exit } = await typedHere({ folder, config: file }, 'keys');
  expect(exit).toBe(0);
  for (const one of services) await one.stop();
});
