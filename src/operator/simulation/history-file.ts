import { checkBy } from '../../config/check-entries.ts';
import type { Config } from '../../config/config.ts';
import { ConfigProblem, type FaultAtPath } from '../../config/fault.ts';
import { inOrder, readWrittenText } from '../../config/load.ts';
import { readSource } from '../../config/read-source.ts';
import { list, section } from '../../core/config-values.ts';
import { type CastVote, castVotes } from './cast-votes.ts';
import { asWritten } from './one-or-more.ts';
import { votesEntry } from './written-votes.ts';

const historySchema = section({ votes: list(votesEntry({}), 1, 1000) });

/**
 * Reads a file of votes, written like those of an example, in the order in which they are cast.
 *
 * @param zone of times without a zone.
 * @throws ConfigProblem with all faults at once; Problem `examples-missing`
 */
export async function readHistory(file: string, config: Config, zone: string): Promise<readonly CastVote[]> {
  const text = await readWrittenText(file, 'examples-missing', 'the file of votes');
  const source = await readSource(text, file);
  if (source.value === undefined) throw new ConfigProblem(file, source.faults);
  const checked = checkBy(historySchema, source.value);
  const { votes, faults } =
    checked.kind === 'entries'
      ? castVotes(checked.entries.votes, ['votes'], config, zone)
      : { votes: [], faults: checked.faults };
  const located = faults.map((fault: FaultAtPath) => source.locate(asWritten(fault, source.value)));
  const all = inOrder([...source.faults, ...located]);
  if (all.length > 0) throw new ConfigProblem(file, all);
  return votes;
}
