import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { examineText } from '../../src/config/load.ts';
import { here } from '../kit/here.ts';
import { temporaryFolder } from '../support/folder.ts';

const ALARM_URL = 'https://discord.com/api/webhooks/123/very-secret-token';

const alarmsExamined = (alarms: object, files: Record<string, string> = {}) => {
  const file = join(temporaryFolder(files), 'config.json');
  return examineText(JSON.stringify({ alarms }), file, { env: {} });
};

const alarmFaults = async (alarms: object, files: Record<string, string> = {}) =>
  (await alarmsExamined(alarms, files)).faults.map(({ path, code }) => `${path} ${code}`);

test('the URL may be in a file, and the format is chosen by it', async () => {
  const { config } = await alarmsExamined({ url: 'file:alarms.url' }, { 'alarms.url': `${ALARM_URL}\n` });
  expect(config?.alarms).toMatchObject({ format: 'auto', secret: null, name: null });
  expect(config?.alarms?.url.reveal()).toBe(ALARM_URL);
  expect(JSON.stringify([...(config?.settings ?? [])])).not.toContain('very-secret');
});

test('without `alarms` nobody is notified', async () => {
  expect((await examineText('{}', join(temporaryFolder(), 'config.json'))).config?.alarms).toBeNull();
});

test.each([
  [{}, 'alarms.url config-value'],
  [{ url: 'ftp://example.com/very-secret-token' }, 'alarms.url config-value'],
  [{ url: 'https://user:very-secret-token@example.com/' }, 'alarms.url config-value'],
  [{ url: 'very-secret-token' }, 'alarms.url config-value'],
  [{ url: 'file:wrong' }, 'alarms.url config-value'],
  [{ url: '<your url here>' }, 'alarms.url secret-placeholder'],
  [{ url: ALARM_URL, format: 'discord' }, 'alarms.format config-value'],
  [{ url: ALARM_URL, format: 'chat', secret: 'a-signing-secret' }, 'alarms.secret config-value'],
])('%j is refused as %s, without showing the URL', async (alarms, fault) => {
  const { faults } = await alarmsExamined(alarms, { wrong: 'very-secret-token' });
  expect(faults.map(({ path, code }) => `${path} ${code}`)).toEqual([fault]);
  expect(JSON.stringify(faults)).not.toContain('very-secret');
});

test('a file that does not exist is a missing secret, and no other fault', async () => {
  expect(await alarmFaults({ url: 'file:none' })).toEqual([]);
  expect((await alarmsExamined({ url: 'file:none' })).missingSecrets).toMatchObject([
    { code: 'secret-missing' },
  ]);
});

const CHAT = 'https://discord.com/api/webhooks/123/very-secret-token';
const OWN = 'https://example.com/very-secret-path';
const own = { url: OWN, on: ['party'], secret: 'very-secret-key' };
const chat = { url: CHAT, on: ['health'] };

const examined = (events: unknown, files: Record<string, string> = {}, env: Record<string, string> = {}) =>
  examineText(JSON.stringify({ events }), join(temporaryFolder(files), 'config.json'), { env });

const faultsOf = async (events: unknown, files: Record<string, string> = {}) => {
  const { faults, missingSecrets } = await examined(events, files);
  return [...faults, ...missingSecrets].map(({ path, code }) => `${path} ${code}`);
};

test('without `events` there are no receivers', async () => {
  expect((await examineText('{}', join(temporaryFolder(), 'config.json'))).config?.events).toEqual([]);
});

test('receivers are read in their order, with secrets from files, the environment and the config itself', async () => {
  const { config } = await examined(
    [
      { url: 'file:chat.url', on: ['health', 'party'], name: 'ops' },
      { url: OWN, on: EVENT_KINDS, format: 'json', secret: 'env:EVENTS_SECRET' },
    ],
    { 'chat.url': `${CHAT}\n` },
    { EVENTS_SECRET: 'very-secret-key' },
  );
  const [first, second] = config?.events ?? [];
  expect(first).toMatchObject({ on: ['health', 'party'], format: 'auto', secret: null, name: 'ops' });
  expect(first?.url.reveal()).toBe(CHAT);
  expect(second).toMatchObject({ on: EVENT_KINDS, format: 'json', name: null });
  expect(second?.secret?.reveal()).toBe('very-secret-key');
  expect(second?.secret?.isFromEnvironment).toBe(true);
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
])('%s is a chat, which gets no signature: %s', async (url, isChat) => {
  const { config, faults } = await examined([{ url, on: ['party'], secret: 'very-secret-key' }]);
  expect(faults).toEqual([]);
  expect(config?.events[0]?.secret === null).toBe(isChat);
});

/** What happens that receivers are told. */
const EVENT_KINDS = [
  ...['vote.rewarded', 'vote.cooldown', 'vote.refused', 'grant.delivered', 'grant.held', 'party', 'health'],
];

