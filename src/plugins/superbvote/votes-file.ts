import type { Row, RowFault } from '../rows.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The rows of `votes.json`: by UUID under `records`, each with `lastKnownUsername`, `votes` and `lastVoted` in
 * milliseconds. Before version 2 of the file, it had only the number of votes by UUID, and no names. Read from
 * JsonVoteStorage.java of SuperbVote 0.5.5.
 */
export function* votesFileRows(file: string, text: string): Generator<Row | RowFault> {
  const records = recordsIn(text);
  if (typeof records === 'string') {
    yield { at: file, why: records };
    return;
  }
  for (const [uuid, record] of Object.entries(records)) {
    const fields = typeof record === 'number' ? { votes: record } : fieldsOf(record);
    if (fields === null) yield { at: uuid, why: 'is no record of a player' };
    else yield { at: uuid, values: valuesOf(uuid, fields) };
  }
}

function recordsIn(text: string): Fields | string {
  if (text.trim() === '') return {};
  try {
    const value = fieldsOf(JSON.parse(text));
    return (value === null ? null : fieldsOf(value.records ?? value)) ?? 'is no JSON object';
  } catch (error) {
    return `is not JSON: ${(error as Error).message}`;
  }
}

const fieldsOf = (value: unknown): Fields | null =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : null;

const valuesOf = (uuid: string, { lastKnownUsername: name, votes, lastVoted }: Fields): Row['values'] =>
  new Map([
    ['uuid', uuid],
    ['last_name', typeof name === 'string' ? name : null],
    ['votes', votes === undefined ? null : String(votes)],
    ['last_vote', typeof lastVoted === 'number' ? String(lastVoted) : null],
  ]);
