import type { Section } from '../accounts/pages/listing-page.ts';
import { peopleSection } from '../accounts/pages/people.ts';

export const overviewSection: Section = { label: 'Overview', path: '' };
export const webhookSection: Section = { label: 'Webhook', path: 'webhook' };
export const deliveriesSection: Section = { label: 'Deliveries', path: 'deliveries' };
/** Only Minecraft listings can send votes to a vote listener (SV-07). */
export const listenerSection: Section = {
  label: 'Vote listener',
  path: 'listener',
  isFor: ({ game }) => game === 'minecraft',
};
export const tokensSection: Section = { label: 'API tokens', path: 'tokens' };

export const sections: readonly Section[] = [
  overviewSection,
  webhookSection,
  deliveriesSection,
  listenerSection,
  tokensSection,
  peopleSection,
];