describe('faults', () => {
  const two = [own, { ...own, url: `${OWN}#again` }];
  test.each<[unknown, readonly string[]]>([
    [{}, ['events config-value']],
    ['file:events', ['events config-value']],
    [Array.from({ length: 21 }, (_, n) => ({ ...own, url: `${OWN}/${n}` })), ['events config-value']],
    [[{ ...own, url: undefined }], ['events[0].url config-value']],
    [[{ ...own, url: 7 }], ['events[0].url config-value']],
    [[{ ...own, url: 'ftp://example.com/very-secret-path' }], ['events[0].url config-value']],
    [[{ ...own, url: 'https://user:very-secret-key@example.com/' }], ['events[0].url config-value']],
    [[own, { ...own, url: 'file:wrong' }], ['events[1].url config-value']],
    [[{ ...own, url: '<your url here>' }], ['events[0].url secret-placeholder']],
    [[{ ...own, url: 'file:none' }], ['events[0].url secret-missing']],
    [[{ ...own, url: 'env:NOT_SET' }], ['events[0].url secret-missing']],
    [two, ['events[1].url config-value']],
    [[{ ...own, on: undefined }], ['events[0].on config-value']],
    [[{ ...own, on: [] }], ['events[0].on config-value']],
    [[{ ...own, on: ['party', 'party'] }], ['events[0].on config-value']],
    [[{ ...own, on: ['vote.reward'] }], ['events[0].on[0] config-value']],
    [[{ ...own, on: 'party' }], ['events[0].on config-value']],
    [[{ ...own, format: 'discord' }], ['events[0].format config-value']],
    [[{ ...own, secret: 'file:none' }], ['events[0].secret secret-missing']],
    [[{ ...own, secret: 'your-secret-here' }], ['events[0].secret secret-placeholder']],
    [[{ ...chat, format: 'chat', secret: 'very-secret-key' }], ['events[0].secret config-value']],
    [[{ ...own, name: '' }], ['events[0].name config-value']],
    [[{ ...own, name: 'a\nb' }], ['events[0].name config-value']],
    [[{ ...own, name: 'x'.repeat(65) }], ['events[0].name config-value']],
    [[{ ...own, event: ['party'] }], ['events[0].event config-unknown-key']],
  ])('%j is refused as %j, without showing a secret', async (events, found) => {
    const files = { wrong: 'very-secret-path' };
    expect(await faultsOf(events, files)).toEqual(found);
    expect(JSON.stringify(await examined(events, files))).not.toContain('very-secret');
  });

  test('JSON needs a secret to sign with, whether the format or the URL asks for JSON', async () => {
    const unsigned = { url: OWN, on: ['party'] };
    expect(await faultsOf([unsigned])).toEqual(['events[0].secret secret-missing']);
    expect(await faultsOf([{ ...unsigned, url: CHAT, format: 'json' }])).toEqual([
      'events[0].secret secret-missing',
    ]);
    expect(await faultsOf([{ ...unsigned, format: 'chat' }])).toEqual([]);
    expect(await faultsOf([chat])).toEqual([]);
  });

  test('a command that needs no secret loads a config whose JSON cannot be signed, and nothing is sent unsigned', async () => {
    const { config } = await examined([{ url: OWN, on: ['party'] }]);
    expect(() => config?.events[0]?.secret?.reveal()).toThrow(/events\[0\]\.secret/);
  });

  test.each([
    ['config.json', '{\n "events": [\n  { "url": "ftp://very-secret", "on": ["party"] }\n ]\n}', '3:12'],
    ['config.yml', 'events:\n  - on: [party]\n    url: ftp://very-secret\n', '3:10'],
  ])('the fault of a URL in %s is where the URL is', async (name, text, place) => {
    const { faults } = await examineText(text, join(temporaryFolder(), name), { env: {} });
    expect(faults.map(({ line, column, path }) => `${line}:${column} ${path}`)).toEqual([
      `${place} events[0].url`,
    ]);
  });
});

describe('a change of receivers', () => {
  test('is compared by value, is applied by a reload, and shows no secret', async () => {
    const teller = await here({ events: [chat, own] });
    const applied = async (events: readonly object[]) => {
      const { out } = await teller.reload({ events });
      expect(out).not.toContain('very-secret');
      return out.split('\n').slice(1);
    };
    expect(
      await applied([
        { ...chat, url: `${CHAT}-2` },
        { ...own, secret: 'very-secret-2' },
      ]),
    ).toEqual(['  events[0].url changed', '  events[1].secret changed']);
    expect(await applied([{ ...chat, url: `${CHAT}-2` }])).toEqual(['  events[1] removed']);
    expect(await applied([{ ...chat, url: `${CHAT}-2` }, own])).toEqual(['  events[1] added']);
    expect(await applied([{ ...chat, url: `${CHAT}-2` }, own])).toEqual([]);
  });
});
