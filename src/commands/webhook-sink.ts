import { isLoopback } from '../core/address.ts';
import { durationText, HOUR_MS, parseDuration } from '../core/duration.ts';
import { isoTime } from '../core/instant.ts';
import { printable } from '../core/printable.ts';
import type { Terminal } from '../platform/terminal.ts';
import type { AskedPlayers, ReceivedCommand } from '../practice/webhook-tools/command-receiver.ts';
import { COMMAND_OUTCOMES, type CommandOutcome } from '../practice/webhook-tools/commands.ts';
import { type Sink, startCommandSink, startSink } from '../practice/webhook-tools/sink.ts';
import { type ExitCode, type FlagsOf, service } from './command.ts';
import { Command } from './commander.ts';
import { Flags } from './flags.ts';
import type { RunParts } from './run.ts';
import { readSecret, SECRET_HELP, secretFlag } from './webhook-secret.ts';
import {
  type Arrival,
  answeredText,
  deliveryBlock,
  eventBlock,
  otherLine,
  SIGNATURES,
  toJson,
} from './webhook-sink-report.ts';

const ANSWERS_MAX = 100;
const COUNT_MAX = 1_000_000;
const ONLINE_MAX = 1_000;

const NOTES = `
It accepts POST requests of at most 64 KiB on every path: a listing's votes (vote.created), and what Teller posts to
your programs, which is its events, its alarms and the tests of both. It answers 204 if the signature is valid or there
is no --secret, 401 if the signature is not valid, and 400 if the request is none of these. With --answer, your statuses
are sent instead of 204 and 401.

With --commands it takes what Teller sends to a game server of kind http, and runs nothing. It answers 204, which means
that the command ran, or, with --answer, a signed outcome. A command that ran is not run again.
`;

const newCommand = () =>
  new Command('sink')
    .description(
      'run a receiver that shows each delivery, whether its signature is valid, and whether it is a repeat',
    )
    .option('--host <host>', 'the host to listen on', '127.0.0.1')
    .option('--port <port>', 'the port to listen on; 0 for a free one', '0')
    .option('--secret <secret>', `check signatures with this secret: ${SECRET_HELP}`)
    .option('--commands', 'receive the commands of a game server of kind http instead of votes')
    .option(
      '--answer <answers>',
      'answer with these in turn, then repeat the last: statuses such as "500,500,200"; with --commands, outcomes such as "player-offline,delivered"',
    )
    .option('--online <names>', 'with --commands: who is online, such as "Steve,Alex"')
    .option('--delay <duration>', 'wait before each answer; the listing service gives up after 10s', '0s')
    .option('--count <number>', 'stop after this many deliveries (default: run until stopped)')
    .option('--json', 'print one line of JSON per delivery')
    .addHelpText('after', NOTES);

type SinkFlags = FlagsOf<typeof newCommand>;

/** Receives deliveries and shows each, until it is stopped or --count is reached. */
export const webhookSinkCommand = (terminal: Terminal, parts: RunParts) =>
  newCommand().action(service(terminal, (unblocked, flags) => receive(flags, unblocked, parts)));

async function receive(flags: SinkFlags, terminal: Terminal, parts: RunParts): Promise<ExitCode> {
  const settings = readFlags(flags);
  const enough = new Countdown(settings.count);
  const show = (arrival: Arrival): void => terminal.out(shown(arrival, flags.json === true));
  const sink = await started(settings, await readSecret(flags.secret), parts, {
    show,
    count: (arrival) => {
      if (!enough.isReached) show(arrival);
      enough.one();
    },
  });
  if (!isLoopback(sink.host)) {
    terminal.err(`other machines can also reach this sink at ${sink.host}; it shows what they send`);
  }
  // A reader of the ready line may stop the process at once.
  const stopped = parts.stopped();
  terminal.out(JSON.stringify({ msg: 'ready', sink: { url: sink.url } }));
  if (terminal.interactive) {
    terminal.err(
      settings.isForCommands
        ? `to try it, put {"kind": "http", "url": "${sink.url}", "secret": …} into gameServers`
        : `try it in another terminal:  ${parts.teller} webhook send --url ${sink.url}${secretFlag(flags.secret)}`,
    );
  }
  await Promise.race([stopped, enough.reached]);
  await sink.close();
  return 0;
}

interface Shows {
  readonly show: (arrival: Arrival) => void;
  /** Shows what --count counts. */
  readonly count: (arrival: Arrival) => void;
}

function started(
  { isForCommands, answers, outcomes, online, ...settings }: SinkSettings,
  secret: string | null,
  { clock }: RunParts,
  { show: onOther, count }: Shows,
): Promise<Sink> {
  const all = { ...settings, secret, clock, onOther };
  return isForCommands
    ? startCommandSink({ ...all, outcomes, online, onCommand: count })
    : startSink({ ...all, answers, onDelivery: count, onEvent: count });
}

type SinkSettings = ReturnType<typeof readFlags>;

