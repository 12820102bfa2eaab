import { closeCommand } from '../../core/template.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { ReasonColumns } from '../../platform/sqlite/reason-columns.ts';
import type { CommandRow } from '../ledger.ts';
import { commandReasonOf } from './stored-reason.ts';

interface StoredCommand extends Omit<CommandRow, 'command' | 'outcome' | 'reason'>, ReasonColumns {
  readonly outcome: CommandRow['outcome'] | 'sending';
}

/** What the commands of a grant are filled in with; null for what is not known. */
interface SentGrant {
  readonly id: number;
  readonly player: string | null;
  readonly uuid: string | null;
}

/** The commands of grants, filled in as they were sent. */
export class GrantCommands {
  private readonly sent;

  constructor(database: Database) {
    this.sent = database.prepare(`
      SELECT text, outcome, attempts, reply, reason, facts, started_at AS startedAt, ended_at AS endedAt
      FROM commands WHERE grant_id = ? ORDER BY position`);
  }

  of({ id, player, uuid }: SentGrant): CommandRow[] {
    const rows = this.sent.all(id) as StoredCommand[];
    return rows.map(({ text, outcome, reason, facts, ...rest }) => ({
      text,
      command: closeCommand(text, { player, uuid, now: rest.startedAt }),
      outcome: outcome === 'sending' ? null : outcome,
      ...rest,
      reason: commandReasonOf({ reason, facts }),
    }));
  }
}
