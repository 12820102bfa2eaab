/** What a Teller says of its ledger, in the words of its commands: the surface that every rewrite keeps. */
import { typedHere } from './apart.ts';
import type { Place } from './place.ts';
import type { Ran } from './typed.ts';

/** Findings about the ledger and a config that cannot be read. The others are about what is around them, and what waits. */
const OF_THE_LEDGER = /^(?:ledger|counts|config)(?:-(?!open$|older$)|$)/;

// biome-ignore lint/suspicious/noExplicitAny: JSON of commands
type Rows = readonly any[];

const rowsOf = async (place: Place, ...words: readonly string[]): Promise<Rows> =>
  (await typedHere(place, ...words, '--json')).json ?? [];

const ALL = '10000';

/** A grant, as `teller grants --json` has it. */
export interface GrantSeen {
  readonly id: number;
  readonly player: string | null;
  readonly reward: string;
  readonly occasion: string;
  readonly server: string;
  readonly state: string;
  readonly reason: string | null;
  readonly commands: readonly {
    readonly command: string;
    readonly outcome: string | null;
    readonly attempts: number;
    readonly reply: string | null;
    readonly reason: string | null;
  }[];
}

/** Oldest first. */
export async function grantsIn(
  place: Place,
  run: (...words: readonly string[]) => Promise<Ran> = (...words) => typedHere(place, ...words),
): Promise<readonly GrantSeen[]> {
  return (await run('grants', '--limit', ALL, '--json')).json.toReversed();
}

/** `Steve thanks main: delivered`, oldest first. */
export async function grantsOf(place: Place): Promise<readonly string[]> {
  return (await grantsIn(place)).map(({ player, reward, occasion, server, state }) =>
    `${player} ${reward} ${occasion} ${server}: ${state}`.replace(/ {2,}/, ' '),
  );
}

export type Seen = Awaited<ReturnType<typeof witness>>;

export async function witness(place: Place) {
  const votes = await rowsOf(place, 'votes', '--limit', ALL);
  const checked = await rowsOf(place, 'check', '--deep', '--offline');
  if (!checked.some(({ code }) => code === 'counts')) throw new Error('the ledger was not checked');
  return {
    /** `Steve on List: rewarded`, oldest first. */
    votes: votes.map(({ player, service, decision }) => `${player} on ${service}: ${decision}`).toReversed(),
    grants: await grantsOf(place),
    /** What `check --deep` has to say against the ledger. */
    faults: checked
      .filter(({ mark, code }) => mark !== 'ok' && OF_THE_LEDGER.test(code))
      .map(({ code, sentence }) => `${code}: ${sentence}`),
  };
}