/** @throws Problem `usage` that names everything wrong */
function readFlags({ host, port, secret, answer, delay, count, commands, online }: SinkFlags) {
  const faults = new Flags();
  const isForCommands = commands === true;
  if (online !== undefined && !isForCommands) faults.fault('--online needs --commands');
  if (isForCommands && secret === undefined && (answer ?? online) !== undefined)
    faults.fault(
      '--answer and --online need --secret with --commands, because Teller believes only signed answers',
    );
  if (host === '') faults.fault('--host must not be empty');
  if (secret === '') faults.fault('--secret must not be empty; leave it out to check no signatures');
  const settings = {
    host,
    port: faults.wholeNumber('--port', port, 0, 65_535) ?? 0,
    isForCommands,
    answers: isForCommands ? [] : readAnswers(answer, faults),
    outcomes: isForCommands ? readOutcomes(answer, faults) : [],
    online: readOnline(online, faults),
    delayMs: readDelay(delay, faults),
    count: faults.wholeNumber('--count', count, 1, COUNT_MAX) ?? null,
  };
  faults.done();
  return settings;
}

function readAnswers(text: string | undefined, faults: Flags): number[] {
  if (text === undefined) return [];
  const statuses = text.split(',').map((status) => status.trim());
  if (statuses.length > ANSWERS_MAX || !statuses.every((status) => /^[2-5]\d\d$/.test(status))) {
    faults.fault(`--answer must be statuses from 200 to 599, like "500,500,200", not "${text}"`);
  }
  return statuses.map(Number);
}

function readOutcomes(text: string | undefined, faults: Flags): CommandOutcome[] {
  if (text === undefined) return [];
  const words = text.split(',', ANSWERS_MAX).map((word) => word.trim());
  return words.flatMap((word) => faults.oneOf('--answer', word, COMMAND_OUTCOMES) ?? []);
}

function readOnline(text: string | undefined, faults: Flags): readonly string[] | null {
  if (text === undefined) return null;
  const names = text.split(',').flatMap((name) => name.trim() || []);
  if (names.length > ONLINE_MAX || names.some((name) => !/^[^\s\p{C}]{1,32}$/u.test(name)))
    faults.fault(`--online must be at most ${ONLINE_MAX} names, like "Steve,Alex", not "${text}"`);
  return names;
}

function readDelay(text: string | undefined, faults: Flags): number {
  const delayMs = parseDuration(text ?? '0s');
  if (delayMs !== null && delayMs <= HOUR_MS) return delayMs;
  faults.fault(`--delay must be a duration of at most ${durationText(HOUR_MS)}, like "11s", not "${text}"`);
  return 0;
}

function shown(arrival: Arrival, isJson: boolean): string {
  if (isJson) return JSON.stringify(toJson(arrival));
  switch (arrival.kind) {
    case 'delivery':
      return deliveryBlock(arrival);
    case 'event':
      return eventBlock(arrival);
    case 'command':
      return commandLine(arrival);
    case 'players':
      return playersLine(arrival);
    default:
      return otherLine(arrival);
  }
}

/** `reached` resolves after `count` deliveries; with null, never. */
class Countdown {
  private left: number;
  private done: () => void = () => {};
  readonly reached = new Promise<void>((resolve) => {
    this.done = resolve;
  });

  constructor(count: number | null) {
    this.left = count ?? Number.POSITIVE_INFINITY;
  }

  get isReached(): boolean {
    return this.left <= 0;
  }

  one(): void {
    this.left--;
    if (this.isReached) this.done();
  }
}

/** One line: the command, what is known of it, and the answer. */
function commandLine(received: ReceivedCommand): string {
  const { receivedAt, server, command, outcome, again, replayed, signature } = received;
  const notes = [
    signature === 'valid' ? null : `signature ${SIGNATURES[signature]}`,
    again ? 'ran already: the same commandId, so it does not run again' : null,
    replayed ? 'received before: the same id, so it is a replay' : null,
  ];
  const said = outcome === null ? '' : ` ${outcome}`;
  return [
    `${isoTime(receivedAt)}  ${printable(server)}  ${printable(command)}`,
    ...[...factsIn(received), ...notes].filter((fact) => fact !== null),
    `answered ${answeredText(received)}${received.answered === null ? '' : said}`,
  ].join('; ');
}

function factsIn(received: ReceivedCommand): readonly (string | null)[] {
  const { commandId, attempt, player, uuid, reward, occasion, vote, site } = received;
  if (commandId === null) return ['tried by the operator'];
  const shown = (label: string, text: string | number | null): string | null =>
    text === null ? null : `${label} ${printable(String(text))}`;
  return [
    shown('for', player),
    shown('UUID', uuid),
    shown('reward', reward),
    shown('occasion', occasion),
    shown('vote', vote),
    shown('on', site),
    shown('commandId', commandId),
    shown('attempt', attempt),
  ];
}

function playersLine({ receivedAt, server, players, signature, answered }: AskedPlayers): string {
  const signed = signature === 'valid' ? '' : `; signature ${SIGNATURES[signature]}`;
  const said =
    answered !== 200 || players === null ? '' : `: ${players.length === 0 ? 'nobody' : players.join(', ')}`;
  return `${isoTime(receivedAt)}  ${printable(server)}  asks who is online${signed}; answered ${answered}${said}`;
}
