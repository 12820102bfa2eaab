import { alert, type Html, html } from '../../web/kit.ts';

/** NS-46: the rule that keeps deliveries out of private networks has holes, and everybody who relies on it sees that. */
export const openNetworksNotice = (allowTargets: readonly string[]): Html | null =>
  allowTargets.length === 0
    ? null
    : alert({
        tone: 'warn',
        title: `Private networks are open here: ${allowTargets.join(', ')}.`,
        body: html`Webhooks and votes may be sent there, because <code>listing.allowTargets</code> says so. That is fine for
          practice. Leave it empty on a public service.`,
      });
