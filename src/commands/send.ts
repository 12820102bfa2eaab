import { Command } from 'commander';
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

/** Sends votes to any listener and says what became of each: 0 when every one was accepted or sent, else 1. */
export const sendCommand = (terminal: Terminal, clock: Clock): Command =>
  new Command('send')
    .description('send votes to any listener, and say what it answered or why it did not')
    .option('--host <host>', 'the listener, also as host:port (default: the config’s, else 127.0.0.1)')
    .option('--port <port>', 'its port (default: the config’s, else 8192)')
    .option('--service <name>', 'the service name', STAND_IN_SERVICE)
    .option('--player <name>', 'the player; {n} becomes 1, 2, 3 …', 'Steve')
    .option('--address <address>', 'the voter’s address', '127.0.0.1')
    .option('--timestamp <text>', 'the claimed time, sent as it is (default: now, in milliseconds)')
    .option('--count <number>', 'how many votes', '1')
    .option('--concurrency <number>', 'how many at once', '16')
    .option('--token <token>', 'version 2: file:PATH, env:NAME, or the token itself')
    .option(
      '--public-key <key>',
      'version 1: the listener’s public key: its file, file:PATH, or the key itself',
    )
    .option(
      '--config <file>',
      `where a local listener’s port and tokens are (default: ${DEFAULT_CONFIG}, if there)`,
    )
    .option('--json', 'print one array with the result of each vote')
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

/** Each vote is made when its turn comes, so that `now` is the time of its sending. */
function* votesOf(flags: SendFlags, count: number, clock: Clock): Iterable<NumberedVote> {
  for (let n = 1; n <= count; n++) {
    const username = flags.player.replaceAll('{n}', String(n));
    const timestamp = flags.timestamp ?? String(clock.now());
    yield { n, vote: { serviceName: flags.service, username, address: flags.address, timestamp } };
  }
}
