import type { Ledger } from '../ledger/ledger.ts';
import { rulesOf } from '../intake/rules.ts';
import { castVotes } from './cast-votes.ts';
import { compare, isSame, type Row } from './compare.ts';
import type { Only } from './example-faults.ts';
import type { Example, ExamplesFile, Expected } from './examples-file.ts';
import { type SimulatedVote, simulateAll } from './simulate.ts';

/** A command that a simulated vote runs. */
export interface RunCommand {
  readonly command: string;
  readonly reward: string;
  readonly occasion: string;
  readonly server: string;
  readonly player: string;
  readonly site: string;
  readonly castAt: number;
}

/** An expectation that was not met. */
export interface Mismatch {
  /** The entry of `votes` that it is about; null: all votes of the example. */
  readonly entry: number | null;
  readonly rows: readonly Row<RunCommand>[];
  /** The vote, if it is about a single one: what explains the difference. */
  readonly vote: SimulatedVote | null;
}

export interface ExampleResult {
  readonly example: Example;
  /** Empty if the example passed. */
  readonly mismatches: readonly Mismatch[];
}

/** Runs one example after the other, each with a ledger of its own. */
export async function* runExamples(
  { examples, ...inUse }: ExamplesFile,
  openLedger: () => Promise<Ledger>,
): AsyncGenerator<ExampleResult> {
  for (const example of examples) yield { example, mismatches: await runExample(example, inUse, openLedger) };
}

interface EntryVote {
  readonly entry: number;
  readonly vote: SimulatedVote;
  readonly commands: readonly RunCommand[];
}

async function runExample(
  { votes: entries, only, seed, expect }: Example,
  { config, zone }: Omit<ExamplesFile, 'examples'>,
  openLedger: () => Promise<Ledger>,
): Promise<readonly Mismatch[]> {
  const { votes } = castVotes(entries, [], config, zone);
  const ledger = await openLedger();
  try {
    const arrivals = votes.map(({ arrival }) => arrival);
    const simulated = await simulateAll(ledger, arrivals, rulesOf(config, zone), seed);
    const all = votes.map(({ entry, player, site }, at): EntryVote => {
      const vote = simulated[at] as SimulatedVote;
      return { entry, vote, commands: isAbout(only, player, site) ? commandsOf(vote, only) : [] };
    });
    return [
      ...entries.flatMap((entry, place) =>
        mismatch(
          entry.expect,
          place,
          all.filter((each) => each.entry === place),
        ),
      ),
      ...mismatch(expect, null, all),
    ];
  } finally {
    await ledger.close();
  }
}

function mismatch(
  expected: Expected | undefined,
  entry: number | null,
  votes: readonly EntryVote[],
): readonly Mismatch[] {
  if (expected === undefined) return [];
  const rows = compare(
    expected,
    votes.flatMap(({ commands }) => commands),
  );
  const [single] = votes;
  return isSame(rows)
    ? []
    : [{ entry, rows, vote: votes.length === 1 && single !== undefined ? single.vote : null }];
}

const isAbout = (only: Only, player: string, site: string): boolean =>
  (only.player?.includes(player) ?? true) && (only.site?.includes(site) ?? true);

const commandsOf = ({ arrival: { vote }, grants }: SimulatedVote, only: Only): readonly RunCommand[] =>
  grants
    .filter(({ reward }) => only.reward?.includes(reward) ?? true)
    .flatMap(({ commands, reward, occasion, server }) =>
      commands.map((command) => ({
        ...{ command, reward, occasion, server },
        player: vote.recipient.kind === 'player' ? vote.recipient.player : vote.recipient.key,
        site: vote.service,
        castAt: vote.castAt,
      })),
    );
