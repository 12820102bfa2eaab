import { describe, expect, test } from 'vitest';
import { chatBody } from '../../src/alarms/chat-body.ts';
import { formOf } from '../../src/alarms/form.ts';
import { saidTime } from '../../src/alarms/said-time.ts';
import { at } from '../support/votes.ts';

const CHANNEL = '/api/webhooks/123/abc';

test.each([
  [`https://discord.com${CHANNEL}`, 'auto', 'content'],
  [`https://ptb.discord.com${CHANNEL}`, 'auto', 'content'],
  [`https://discordapp.com/api/v10/webhooks/123/abc`, 'auto', 'content'],
  [`https://discord.com${CHANNEL}/slack`, 'auto', 'text'],
  ['https://hooks.slack.com/services/T0/B0/x', 'auto', 'text'],
  ['https://chat.googleapis.com/v1/spaces/A/messages?key=k&token=t', 'auto', 'text'],
  ['https://example.com/hook', 'auto', 'json'],
  [`https://example.com${CHANNEL}`, 'auto', 'json'],
  [`https://notdiscord.com${CHANNEL}`, 'auto', 'json'],
  [`https://discord.com.example.com${CHANNEL}`, 'auto', 'json'],
  [`https://example.com${CHANNEL}`, 'chat', 'content'],
  ['https://chat.example.com/hooks/abc', 'chat', 'both'],
  ['https://hooks.slack.com/services/T0/B0/x', 'chat', 'text'],
  [`https://discord.com${CHANNEL}`, 'json', 'json'],
] as const)('%s with the format %s gets %s', (url, format, form) => {
  expect(formOf(new URL(url), format)).toBe(form);
});

describe('a chat message', () => {
  const read = (paragraphs: string[], form: 'content' | 'text' | 'both') =>
    JSON.parse(String(chatBody(paragraphs, form))) as { content?: string; text?: string };

  test('has only the keys that the chat knows', () => {
    expect(read(['a', 'b'], 'content')).toEqual({ content: 'a\n\nb', allowed_mentions: { parse: [] } });
    expect(read(['a', 'b'], 'text')).toEqual({ text: 'a\n\nb' });
    expect(read(['a'], 'both')).toEqual({ content: 'a', text: 'a', allowed_mentions: { parse: [] } });
  });

  test('shows names as they are, mentions nobody and keeps commands as code', () => {
    const paragraph = 'My_*List* <!channel> @everyone <@1>: run `teller grants --state held`';
    expect(read([paragraph], 'content').content).toBe(
      'My\\_\\*List\\* \\<!channel> @everyone \\<@1>: run `teller grants --state held`',
    );
    expect(read([paragraph], 'text').text).toBe(
      'My_*List* &lt;!channel&gt; @\u200beveryone &lt;@\u200b1&gt;: run `teller grants --state held`',
    );
  });

  test('of more than 1,900 characters ends with how many alarms are left out', () => {
    const { content = '' } = read(
      Array.from({ length: 40 }, (_, n) => `${n} ${'x'.repeat(98)}`),
      'content',
    );
    expect(content.length).toBeLessThanOrEqual(1_900);
    expect(content).toMatch(/\n\nAnd 22 more: see `teller alarms`\.$/);
    expect(read(['y'.repeat(3_000)], 'content').content).toHaveLength(1_900);
  });
});

test.each([
  ['UTC', '2026-06-01T09:05:00Z', '09:05 UTC'],
  ['UTC', '2026-05-31T23:59:00Z', '31 May 23:59 UTC'],
  ['Europe/Berlin', '2026-05-31T22:05:00Z', '00:05 CEST'],
  ['America/New_York', '2026-06-01T01:05:00Z', '31 May 21:05 GMT-4'],
] as const)('in %s, %s is told as %s at noon of 1 June', (zone, iso, told) => {
  expect(saidTime(at(iso), at('2026-06-01T12:00:00Z'), zone)).toBe(told);
});
