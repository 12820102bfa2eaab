import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Command } from 'commander';
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
The address may be any, this machine's own and those of its network included: the rule that keeps the listing
service to public addresses does not hold here. Redirects are not followed, and 10 s are the limit for everything,
as for the service. A secret that is typed stays in the shell's history; file: and env: do not.

Exit code 0: answered 2xx (with --bad-signature: refused as it should be). 1: anything else.
`;

/** Posts one delivery as the listing service would: 0 where the receiver did what it should, else 1. */
export const webhookSendCommand = (terminal: Terminal, parts: RunParts): Command =>
  new Command('send')
    .description('post one delivery as the listing service would, to any address, loopback included')
    .requiredOption('--url <url>', 'the receiver')
    .option('--secret <secret>', `signs it: ${SECRET_HELP} (default: not signed)`)
    .option('--bad-signature', 'sign it with a secret that nobody has: a receiver must refuse it')
    .option('--test', 'a test delivery, which earns nothing')
    .option(
      '--event-id <id>',
      'say it again to see whether a repeated event is paid twice (default: a fresh one)',
    )
    .option('--attempt <number>', 'which attempt it says it is', '1')
    .option(
      '--player <name>',
      `the player to reward; "" for a vote that names none (default: ${DEFAULT_PLAYER})`,
    )
    .option('--user-id <id>', 'the voter', '80351110224678912')
    .option('--listing-id <id>', 'the listing', '01972f3e-5a00-7000-8000-000000000001')
    .option('--game <game>', `${GAMES.join(', ')}; or bot, for a bot listing`, DEFAULT_GAME)
    .option('--json', 'print one array with what was sent and what came of it')
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
