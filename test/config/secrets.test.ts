import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { examineText } from '../../src/config/load.ts';
import { type Desk, desk } from '../kit/place.ts';
import { service } from '../kit/service.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming } from '../support/naming.ts';
import { examined } from './examined.ts';

/** What the token of the default site is, in a config beside these files, or the code of its fault. */
async function tokenOf(token: string): Promise<string | undefined> {
  const files = { token: '\r\nfrom-file\r\n', bom: '\uFEFFwith-bom', 'sub/x': '', empty: '\n' };
  const more = { example: 'your token here\n', 'two-lines': 'a\nb' };
  const file = path.join(temporaryFolder({ ...files, ...more }), 'config.json');
  const env = { TOKEN: ' from-env \n', EMPTY: '  ', EXAMPLE: 'changeme' };
  const text = JSON.stringify({ sites: { default: { token } } });
  const { config, faults, missingSecrets } = await examineText(text, file, { env });
  const [fault] = [...faults, ...missingSecrets];
  return fault === undefined ? config?.sites.get('default')?.token?.reveal() : fault.code;
}

test.each([
  ['literal', 'literal'],
  ['  literal ', 'literal'],
  ['env:TOKEN', 'from-env'],
  ['file:token', 'from-file'],
  ['file:sub/../bom', 'with-bom'],
])('reads a secret from %j, trimmed', async (reference, value) => {
  expect(await tokenOf(reference)).toBe(value);
});

test.each([
  ...['', '   ', 'env:NOT_SET', 'env:', 'env:EMPTY', 'file:nowhere', 'file:', 'file:empty'].map(
    (reference) => [reference, 'secret-missing'],
  ),
  ...['env:EXAMPLE', 'file:example', 'CHANGE_ME'].map((reference) => [reference, 'secret-placeholder']),
  ['file:two-lines', 'config-value'],
])('refuses a secret %j as %s', async (reference, code) => {
  expect(await tokenOf(reference)).toBe(code);
});

test('refuses a secret without showing it', async () => {
  const found = await examined({ sites: { default: { token: 'an-odd\nsecret' } } });
  expect(found.faults).toMatchObject([{ code: 'config-value', path: 'sites.default.token' }]);
  expect(JSON.stringify(found)).not.toContain('odd');
});

const EXAMPLES = [
  'changeme',
  'CHANGE_ME',
  'Change-Me!',
  'your token here',
  'YOUR_TOKEN',
  '<token>',
  '<paste it here>',
  'token',
  'xxxxxxxx',
  'XXX',
  'insert your rcon password here',
  'put-token-here',
  'your-secret',
  'replace me',
  '{token}',
  '%default_token%',
  '...',
  '…',
  '********',
  'TODO',
];

test.each(EXAMPLES)('%j is an example', async (text) => {
  expect(await tokenOf(text)).toBe('secret-placeholder');
});

const WEAK = ['hunter2', 'my-token', 'token1', 'test-token', 'password', 'secret', 'xx', 'yourself', '0'];

test.each([...WEAK, 'a'.repeat(32)])('%j is a secret, strong or weak', async (text) => {
  expect(await tokenOf(text)).toBe(text);
});

const rsa = (modulusLength = 2048) => generateKeyPairSync('rsa', { modulusLength });
const [ours, other] = [rsa(), rsa()];

const spki = (key: KeyObject) => key.export({ format: 'der', type: 'spki' }).toString('base64');
const pkcs8 = (key: KeyObject) => key.export({ format: 'der', type: 'pkcs8' }).toString('base64');
const pem = (key: KeyObject, type: 'spki' | 'pkcs8' | 'pkcs1') =>
  key.export({ format: 'pem', type } as { format: 'pem'; type: 'pkcs1' }) as string;
const good = { public: spki(ours.publicKey), private: pkcs8(ours.privateKey) };

/** A place with these files as the key pair. */
function withPair(files: Readonly<Record<string, string>>): Desk {
  const one = desk({ keys: 'pair' });
  mkdirSync(path.join(one.folder, 'pair'));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(one.folder, 'pair', name), text);
  return one;
}

/** What `teller keys` says with these files: the public key, or why it is refused. */
async function shown(files: Readonly<Record<string, string>>): Promise<string> {
  const { json, err } = await withPair(files).run('keys', '--json');
  return json?.[0].publicKey ?? err;
}

const shownPair = (publicKey: string, privateKey: string) =>
  shown({ 'public.key': publicKey, 'private.key': privateKey });

test.each([
  ['base64 with a line ending and a BOM', `\uFEFF${good.public}\r\n`, `${good.private}\n`],
  ['PEM in PKCS #1', pem(ours.publicKey, 'pkcs1'), pem(ours.privateKey, 'pkcs1')],
])('a key pair is read as %s', async (_, publicKey, privateKey) => {
  expect(await shownPair(publicKey, privateKey)).toBe(good.public);
});

describe('refuses a key pair', () => {
  const small = rsa(1024);

  test.each([
    ['whose keys do not belong together', 'key-mismatch', spki(other.publicKey), good.private],
    ['whose public key is not a key', 'key-invalid', 'hello', good.private],
    ['whose private key is not a key', 'key-invalid', good.public, 'hello'],
    ['whose files are swapped', 'key-invalid', good.private, good.public],
    ['of 1,024 bits', 'key-invalid', spki(small.publicKey), pkcs8(small.privateKey)],
  ])('%s: %s', async (_, code, publicKey, privateKey) => {
    expect(await shownPair(publicKey, privateKey)).toContain(`[${code}]`);
  });

  test.each(['public.key', 'private.key'])('without its %s: key-missing', async (name) => {
    const both = { 'public.key': good.public, 'private.key': good.private };
    const { [name as keyof typeof both]: _, ...one } = both;
    expect(await shown(one)).toEqual(naming(name, '[key-missing]'));
  });

  test('without showing the content of the file', async () => {
    const problem = await shownPair(good.public, `${good.private.slice(0, 80)}!`);
    expect(problem).toContain('[key-invalid]');
    expect(problem).not.toContain(good.private.slice(0, 20));
  });
});

test('a start creates the public key if only the private one is there, and is refused if only the public one is', async () => {
  const { config, folder } = withPair({ 'private.key': good.private });
  await (await service(['run', '--config', config])).stop();
  expect(readFileSync(path.join(folder, 'pair/public.key'), 'utf8')).toBe(good.public);
  const refused = withPair({ 'public.key': good.public });
  const { ready, err } = await service(['run', '--config', refused.config]);
  expect([ready, err.join()]).toEqual([null, expect.stringContaining('key-missing')]);
});
