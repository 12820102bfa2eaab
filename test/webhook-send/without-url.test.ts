import { expect, test } from 'vitest';
import { withoutUrl } from '../../src/notify/webhook/without-url.ts';

const url = new URL('https://chat.example.com/api/webhooks/123456/a%20token-of-it?key=query-secret');

test.each([
  [
    'no such hook: https://chat.example.com/api/webhooks/123456/a%20token-of-it?key=query-secret',
    'no such hook: (hidden)',
  ],
  ['/api/webhooks/123456/a%20token-of-it is gone', '(hidden) is gone'],
  ['the token "a token-of-it" is wrong', 'the token "(hidden)" is wrong'],
  ['key query-secret at chat.example.com', 'key (hidden) at (hidden)'],
  ['{"message": "Unknown Webhook", "code": 10015}', '{"message": "Unknown Webhook", "code": 10015}'],
])('%s is shown as %s', (text, shown) => {
  expect(withoutUrl(text, url)).toBe(shown);
});
