import type { GrantRow } from '../../src/ledger/ledger.ts';
import { grantsOf, type LedgerContents } from './ledger-contents.ts';
import { hasRun, type RecordedCommand } from './minecraft-server.ts';
import { CELLAR, VAULT } from './sites.ts';

/** What the two game servers with `proof` were sent. All commands of their rewards differ. */
interface Sent {
  readonly vault: readonly RecordedCommand[];
  readonly cellar: readonly RecordedCommand[];
}

/**
 * On `vault`, which runs on whatever happens to Teller, every command runs exactly once, and nothing is held. `cellar`
 * crashes and loses its marks: what is not delivered is held because of that, and nothing runs twice.
 */
export function proofFaults(contents: LedgerContents, { vault, cellar }: Sent): string[] {
  const [ofVault, ofCellar] = [timesOf(vault), timesOf(cellar)];
  return [
    ...grantsOf(contents, VAULT.name).flatMap((grant) => notPaidOnce(grant, ofVault)),
    ...grantsOf(contents, CELLAR.name).flatMap((grant) =>
      isDoubtful(grant) ? ranTwice(grant, ofCellar) : notPaidOnce(grant, ofCellar),
    ),
  ];
}

function timesOf(recorded: readonly RecordedCommand[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { command } of recorded.filter(hasRun)) {
    const text = command.toLowerCase();
    times.set(text, (times.get(text) ?? 0) + 1);
  }
  return times;
}

export const isDoubtful = ({ state, reason }: GrantRow): boolean =>
  state === 'held' && reason?.code === 'no-mark';

const notPaidOnce = (grant: GrantRow, ran: ReadonlyMap<string, number>): string[] => [
  ...(grant.state === 'delivered' ? [] : [`grant ${grant.id} of ${grant.reward} is ${described(grant)}`]),
  ...grant.commands.flatMap(({ command }) => {
    const times = ran.get(command.toLowerCase()) ?? 0;
    return times === 1 ? [] : [`“${command}” of grant ${grant.id} ran ${times} times`];
  }),
];

const ranTwice = ({ id, commands }: GrantRow, ran: ReadonlyMap<string, number>): string[] =>
  commands.flatMap(({ command }) => {
    const times = ran.get(command.toLowerCase()) ?? 0;
    return times <= 1 ? [] : [`“${command}” of grant ${id}, which is held, ran ${times} times`];
  });

const described = ({ state, reason }: GrantRow): string =>
  `${state}${reason === null ? '' : ` (${reason.code})`}`;
