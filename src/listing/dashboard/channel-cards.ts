import { badge, card, code, count, empty, facts, figures, type Html, linkButton } from '../../web/kit.ts';
import { addressOf } from '../accounts/pages/listing-page.ts';
import type { Listing } from '../contracts.ts';
import type { ShownSettings } from '../listener-sends/listener-sends.ts';
import type { SendFigures } from '../listener-sends/send-store.ts';
import type { Health } from '../webhooks/health.ts';
import { undeliveredPath } from './deliveries.ts';
import { dayFigures, FAILED_NOTE, healthBadge, openNotice } from './health-words.ts';
import { deliveriesSection, listenerSection, webhookSection } from './sections.ts';

/** What the overview shows about the vote listener. `settings` is null if no listener is set up. */
export interface ListenerFacts {
  readonly settings: ShownSettings | null;
  readonly day: SendFigures;
}

export const listenerCard = (listing: Listing, { settings, day }: ListenerFacts): Html => {
  const toListener = (label: string) => linkButton(label, addressOf(listing, listenerSection));
  if (settings === null) {
    const advice = 'Set it up to send each vote that names a player to your server as soon as it is cast.';
    const body = empty({ title: 'No vote listener yet', advice, actions: toListener('Set up') });
    return card({ title: 'Vote listener', body });
  }
  const { host, port, method } = settings;
  return card({
    title: 'Vote listener',
    note: 'Votes sent in the last 24 hours.',
    actions: [listenerBadge(day), toListener('Open')],
    body: [
      figures([
        method === 'token' || day.accepted > 0
          ? { label: 'Accepted', value: count(day.accepted), tone: toneIf(day.accepted, 'good') }
          : { label: 'Sent, unconfirmed', value: count(day.sent), tone: toneIf(day.sent, 'warn') },
        { label: 'Failed', value: count(day.failed), tone: toneIf(day.failed, 'bad') },
      ]),
      facts([
        ['Address', code(host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`)],
        ['Authentication', method === 'token' ? 'Token' : 'Public key'],
      ]),
    ],
  });
};

const toneIf = <T>(value: number, tone: T): T | 'idle' => (value > 0 ? tone : 'idle');

const listenerBadge = ({ accepted, sent, failed }: SendFigures): Html => {
  if (failed > 0)
    return badge(accepted + sent > 0 ? 'Some failed' : 'Failing', accepted + sent > 0 ? 'warn' : 'bad');
  if (accepted > 0) return badge('Accepting', 'good');
  return sent > 0 ? badge('Unconfirmed', 'warn') : badge('Nothing sent');
};

export function webhookCard(listing: Listing, health: Health | null): Html {
  const toWebhook = (label: string) => linkButton(label, addressOf(listing, webhookSection));
  if (health === null) {
    const advice =
      listing.game === 'minecraft'
        ? 'A webhook posts each vote to your own program. The vote listener works without one.'
        : 'Votes are counted. Nothing is sent. Set up a webhook to have each vote posted to your program.';
    const body = empty({ title: 'No webhook yet', advice, actions: toWebhook('Set up') });
    return card({ title: 'Webhook', body });
  }
  return card({
    title: 'Webhook',
    note: `Events in the last 24 hours. ${FAILED_NOTE}`,
    actions: [
      healthBadge(health),
      linkButton('Deliveries', addressOf(listing, deliveriesSection)),
      toWebhook('Open'),
    ],
    body: [dayFigures(health), openNotice(health, undeliveredPath(listing))],
  });
}
