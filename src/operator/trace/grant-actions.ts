import { isoTime } from '../../core/instant.ts';
import { printable } from '../../core/printable.ts';
import type { GrantActionKind, GrantActionRow } from '../../ledger/ledger.ts';

const actionTexts: Readonly<Record<GrantActionKind, string>> = {
  pay: 'ordered its payment',
  redirect: 'ordered its payment to another player',
  ran: 'said that a command ran',
  'mark-paid': 'marked it as paid',
  cancel: 'cancelled it',
};

/** `ann ordered its payment at 2026-…` */
export const actionText = ({ action, by, at }: GrantActionRow): string =>
  `${printable(by, 80)} ${actionTexts[action]} at ${isoTime(at)}`;
