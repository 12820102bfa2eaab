import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Command } from '@commander-js/extra-typings';
import { GAMES } from '../../protocol/webhook/payload.ts';
import { USER_AGENT } from '../listing/webhooks/webhook-deliveries.ts';
import type { Terminal } from '../runtime/terminal.ts';
import { compose } from '../webhook-send/compose.ts';
import { postWith } from '../webhook-send/post.ts';
import { action, type ExitCode, printJson } from './command.ts';
import type { RunParts } from './run.ts';
import { SECRET_HELP } from './webhook-secret.ts';
import {
  DEFAULT_GAME,
  DEFAULT_PLAYER,
  readWebhookSending,
  type WebhookSendFlags,
} from './webhook-send-options.ts';
import { isSuccess, printSending, reportOf } from './webhook-send-report.ts';

const NOTES = `
Any address is allowed, including those of this machine and its network; the listing service itself posts only to
public addresses. As in the service, redirects are not followed and the whole request may take 10 s. A secret that you
type stays in the shell's history; with file: and env: it does not.

Exit code 0: the answer was 2xx; with --bad-signature, the delivery was refused. 1: anything else.
`;

/** Posts one delivery like the listing service. Exits with 0 if the receiver did what it should, else 1. */
export const webhookSendCommand = (terminal: Terminal, parts: RunParts) =>
  new Command('send')
    .description('post one delivery like the listing service, to any address, including loopback')
    .requiredOption('--url <url>', 'the URL of the receiver')
    .option('--secret <secret>', `sign it with this secret: ${SECRET_HELP} (default: not signed)`)
    .option('--bad-signature', 'sign it with a random secret, so that the receiver must refuse it')
    .option('--test', 'send a test delivery, which earns nothing')
    .option(
      '--event-id <id>',
      'the event ID; repeat one to see whether the event is paid twice (default: a new one)',
    )
    .option('--attempt <number>', 'the attempt number to send', '1')
    .option(
      '--player <name>',
      `the player to reward; "" for a vote without a player (default: ${DEFAULT_PLAYER})`,
    )
    .option('--user-id <id>', 'the user ID of the voter', '80351110224678912')
    .option('--listing-id <id>', 'the ID of the listing', '01972f3e-5a00-7000-8000-000000000001')
    .option('--game <game>', `${GAMES.join(', ')}; or bot, for a bot listing`, DEFAULT_GAME)
    .option('--json', 'print one JSON array with what was sent and what was answered')
    .addHelpText('after', NOTES)
    .action(action(terminal, (flags: WebhookSendFlags) => send(flags, terminal, parts)));

async function send(
  flags: WebhookSendFlags,
  terminal: Terminal,
  { clock, random }: RunParts,
): Promise<ExitCode> {
  const { url, wanted, signature, hidden } = await readWebhookSending(flags, random);
  const composed = compose(wanted, { clock, random, userAgent: USER_AGENT });
  const post = postWith(lookup as LookupFunction, clock);
  const startedAt = clock.monotonic();
  const { headers, body } = composed;
  const answer = await post({ url, headers, body }, new AbortController().signal);
  const durationMs = Math.round(clock.monotonic() - startedAt);
  const report = reportOf({ composed, url, isTest: wanted.isTest, signature, answer, durationMs, hidden });
  if (flags.json === true) printJson(terminal, [report]);
  else printSending(terminal, report);
  return isSuccess(report) ? 0 : 1;
}
