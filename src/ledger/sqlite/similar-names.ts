import { nearestWords } from '../../core/nearest-word.ts';
import { parsePlayerUuid } from '../../core/player-uuid.ts';
import { atMost } from '../../platform/sqlite/at-most.ts';
import type { Database } from '../../platform/sqlite/open.ts';

/** How many of the latest recipients are compared: those with a similar length, of so many. */
const COMPARED = 20_000;
const LOOKED_THROUGH = 60_000;
/** How much longer or shorter a typo or a Bedrock prefix can make a name. */
const LENGTH_SLACK = 3;

/** Finds names that are not written as they are known. Names are in lower case. */
export class SimilarNames {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  /** Those with a Bedrock prefix or without it come first: some sites strip it and some keep it. */
  similar(key: string, bedrockPrefixes: readonly string[], most: number): string[] {
    const [least, greatest] = [Math.max(1, key.length - LENGTH_SLACK), key.length + LENGTH_SLACK];
    const latest = new Set(this.statements.latest.all(least, greatest) as string[]);
    const known = [...latest].filter((other) => other !== key);
    const isTwin = (other: string): boolean =>
      bedrockPrefixes.some((prefix) => key === prefix + other || other === prefix + key);
    const twins = known.filter(isTwin);
    const others = known.filter((other) => !isTwin(other));
    return [...twins, ...nearestWords(key, others, Math.max(0, most - twins.length))];
  }

  /** Those that begin with a text, in alphabetical order. */
  beginning(key: string, most: number): string[] {
    return this.statements.beginning.all({ key, end: after(key), most }) as string[];
  }

  ofUuid(text: string): string[] {
    const uuid = parsePlayerUuid(text);
    return uuid === null ? [] : (this.statements.ofUuid.all({ uuid }) as string[]);
  }
}

/** The first text after all that begin with this one. */
const after = (text: string): string => `${text}\u{10ffff}`;

const prepareStatements = (db: Database) => ({
  latest: db
    .prepare(`
    SELECT key FROM (SELECT key, given_up_at FROM recipients ORDER BY id DESC LIMIT ${LOOKED_THROUGH})
    WHERE length(key) BETWEEN ? AND ? AND given_up_at = 0 LIMIT ${COMPARED}`)
    .pluck(),
  beginning: db
    .prepare(`
    SELECT DISTINCT key FROM recipients
    WHERE kind = 'player' AND key >= @key AND key < @end ORDER BY key ${atMost('@most')}`)
    .pluck(),
  ofUuid: db
    .prepare(`
    WITH histories AS (
      SELECT ifnull(r.joined_to, r.id) AS id FROM players p JOIN recipients r ON r.player_id = p.id
      WHERE p.online_uuid = @uuid OR p.floodgate_uuid = @uuid)
    SELECT key FROM recipients WHERE id IN histories OR joined_to IN histories ORDER BY given_up_at <> 0, id`)
    .pluck(),
});
