import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ImportSource, PlayerBalance, UnreadableEntry } from '../../core/player-balance.ts';
import { Problem } from '../../core/problem.ts';
import { textIfAny } from '../../platform/plain-file.ts';
import { csvRows } from '../csv.ts';
import { formOf, textOf, writtenAt } from '../data-file.ts';
import { dumpRows } from '../mysql-dump.ts';
import { isRowFault, type Row, type RowFault } from '../rows.ts';
import { playerOf, type StoredStreak, streakOf } from './player.ts';
import { queuedVotes } from './queued-votes.ts';
import { votesFileRows } from './votes-file.ts';

/** Next to the config: votes for players who were not online. */
const QUEUED = 'queued_votes.json';

export interface SuperbVoteData {
  /** The folder of the plugin. */
  readonly folder: string;
  /** Where the votes are: `storage.json.file` of the config, or a dump or CSV file of its table. */
  readonly data: string;
  readonly bedrockPrefixes: readonly string[];
}

/**
 * The players of SuperbVote. A JSON file is read as a whole, because it is one object; a dump or CSV file by rows.
 *
 * @throws Problem `import-nothing`, `import-unreadable`
 */
export async function superbVoteSource(from: SuperbVoteData): Promise<ImportSource> {
  const file = from.data;
  const form = await formOf(file);
  if (form === 'sqlite' || form === 'folder') {
    throw new Problem('import-unreadable', `${file}: SuperbVote stores its votes as JSON or in MySQL`);
  }
  const queue = path.join(from.folder, QUEUED);
  return {
    name: 'superbvote',
    file,
    asOf: await writtenAt([file, queue]),
    players: null,
    partyVotes: null,
    balances: async function* balances() {
      const streaks = form === 'dump' ? await streaksIn(file) : new Map<string, StoredStreak>();
      for await (const row of rowsIn(file, form)) {
        if (isRowFault(row)) yield { kind: 'unreadable', file, key: row.at, why: row.why };
        else yield* playerOf(row, { ...from, file, streaks });
      }
      yield* await queuedFrom(queue, from.bedrockPrefixes);
    },
  };
}

async function queuedFrom(
  queue: string,
  bedrockPrefixes: readonly string[],
): Promise<readonly (PlayerBalance | UnreadableEntry)[]> {
  const text = await textIfAny(queue);
  return text === null ? [] : queuedVotes(queue, text, bedrockPrefixes);
}

async function* rowsIn(file: string, form: 'dump' | 'csv' | 'json'): AsyncGenerator<Row | RowFault> {
  if (form === 'csv') yield* csvRows(textOf(file));
  else if (form === 'json') yield* votesFileRows(file, await readFile(file, 'utf8'));
  else
    for await (const { row } of dumpRows(textOf(file)))
      if (isRowFault(row) || (row.values.has('last_name') && row.values.has('votes'))) yield row;
}

/** The streaks of a dump, by UUID. They are in a table of their own, which comes before or after that of the votes. */
async function streaksIn(file: string): Promise<ReadonlyMap<string, StoredStreak>> {
  const found = new Map<string, StoredStreak>();
  for await (const { row } of dumpRows(textOf(file))) {
    const streak = isRowFault(row) ? null : streakOf(row);
    if (streak !== null) found.set(streak.uuid, streak);
  }
  return found;
}
