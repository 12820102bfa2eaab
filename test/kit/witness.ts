/** What a Teller says of its ledger, in the words of its commands: the surface that every rewrite keeps. */
import { type Place, typedHere } from './apart.ts';

export interface Seen {
  /** `Steve on List: rewarded`, oldest first. */
  readonly votes: readonly string[];
  /** `Steve thanks main: delivered`, oldest first. */
  readonly grants: readonly string[];
  /** What `check --deep` has to say against the ledger. */
  readonly faults: readonly string[];
}

/** The findings that are about the ledger itself; the others are about what is around it and what waits. */
const OF_THE_LEDGER = new Set([
  'ledger',
  'counts',
  'counts-rebuilt',
  'config-invalid',
  'config-value',
  'usage',
]);

// biome-ignore lint/suspicious/noExplicitAny: JSON of commands
type Rows = readonly any[];

const rowsOf = async (place: Place, ...words: readonly string[]): Promise<Rows> =>
  (await typedHere(place, ...words, '--json')).json ?? [];

/** `Steve thanks main: delivered`, oldest first. */
export async function grantsOf(place: Place): Promise<readonly string[]> {
  const grants = await rowsOf(place, 'grants');
  return grants
    .map(({ player, reward, occasion, server, state }) =>
      `${player} ${reward} ${occasion} ${server}: ${state}`.replace(/ {2,}/, ' '),
    )
    .toReversed();
}

export async function witness(place: Place): Promise<Seen> {
  const votes = await rowsOf(place, 'votes');
  const checked = await rowsOf(place, 'check', '--deep', '--offline');
  if (!checked.some(({ code }) => code === 'counts')) throw new Error('the ledger was not checked');
  return {
    votes: votes.map(({ player, service, decision }) => `${player} on ${service}: ${decision}`).toReversed(),
    grants: await grantsOf(place),
    faults: checked
      .filter(({ mark, code }) => mark !== 'ok' && OF_THE_LEDGER.has(code))
      .map(({ code, sentence }) => `${code}: ${sentence}`),
  };
}
