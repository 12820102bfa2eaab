import { describe, expect, test } from 'vitest';
import { chatBody } from '../../src/notify/webhook/message.ts';

describe('a chat message', () => {
  const read = (paragraphs: string[], form: 'content' | 'text' | 'both') =>
    JSON.parse(String(chatBody(paragraphs, form, 'teller alarms'))) as { content?: string; text?: string };

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

  test('of more than 1,900 characters ends with how many paragraphs are left out, and which command shows them', () => {
    const { content = '' } = read(
      Array.from({ length: 40 }, (_, n) => `${n} ${'x'.repeat(98)}`),
      'content',
    );
    expect(content.length).toBeLessThanOrEqual(1_900);
    expect(content).toMatch(/\n\nAnd 22 more: see `teller alarms`\.$/);
    expect(read(['y'.repeat(3_000)], 'content').content).toHaveLength(1_900);
  });
});
