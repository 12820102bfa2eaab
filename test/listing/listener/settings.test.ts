/** The vote listener of a Minecraft listing: its settings, and whom it is for. */
import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { answering, closing, fakeListener, OK, readBlock, readFrame } from '../../kit/listener.ts';
import { listing } from '../../kit/listing.ts';
import { KINDS } from '../../kit/listing-people.ts';
import { naming } from '../../support/naming.ts';
import { resolver } from '../../support/network.ts';
import { testKey } from '../../support/vectors.ts';

const TOKEN = 'token-of-the-listener';
const SOME = expect.any(String);

/** A Minecraft listing, with a function that sends the listener's form as a script. */
async function listed(wanted: Parameters<typeof listing>[0] = {}) {
  const site = await listing(wanted);
  const { listed: its, owner } = await site.owned();
  const at = `${its.dashboard}/listener`;
  const save = (fields: object) =>
    owner.answer(at, { host: '127.0.0.1', port: '', method: 'token', credential: TOKEN, ...fields });
  const settings = async () => (await owner.values(at)).settings;
  const vote = async (player = 'Steve') => {
    await site.cast(its, player);
    await site.quiet();
  };
  return { site, owner, listing: its, at, save, settings, vote };
}

/** Answers version 2, and accepts version 1 without an answer. */
const either: typeof closing = (socket, chunk) =>
  chunk.readUInt16BE(0) === 0x733a ? answering(OK)(socket, chunk) : closing(socket, chunk);

test('VT-02: the settings default to port 8192', async () => {
  const { owner, at, save, settings } = await listed({ lookup: resolver({}) });
  expect([await settings(), (await owner.open(at)).form(at)!.fields.port]).toEqual([null, ['8192']]);
  await save({ host: 'nowhere.example' });
  expect(await settings()).toMatchObject({ host: 'nowhere.example', port: 8192, method: 'token' });
  const tried = await owner.press(at, `${at}/test`, { player: 'Steve' });
  expect(tried.said).toContain('nowhere.example:8192');
});

test('the settings are refused because of one field or several, and then nothing is saved', async () => {
  const { save, settings } = await listed();
  const { faults } = await save({ host: '10.0.0.1', port: '99999', credential: 'a b' });
  expect(faults).toEqual({
    ...{ host: naming('10.0.0.1'), port: naming('1', '65535'), credential: naming('1', '255') },
  });
  for (const [entered, field] of [
    [{ port: '0' }, 'port'],
    [{ port: '65536' }, 'port'],
    [{ port: 'x' }, 'port'],
    [{ method: 'v3' }, 'method'],
    [{ credential: '' }, 'credential'],
    [{ credential: 'x'.repeat(256) }, 'credential'],
    [{ method: 'public-key', credential: TOKEN }, 'credential'],
    [{ method: 'public-key', credential: testKey.privateKeyPem }, 'credential'],
  ] as const)
    expect([entered, Object.keys((await save(entered)).faults)]).toEqual([entered, [field]]);
  expect(await settings()).toBeNull();
  expect((await save({ port: '65535', credential: 'x'.repeat(255) })).settings.port).toBe(65_535);
});

test('the settings do not take a key for a token, nor a token for a key; the stored one stays', async () => {
  const { save, settings } = await listed();
  await save({});
  const pem = `-----BEGIN PUBLIC KEY-----\n${testKey.publicKey}\n-----END PUBLIC KEY-----`;
  /** The start of a key: too short for version 1, and by its characters it could be a token. */
  const start = testKey.publicKey.slice(0, 200);
  for (const [method, credential, code] of [
    ['token', testKey.publicKey, 'credential-is-public-key'],
    ['token', pem, 'credential-is-public-key'],
    ['token', start, 'credential-is-public-key'],
    ['public-key', 'o8hd3n2k5vj1q0r9s7t6u4w2x1', 'credential-is-token'],
    ['public-key', start, 'form-invalid'],
    ['token', 'two words', 'form-invalid'],
  ] as const)
    expect(await save({ method, credential }), credential).toMatchObject({
      code,
      faults: { credential: SOME },
    });
  expect((await settings()).method).toBe('token');
});

