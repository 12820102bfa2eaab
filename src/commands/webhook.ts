import { Command } from 'commander';
import type { Terminal } from '../runtime/terminal.ts';
import type { RunParts } from './run.ts';
import { webhookSendCommand } from './webhook-send.ts';
import { webhookSinkCommand } from './webhook-sink.ts';

/** For people who write receivers of the signed webhook: a sender and a receiver to try theirs against. */
export const webhookCommand = (terminal: Terminal, parts: RunParts): Command =>
  new Command('webhook')
    .description('try out a receiver of the signed webhook, or be one')
    .addCommand(webhookSendCommand(terminal, parts))
    .addCommand(webhookSinkCommand(terminal, parts));
