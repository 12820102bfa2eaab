import { join } from 'node:path';
import { expect, test } from 'vitest';
import { examineText } from '../../src/config/load.ts';
import { here } from '../kit/here.ts';
import { temporaryFolder } from '../support/folder.ts';

const CHAT = 'https://discord.com/api/webhooks/123/very-secret-token';
const OWN = 'https://example.com/very-secret-path';
const own = { url: OWN, on: ['party'], secret: 'very-secret-key' };
const chat = { url: CHAT, on: ['health'] };
/** Beside each config. */
const FILES = { 'chat.url': `${CHAT}\n`, wrong: 'very-secret-path' };

const read = (config: object, env: Record<string, string> = {}) =>
  examineText(JSON.stringify(config), join(temporaryFolder(FILES), 'config.json'), { env });

/** The faults of a config, then its missing secrets, which show no secret. */
async function faultsOf(config: object): Promise<readonly string[]> {
  const found = await read(config);
  expect(JSON.stringify(found)).not.toContain('very-secret');
  return [...found.faults, ...found.missingSecrets].map(({ path, code }) => `${path} ${code}`);
}

test('`alarms` may have the URL in a file, and the format is chosen by it', async () => {
  const { config } = await read({ alarms: { url: 'file:chat.url' } });
  expect(config?.alarms).toMatchObject({ format: 'auto', secret: null, name: null });
  expect(config?.alarms?.url.reveal()).toBe(CHAT);
  expect(JSON.stringify([...(config?.settings ?? [])])).not.toContain('very-secret');
});

test.each([
  [{}, 'url config-value'],
  [{ url: 'ftp://example.com/very-secret-token' }, 'url config-value'],
  [{ url: 'https://user:very-secret-token@example.com/' }, 'url config-value'],
  [{ url: 'very-secret-token' }, 'url config-value'],
  [{ url: 'file:wrong' }, 'url config-value'],
  [{ url: 'file:none' }, 'url secret-missing'],
  [{ url: '<your url here>' }, 'url secret-placeholder'],
  [{ url: CHAT, format: 'discord' }, 'format config-value'],
  [{ url: CHAT, format: 'chat', secret: 'a-signing-secret' }, 'secret config-value'],
])('`alarms` %j is refused as %s, without showing the URL', async (alarms, fault) => {
  expect(await faultsOf({ alarms })).toEqual([`alarms.${fault}`]);
});

/** What happens that receivers are told. */
const EVENT_KINDS = [
  ...['vote.rewarded', 'vote.cooldown', 'vote.refused', 'grant.delivered', 'grant.held', 'party', 'health'],
];

test('`events` are read in their order, with secrets from files, the environment and the config itself', async () => {
  const first = { url: 'file:chat.url', on: ['health', 'party'], name: 'ops' };
  const second = { url: OWN, on: EVENT_KINDS, format: 'json', secret: 'env:EVENTS_SECRET' };
  const { config } = await read({ events: [first, second] }, { EVENTS_SECRET: 'very-secret-key' });
  expect(config?.events).toMatchObject([
    { on: ['health', 'party'], format: 'auto', secret: null, name: 'ops' },
    { on: EVENT_KINDS, format: 'json', name: null, secret: { isFromEnvironment: true } },
  ]);
  expect(config?.events[0]?.url.reveal()).toBe(CHAT);
  expect(config?.events[1]?.secret?.reveal()).toBe('very-secret-key');
});

test.each([
  ['https://discord.com/api/webhooks/123/abc', true],
  ['https://ptb.discord.com/api/webhooks/123/abc', true],
  ['https://discordapp.com/api/v10/webhooks/123/abc', true],
  ['https://discord.com/api/webhooks/123/abc/slack', true],
  ['https://hooks.slack.com/services/T0/B0/x', true],
  ['https://chat.googleapis.com/v1/spaces/A/messages?key=k&token=t', true],
  ['https://example.com/hook', false],
  ['https://example.com/api/webhooks/123/abc', false],
  ['https://notdiscord.com/api/webhooks/123/abc', false],
  ['https://discord.com.example.com/api/webhooks/123/abc', false],
])('`events` at %s go to a chat, which gets no signature: %s', async (url, isChat) => {
  const { config, faults } = await read({ events: [{ ...own, url }] });
  expect(faults).toEqual([]);
  expect(config?.events[0]?.secret === null).toBe(isChat);
});

