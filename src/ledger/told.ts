import type { Decision } from '../core/decide.ts';
import type { RecordedDecision } from './ledger.ts';

export function told(decision: Decision): RecordedDecision {
  if (decision.kind !== 'rewarded') return decision;
  const { kind, nextAt, grants } = decision;
  return { kind, nextAt, rewards: grants.map(({ reward }) => reward) };
}
