import { Command } from '@commander-js/extra-typings';
import type { Clock } from '../core/clock.ts';
import { STAND_IN_SERVICE } from '../core/vote.ts';
import type { Terminal } from '../runtime/terminal.ts';
import { sendVote } from '../sender/send-vote.ts';
import { sendMany } from '../sender/send-many.ts';
import { action, type ExitCode } from './command.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';
import { readSending, type SendFlags } from './send-options.ts';
import { type SendView, showProgress } from './send-progress.ts';
import { type NumberedVote, SendReport } from './send-report.ts';

/** Sends votes to any listener and says what became of them. Exits with 0 if every vote was accepted or sent, else 1. */
export const sendCommand = (terminal: Terminal, clock: Clock) =>
  new Command('send')
    .description('send votes to any listener, and show what it answered or why it did not')
    .option('--host <host>', 'the listener, as host or host:port (default: from the config, else 127.0.0.1)')
    .option('--port <port>', 'its port (default: from the config, else 8192)')
    .option('--service <name>', 'the service name', STAND_IN_SERVICE)
    .option('--player <name>', 'the player; {n} becomes 1, 2, 3 …', 'Steve')
    .option('--address <address>', 'the voter’s address', '127.0.0.1')
    .option('--timestamp <text>', 'the claimed time, sent unchanged (default: now, in milliseconds)')
    .option('--count <number>', 'how many votes to send', '1')
    .option('--concurrency <number>', 'how many votes to send at once', '16')
    .option('--token <token>', 'send with version 2 and this token: file:PATH, env:NAME, or the token itself')
    .option(
      '--public-key <key>',
      'send with version 1 and this public key of the listener: a file, file:PATH, or the key itself',
    )
    .option(
      '--config <file>',
      `the config file with the port and tokens of a local listener (default: ${DEFAULT_CONFIG}, if it exists)`,
    )
    .option('--json', 'print one JSON array with the result of each vote')
    .action(action(terminal, (flags: SendFlags) => send(flags, terminal, clock)));

async function send(flags: SendFlags, terminal: Terminal, clock: Clock): Promise<ExitCode> {
  const { target, count, concurrency } = await readSending(flags);
  const report = new SendReport(flags.json === true);
  const startedAt = clock.monotonic();
  const elapsedMs = () => clock.monotonic() - startedAt;
  const view: SendView = {
    total: count,
    done: () => report.tally.total,
    interrupted: () => report.printInterrupted(terminal, elapsedMs()),
  };
  const progress = await showProgress(view, terminal, clock);
  await sendMany(
    votesOf(flags, count, clock),
    concurrency,
    ({ vote }) => sendVote(vote, target, { clock }),
    (numbered, result) => report.add(numbered, result),
  );
  progress.stop();
  report.print(terminal, elapsedMs());
  return report.tally.failed === 0 ? 0 : 1;
}

/** Creates each vote just before it is sent, so that `now` is the time of sending. */
function* votesOf(flags: SendFlags, count: number, clock: Clock): Iterable<NumberedVote> {
  for (let n = 1; n <= count; n++) {
    const username = flags.player.replaceAll('{n}', String(n));
    const timestamp = flags.timestamp ?? String(clock.now());
    yield { n, vote: { serviceName: flags.service, username, address: flags.address, timestamp } };
  }
}
