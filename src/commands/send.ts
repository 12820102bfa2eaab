import type { Clock } from '../core/clock.ts';
import type { Terminal } from '../platform/terminal.ts';
import { sendVote } from '../sender/send.ts';
import { action, type ExitCode } from './command.ts';
import { newSendCommand, readSending, type SendFlags } from './send-options.ts';
import { type SendView, showProgress } from './send-progress.ts';
import { type NumberedVote, SendReport } from './send-report.ts';

/** Sends votes to any listener and says what became of them. Exits with 0 if every vote was accepted or sent, else 1. */
export const sendCommand = (terminal: Terminal, clock: Clock) =>
  newSendCommand().action(action(terminal, (flags) => send(flags, terminal, clock)));

async function send(flags: SendFlags, terminal: Terminal, systemClock: Clock): Promise<ExitCode> {
  const { target, clock, count, concurrency } = await readSending(flags, terminal, systemClock);
  const report = new SendReport(flags.json === true);
  const startedAt = clock.monotonic();
  const elapsedMs = () => clock.monotonic() - startedAt;
  const view: SendView = {
    total: count,
    done: () => report.total,
    interrupted: () => report.printInterrupted(terminal, elapsedMs()),
  };
  const progress = await showProgress(view, terminal, clock);
  const votes = votesOf(flags, count, clock);
  const sendSome = async () => {
    for (const numbered of votes) report.add(numbered, await sendVote(numbered.vote, target, { clock }));
  };
  await Promise.all(Array.from({ length: concurrency }, sendSome));
  progress.stop();
  report.print(terminal, elapsedMs());
  return report.failed === 0 ? 0 : 1;
}

/**
 * Creates each vote just before it is sent, so that `now` is the time of sending, and a million votes need no more memory than a
 * hundred.
 */
function* votesOf(flags: SendFlags, count: number, clock: Clock): Iterable<NumberedVote> {
  for (let n = 1; n <= count; n++) {
    const username = flags.player.replaceAll('{n}', String(n));
    const timestamp = flags.timestamp ?? String(clock.now());
    yield { n, vote: { serviceName: flags.service, username, address: flags.address, timestamp } };
  }
}
