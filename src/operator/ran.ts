import type { GrantState } from '../core/settlement.ts';
import type { Continued, Ledger, PaymentOrder } from '../ledger/ledger.ts';

/** No game server of the config would run what is left of it. */
interface Nowhere {
  readonly kind: 'nowhere';
  readonly state: GrantState;
  readonly server: string;
}

/**
 * The operator has seen that the command which stopped a grant did run: it counts as delivered, and what is left of
 * the grant is paid. The trace keeps that it was the operator's word.
 */
export async function countAsRun(
  ledger: Ledger,
  grantId: number,
  order: Pick<PaymentOrder, 'kindByServer'>,
  now: number,
): Promise<Continued | Nowhere> {
  const [grant] = await ledger.grants({ id: grantId, limit: 1 });
  const isStuck = grant?.state === 'held' || grant?.state === 'refused';
  if (isStuck && !order.kindByServer.has(grant.server)) {
    return { kind: 'nowhere', state: grant.state, server: grant.server };
  }
  return ledger.continueAfter(grantId, order, now);
}
