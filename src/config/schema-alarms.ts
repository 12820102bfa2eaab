import * as z from 'zod';
import { line, secretReference, section } from '../core/config-values.ts';
import { RECEIVER_FORMATS } from '../core/receiver-form.ts';

const entry = section({
  url: secretReference.describe(
    'Where messages are posted, such as the webhook of a chat channel: "file:PATH", "env:NAME" or the URL itself. Whoever has the URL of a channel’s webhook can post there, so it is a secret.',
  ),
  format: z
    .enum(RECEIVER_FORMATS)
    .default('auto')
    .describe(
      'chat: a message for a chat channel, as Discord, Slack and compatible chats take it. json: a JSON event for your own program. auto: chat for the hosts of Discord, Slack and Google Chat, otherwise json.',
    ),
  secret: secretReference
    .optional()
    .describe(
      'Secret that JSON events are signed with: "file:PATH", "env:NAME" or the secret itself. Default: they are not signed.',
    ),
  name: line(64)
    .optional()
    .describe('Name of this Teller at the beginning of each message, if you run several. Default: none.'),
});

export const alarms = entry
  .optional()
  .describe(
    'Notifies you once when something needs you and once when it is over, also while no page is open. Default: nobody is notified.',
  );
