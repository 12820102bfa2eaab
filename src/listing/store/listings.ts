import type { Database } from 'better-sqlite3';
import type { Game } from '../../../protocol/webhook.ts';
import type { Random } from '../../core/random.ts';
import { uuid7 } from '../../core/uuid.ts';
import type { Listing } from '../contracts.ts';

export interface NewListing {
  readonly name: string;
  /** null for a bot. */
  readonly game: Game | null;
  /** How much one of its votes adds in the ranking; more than 1 for premium listings. */
  readonly weight: number;
}

export function newListing({ name, game, weight }: NewListing, now: number, random: Random): Listing {
  const type = game === null ? 'bot' : 'game';
  return { id: uuid7(now, random), name, type, game, weight };
}

/** The statements of the listings. */
export class Listings {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  add(listing: Listing, now: number): void {
    this.statements.add.run({ ...listing, now });
  }

  /** null if there is none, or it was removed. */
  find(id: string): Listing | null {
    return (this.statements.find.get(id) as Listing | undefined) ?? null;
  }

  /** Its votes and tokens stay, so that the API can answer that the listing is gone rather than that the token is unknown. */
  remove(id: string, now: number): boolean {
    return this.statements.remove.run(now, id).changes === 1;
  }
}

const prepareStatements = (db: Database) => ({
  add: db.prepare(`
    INSERT INTO listings (id, name, type, game, weight, created_at)
    VALUES (@id, @name, @type, @game, @weight, @now)`),
  find: db.prepare('SELECT id, name, type, game, weight FROM listings WHERE id = ? AND removed_at IS NULL'),
  remove: db.prepare('UPDATE listings SET removed_at = ? WHERE id = ? AND removed_at IS NULL'),
});
