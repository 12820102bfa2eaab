import type { CommandCode, CommandReason, GrantCode, GrantReason } from '../../core/grant-reason.ts';
import { type ReasonColumns, reasonOf } from '../../platform/sqlite/reason-columns.ts';

export const grantReasonOf = (columns: ReasonColumns): GrantReason | null => reasonOf<GrantReason>(columns);

export const commandReasonOf = (columns: ReasonColumns): CommandReason | null =>
  reasonOf<CommandReason>(columns);

/** Codes as literals in a statement, so that one that does not exist is a type error. */
export const grantCode = (code: GrantCode): string => `'${code}'`;

export const commandCode = (code: CommandCode): string => `'${code}'`;
