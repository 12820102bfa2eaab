import * as z from 'zod';
import { distinct, line, list, secretReference, section } from '../core/config-values.ts';
import { EVENT_KINDS } from '../core/event-kind.ts';
import { RECEIVER_FORMATS } from '../core/receiver-form.ts';

const RECEIVERS_MAX = 20;

const receiver = section({
  url: secretReference.describe(
    'Where events are posted: "file:PATH", "env:NAME" or the URL itself. Whoever has the URL of a channel’s webhook can post there, so it is a secret. Each URL has one entry.',
  ),
  on: distinct(z.enum(EVENT_KINDS), 1, EVENT_KINDS.length).describe('The kinds of events to post.'),
  format: z
    .enum(RECEIVER_FORMATS)
    .default('auto')
    .describe(
      'json: signed JSON for your own program. chat: a message for a chat channel, as Discord, Slack and compatible chats take it. auto: chat for the hosts of Discord, Slack and Google Chat, otherwise json.',
    ),
  secret: secretReference
    .optional()
    .describe(
      'Secret that JSON events are signed with: "file:PATH", "env:NAME" or the secret itself. Required for JSON; a chat takes no signature.',
    ),
  name: line(64)
    .optional()
    .describe('What commands and the log call this receiver. Default: the host of the URL.'),
});

export const events = list(receiver, 0, RECEIVERS_MAX)
  .prefault([])
  .describe(
    'Receivers of events, such as your own program or a chat channel: each is told what happens, of the kinds that it asks for.',
  );

export type ReceiverEntry = z.output<typeof receiver>;
