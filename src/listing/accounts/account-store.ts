import type { Database } from 'better-sqlite3';
import type { Session } from '../../web/auth/session.ts';
import type { NewSession, SessionStore } from '../../web/auth/stored-sessions.ts';
import type { Account } from './account.ts';

interface AccountRow extends Account {
  readonly passwordHash: string;
}

interface SessionRow extends Account {
  readonly csrf: string;
}

/** Accounts and their sessions. */
export class AccountStore implements SessionStore<Account> {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  hasAny(): boolean {
    return this.statements.any.get() === 1;
  }

  /** Ignores case. */
  named(name: string): { readonly person: Account; readonly passwordHash: string } | null {
    const row = this.statements.named.get(name) as AccountRow | undefined;
    return row === undefined ? null : { person: accountOf(row), passwordHash: row.passwordHash };
  }

  /** False if the name is taken. */
  add({ id, name, userId }: Account, passwordHash: string, now: number): boolean {
    return this.statements.add.run(id, name, userId, passwordHash, now).changes === 1;
  }

  setPassword(accountId: string, passwordHash: string): void {
    this.statements.setPassword.run(passwordHash, accountId);
  }

  openSession({ hash, personId, csrf, expiresAt }: NewSession): void {
    this.statements.openSession.run(hash, personId, csrf, expiresAt);
  }

  session(hash: Uint8Array, now: number): Session<Account> | null {
    const row = this.statements.session.get(hash, now) as SessionRow | undefined;
    return row === undefined ? null : { person: accountOf(row), csrf: row.csrf };
  }

  endSession(hash: Uint8Array): void {
    this.statements.endSession.run(hash);
  }

  endSessionsOf(accountId: string): void {
    this.statements.endSessionsOf.run(accountId);
  }

  forgetExpiredSessions(now: number): void {
    this.statements.forgetExpiredSessions.run(now);
  }
}

const accountOf = ({ id, name, userId }: Account): Account => ({ id, name, userId });

const prepareStatements = (db: Database) => ({
  any: db.prepare('SELECT EXISTS (SELECT 1 FROM accounts)').pluck(),
  named: db.prepare(`
    SELECT id, name, user_id AS userId, password_hash AS passwordHash FROM accounts WHERE name = ?`),
  add: db.prepare(`
    INSERT INTO accounts (id, name, user_id, password_hash, created_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (name) DO NOTHING`),
  setPassword: db.prepare('UPDATE accounts SET password_hash = ? WHERE id = ?'),
  openSession: db.prepare('INSERT INTO sessions (hash, account_id, csrf, expires_at) VALUES (?, ?, ?, ?)'),
  session: db.prepare(`
    SELECT a.id, a.name, a.user_id AS userId, s.csrf
    FROM sessions s JOIN accounts a ON a.id = s.account_id WHERE s.hash = ? AND s.expires_at > ?`),
  endSession: db.prepare('DELETE FROM sessions WHERE hash = ?'),
  endSessionsOf: db.prepare('DELETE FROM sessions WHERE account_id = ?'),
  forgetExpiredSessions: db.prepare('DELETE FROM sessions WHERE expires_at <= ?'),
});
