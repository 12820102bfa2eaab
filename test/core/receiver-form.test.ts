import { expect, test } from 'vitest';
import { formOf } from '../../src/core/receiver-form.ts';

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