test.each<[events: unknown, ...faults: string[]]>([
  [{}, 'events config-value'],
  ['file:events', 'events config-value'],
  [Array.from({ length: 21 }, (_, n) => ({ ...own, url: `${OWN}/${n}` })), 'events config-value'],
  [[own, { ...own, url: 'file:wrong' }], 'events[1].url config-value'],
  [[own, { ...own, url: `${OWN}#again` }], 'events[1].url config-value'],
  [[chat]],
])('`events` %j has these faults: %s', async (events, ...faults) => {
  expect(await faultsOf({ events })).toEqual(faults);
});

const unsigned = { secret: undefined };
test.each<[more: object, ...faults: string[]]>([
  [{ url: undefined }, 'url config-value'],
  [{ url: 7 }, 'url config-value'],
  [{ url: 'ftp://example.com/very-secret-path' }, 'url config-value'],
  [{ url: 'https://user:very-secret-key@example.com/' }, 'url config-value'],
  [{ url: '<your url here>' }, 'url secret-placeholder'],
  [{ url: 'file:none' }, 'url secret-missing'],
  [{ url: 'env:NOT_SET' }, 'url secret-missing'],
  [{ on: undefined }, 'on config-value'],
  [{ on: [] }, 'on config-value'],
  [{ on: ['party', 'party'] }, 'on config-value'],
  [{ on: ['vote.reward'] }, 'on[0] config-value'],
  [{ on: 'party' }, 'on config-value'],
  [{ format: 'discord' }, 'format config-value'],
  [{ secret: 'file:none' }, 'secret secret-missing'],
  [{ secret: 'your-secret-here' }, 'secret secret-placeholder'],
  [{ url: CHAT, format: 'chat' }, 'secret config-value'],
  // JSON needs a secret to sign with, whether the format or the URL asks for JSON.
  [unsigned, 'secret secret-missing'],
  [{ ...unsigned, url: CHAT, format: 'json' }, 'secret secret-missing'],
  [{ ...unsigned, format: 'chat' }],
  [{ name: '' }, 'name config-value'],
  [{ name: 'a\nb' }, 'name config-value'],
  [{ name: 'x'.repeat(65) }, 'name config-value'],
  [{ event: ['party'] }, 'event config-unknown-key'],
])('`events` a receiver with %j has these faults: %s', async (more, ...faults) => {
  const events = [{ ...own, ...more }];
  expect(await faultsOf({ events })).toEqual(faults.map((fault) => `events[0].${fault}`));
});

test('`events` that cannot be signed do not prevent a command that needs no secret, and nothing is sent unsigned', async () => {
  const { config } = await read({ events: [{ url: OWN, on: ['party'] }] });
  expect(() => config?.events[0]?.secret?.reveal()).toThrow(/events\[0\]\.secret/);
});

test.each([
  ['config.json', '{\n "events": [\n  { "url": "ftp://very-secret", "on": ["party"] }\n ]\n}', '3:12'],
  ['config.yml', 'events:\n  - on: [party]\n    url: ftp://very-secret\n', '3:10'],
])('`events` have the fault of a URL in %s where the URL is', async (name, text, place) => {
  const { faults } = await examineText(text, join(temporaryFolder(), name), { env: {} });
  const places = faults.map(({ line, column, path }) => `${line}:${column} ${path}`);
  expect(places).toEqual([`${place} events[0].url`]);
});

test('`events` that change are compared by value, are applied by a reload, and show no secret', async () => {
  const teller = await here({ events: [chat, own] });
  const other = { ...chat, url: `${CHAT}-2` };
  for (const [events, ...changes] of [
    [[other, { ...own, secret: 'very-secret-2' }], 'events[0].url changed', 'events[1].secret changed'],
    [[other], 'events[1] removed'],
    [[other, own], 'events[1] added'],
    [[other, own]],
  ] as const) {
    const { out } = await teller.reload({ events });
    expect(out).not.toContain('very-secret');
    expect(out.split('\n').slice(1)).toEqual(changes.map((change) => `  ${change}`));
  }
});
