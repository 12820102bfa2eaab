import { readTime } from '../../core/written-time.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { rulesOf } from '../../votes/sites.ts';
import { castVotes } from './cast-votes.ts';
import { compare, isSame, type Row } from './compare.ts';
import { type Only, playerName } from './example-faults.ts';
import type { Example, ExamplesFile, Expected } from './examples-file.ts';
import type { PaidTogether } from './joint.ts';
import { type SimulatedVote, simulate } from './simulate.ts';

/** A command that a simulated vote runs. */
export interface RunCommand {
  readonly command: string;
  readonly reward: string;
  readonly occasion: string;
  readonly server: string;
  /** null: run for nobody in particular. */
  readonly player: string | null;
  /** null: earned by votes on any sites. */
  readonly site: string | null;
  /** When the vote was cast, or the party was reached or the places were stored. */
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
  /** Its own, and those of the parties that it reached. */
  readonly commands: readonly RunCommand[];
  /** Those of tops whose period ended before the next vote. They are of no entry. */
  readonly later: readonly RunCommand[];
}

async function runExample(
  { votes: entries, only, seed, expect, at, online = [] }: Example,
  { config, zone }: Omit<ExamplesFile, 'examples'>,
  openLedger: () => Promise<Ledger>,
): Promise<readonly Mismatch[]> {
  const { votes } = castVotes(entries, [], config, zone);
  const ledger = await openLedger();
  try {
    const arrivals = votes.map(({ arrival }) => arrival);
    const simulated = await simulate(ledger, arrivals, rulesOf(config, zone), seed, {
      tops: config.tops,
      until: at === undefined ? null : readTime(at, zone),
      online: online.flatMap((name) => playerName(name, config) ?? []),
    });
    const all = votes.map(({ entry, player, site }, place): EntryVote => {
      const vote = simulated[place] as SimulatedVote;
      const own = isAbout(only, player, site) ? commandsOf(vote, only) : [];
      const commands = [...own, ...jointCommands(vote, 'party', only)];
      return { entry, vote, commands, later: jointCommands(vote, 'top', only) };
    });
    return [
      ...entries.flatMap((entry, place) =>
        mismatch(
          entry.expect,
          place,
          all.filter((each) => each.entry === place),
        ),
      ),
      ...mismatch(
        expect,
        null,
        all.map((each) => ({ ...each, commands: [...each.commands, ...each.later] })),
      ),
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

/** Those of what was earned together. They are of no site. */
const jointCommands = (
  { together }: SimulatedVote,
  cause: PaidTogether['cause'],
  only: Only,
): readonly RunCommand[] =>
  together
    .filter((paid) => paid.cause === cause && only.site === undefined)
    .flatMap(({ at, grants }) =>
      grants
        .filter(({ reward, player }) => isWanted(only.reward, reward) && isWanted(only.player, player))
        .flatMap(({ commands, reward, occasion, server, player }) =>
          commands.map((command) => ({ command, reward, occasion, server, player, site: null, castAt: at })),
        ),
    );

const isWanted = (wanted: readonly string[] | undefined, name: string | null): boolean =>
  wanted === undefined || (name !== null && wanted.includes(name));
