import type { Clock } from '../core/clock.ts';
import { Problem } from '../core/problem.ts';
import type { Random } from '../core/random.ts';
import { SERVICE_NAME_MAX, serviceNameOf, shownService } from '../core/service-name.ts';
import { addVote, type VoteAdded } from '../operator/add-vote.ts';
import { type Shown, traceJson } from '../operator/trace-json.ts';
import { accountName } from '../platform/account.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode, type FlagsOf, printJson } from './command.ts';
import { Command } from './commander.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';
import { printTraces } from './explain-print.ts';
import { Flags } from './flags.ts';
import { noteOlderConfig } from './older-config.ts';
import { changeLedger } from './with-ledger.ts';

const EVENT_ID = /^[\x21-\x7e]{1,128}$/;

export interface AddTools {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly random: Random;
}

const newCommand = () =>
  new Command('add')
    .description('record a vote as if it had arrived: it obeys windows, and earns what it would have earned')
    .requiredOption('--player <name>', 'the player, or the user ID on a site without player names')
    .requiredOption('--site <site>', 'the service name, such as an entry of `sites`')
    .option('--at <time>', 'when it was cast (default: now): an ISO date or date-time')
    .option('--id <id>', 'an ID, such as the listing’s: the same one is added once')
    .option('--config <file>', `the config file (default: ${DEFAULT_CONFIG})`)
    .option('--json', 'print JSON, for scripts');

export const votesAddCommand = (tools: AddTools) =>
  newCommand().action(
    action(tools.terminal, (flags, { parent }) => {
      const config = flags.config ?? String(parent?.getOptionValue('config') ?? DEFAULT_CONFIG);
      return add({ ...flags, config }, tools);
    }),
  );

async function add(
  written: FlagsOf<typeof newCommand> & { readonly config: string },
  { terminal, clock, random }: AddTools,
): Promise<ExitCode> {
  return changeLedger(written.config, clock, async (ledger, config, time): Promise<ExitCode> => {
    const order = readOrder(written, time.now());
    await noteOlderConfig(config, terminal, written.json);
    const added = await addVote(ledger, config, order, random);
    if (added.kind !== 'added') throw notAdded(added);
    const { trace, isKnown, queues } = added;
    const pauses = await ledger.pauses();
    const shown: Shown = { config, queues, pauses, bytes: false, now: time.now() };
    if (written.json) printJson(terminal, [{ added: !isKnown, ...traceJson(trace, shown) }]);
    else {
      if (isKnown) terminal.err(`vote ${trace.vote.id} is the same one, so nothing was added:`);
      printTraces(terminal, [trace], shown, Number.POSITIVE_INFINITY);
    }
    return 0;
  });
}

/** @throws Problem `usage` */
function readOrder({ player, site, at: written, id }: FlagsOf<typeof newCommand>, now: number) {
  const flags = new Flags();
  const at = flags.instant('--at', written) ?? null;
  const service = serviceNameOf(site);
  if (at !== null && at > now) flags.fault('--at must not be in the future');
  if (id !== undefined && !EVENT_ID.test(id))
    flags.fault('--id must have 1 to 128 printable characters, without spaces');
  if (service.length > SERVICE_NAME_MAX)
    flags.fault(`--site must have at most ${SERVICE_NAME_MAX} characters, not ${shownService(service, 32)}`);
  flags.done();
  return { player, service, at, eventId: id ?? null, by: accountName(), now };
}

const notAdded = (refused: Exclude<VoteAdded, { kind: 'added' }>): Problem =>
  refused.kind === 'vote-undated'
    ? new Problem(
        'vote-undated',
        'this machine’s clock cannot be relied on, so nothing was added: give the time with --at, or look at `teller clock`',
      )
    : new Problem(
        'vote-refused',
        `such a vote would be refused, so nothing was added: its sender ${refused.cause} (${refused.code})`,
      );
