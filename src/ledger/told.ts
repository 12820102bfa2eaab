import type { Decision } from '../core/decide.ts';
import type { RecordedDecision } from './ledger.ts';

export function told({ grants, reasons: _, spent: __, ...decision }: Decision): RecordedDecision {
  return { ...decision, rewards: grants.map(({ reward }) => reward) };
}