test('VT-05, rule 10: the settings never show the token, and keep it if its field is left empty and the method is the same', async () => {
  const listener = await fakeListener();
  const { owner, at, save, vote } = await listed();
  await save({ port: String(listener.port) });
  expect((await owner.open(at)).html).not.toContain(TOKEN);
  expect(JSON.stringify(await owner.values(at))).not.toContain(TOKEN);
  const other = { method: 'public-key', credential: '' };
  expect(Object.keys((await save({ port: String(listener.port), ...other })).faults)).toEqual(['credential']);
  expect(await save({ port: String(listener.port), credential: '' })).not.toHaveProperty('faults');
  await vote();
  const { payload, signature } = readFrame(listener.received[0]!);
  expect(signature).toBe(createHmac('sha256', TOKEN).update(payload).digest('base64'));
  const fields = { host: 'foo bar', port: '1', method: 'token', credential: 'a-token-that-nobody-sees' };
  const refused = await owner.post(at, fields);
  expect([refused.status, refused.html.includes('a-token-that-nobody-sees')]).toEqual([422, false]);
});

test('VT-01, VT-04, VT-05: the settings determine the protocol of the next vote: version 2 with a token, version 1 with a key; once removed, the listener gets no more, but votes still count', async () => {
  const listener = await fakeListener(either);
  const { owner, listing: its, at, save, vote } = await listed();
  const port = String(listener.port);
  await save({ port });
  await vote('Steve');
  await save({ port, method: 'public-key', credential: testKey.publicKeyPem });
  await vote('Alex');
  await save({ port, credential: TOKEN });
  await vote('Herobrine');
  expect(readFrame(listener.received[0]!).vote.username).toBe('Steve');
  const noon = Date.parse('2026-06-01T12:00:00Z');
  expect(readBlock(listener.received[1]!)).toBe(`VOTE\nTeller listing\nAlex\n0.0.0.0\n${noon}\n`);
  expect(readFrame(listener.received[2]!).vote.username).toBe('Herobrine');
  const sends: readonly Record<string, string>[] = (await owner.values(at)).sends;
  const said = sends.map(({ player, outcome }) => `${player} ${outcome}`);
  expect(said.sort()).toEqual(['Alex sent', 'Herobrine accepted', 'Steve accepted']);
  await owner.press(at, `${at}/remove`);
  await vote('Steve');
  expect([listener.connections, (await owner.values(its.page)).votes]).toEqual([3, 4]);
});

test('SV-07, VT-14: a listing of another kind than Minecraft has no listener page, and a vote for it opens no connection', async () => {
  const listener = await fakeListener();
  const site = await listing();
  for (const kind of KINDS.filter((each) => each !== 'minecraft')) {
    const { listed: its, owner } = await site.owned(kind);
    const at = `${its.dashboard}/listener`;
    const overview = await owner.open(its.dashboard);
    expect([kind, overview.status, overview.html.includes(at)]).toEqual([kind, 200, false]);
    expect((await owner.values(its.dashboard)).listener).toBeNull();
    const fields = { host: '127.0.0.1', port: String(listener.port), method: 'token', credential: 'a' };
    expect((await owner.open(at)).status).toBe(404);
    expect((await owner.post(at, fields)).status).toBe(404);
    expect((await owner.post(`${at}/test`, { player: 'Steve' })).status).toBe(404);
    // The form of its page has no such field, but a voter can send one.
    expect((await owner.open(its.page)).form(`${its.page}/vote`)!.fields).not.toHaveProperty('player');
    await owner.post(`${its.page}/vote`, { player: 'Steve' });
    await site.quiet();
    expect([kind, (await owner.values(its.page)).votes, listener.connections]).toEqual([kind, 1, 0]);
  }
});

test('SV-07: a Minecraft listing has one, which its overview shows first, with address and outcomes', async () => {
  const listener = await fakeListener();
  const { site, owner, listing: its, save, vote } = await listed();
  const links = /class="button[^"]*" href="[^"]*\/(listener|webhook)"/g;
  const { html: before } = await owner.open(its.dashboard);
  expect([...before.matchAll(links)].map(([, to]) => to)).toEqual(['listener', 'webhook']);
  await save({ port: String(listener.port) });
  await vote('Steve');
  await save({ port: '1' });
  await vote('Alex');
  const { text, html, figures } = await owner.open(its.dashboard);
  expect([listener.connections, figures.slice(-2)]).toEqual([1, ['1', '1']]);
  expect([text, html]).toEqual([
    expect.stringContaining('127.0.0.1:1 '),
    expect.stringMatching(/badge warn/),
  ]);
  expect((await owner.values(its.dashboard)).listener).toMatchObject({
    ...{ settings: { port: 1 }, day: { accepted: 1, sent: 0, failed: 1 } },
  });
  site.clock.jump(86_400_000);
  expect((await owner.open(its.dashboard)).figures.slice(-2)).toEqual(['0', '0']);
});
