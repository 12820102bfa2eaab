import type { Terminal } from '../platform/terminal.ts';
import { Command } from './commander.ts';
import type { RunParts } from './run.ts';
import { webhookSendCommand } from './webhook-send.ts';
import { webhookSinkCommand } from './webhook-sink.ts';

/** A sender and a receiver for developers who test their own side of the signed webhook. */
export const webhookCommand = (terminal: Terminal, parts: RunParts) =>
  new Command('webhook')
    .description('test a webhook receiver, or run one')
    .addCommand(webhookSendCommand(terminal, parts))
    .addCommand(webhookSinkCommand(terminal, parts));
