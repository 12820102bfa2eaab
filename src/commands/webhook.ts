import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { USER_AGENT } from '../listing/webhooks/webhook-deliveries.ts';
import { compose } from '../notify/webhook/compose.ts';
import { postWith } from '../notify/webhook/post.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode, printJson } from './command.ts';
import { Command } from './commander.ts';
import type { RunParts } from './run.ts';
import { newWebhookSendCommand, readWebhookSending, type WebhookSendFlags } from './webhook-send-options.ts';
import { isSuccess, printSending, reportOf } from './webhook-send-report.ts';
import { webhookSinkCommand } from './webhook-sink.ts';

/** A sender and a receiver for developers who test their own side of the signed webhook. */
export const webhookCommand = (terminal: Terminal, parts: RunParts) =>
  new Command('webhook')
    .description('test a webhook receiver, or run one')
    .addCommand(webhookSendCommand(terminal, parts))
    .addCommand(webhookSinkCommand(terminal, parts));

/** Posts one delivery like the listing service. Exits with 0 if the receiver did what it should, else 1. */
const webhookSendCommand = (terminal: Terminal, parts: RunParts) =>
  newWebhookSendCommand().action(action(terminal, (flags) => send(flags, terminal, parts)));

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
