import { alert, type Html, html } from '../../web/kit.ts';

/** NS-46: `allowTargets` opens private networks to deliveries, so every page where targets are entered says so. */
export const openNetworksNotice = (allowTargets: readonly string[]): Html | null =>
  allowTargets.length === 0
    ? null
    : alert({
        tone: 'warn',
        title: `This service can reach private networks: ${allowTargets.join(', ')}.`,
        body: html`<code>listing.allowTargets</code> allows webhooks and votes to be sent there. That is fine for practice.
          On a public service, leave it empty.`,
      });
