import { type Sink, type SinkAnswer, sink } from '../../support/sink.ts';
import { type SiteWanted, type WholeSite, wholeSite } from '../../support/whole-site.ts';
import type { Kind, Listed, Person } from './browser.ts';

export interface HookedSite {
  readonly site: WholeSite;
  readonly owner: Person;
  readonly listing: Listed;
  readonly receiver: Sink;
  /** Paths of the listing's pages. */
  readonly webhook: string;
  readonly deliveries: string;
  /** Casts `count` votes, answers them with `answers`, and waits until all deliveries are done. */
  votes(count: number, ...answers: SinkAnswer[]): Promise<void>;
  /** Redelivers the newest event in the log with its button. */
  redeliver(person?: Person): ReturnType<Person['press']>;
  /** The figures on the webhook's page: delivered, failed, being retried, undelivered. */
  day(): Promise<string>;
  /** The health of the webhook, which has to be the same on all pages. */
  health(): Promise<string>;
}

interface Wanted extends SiteWanted {
  readonly kind?: Kind;
  /** Further fields of the webhook's form. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** A site with a listing whose webhook was saved with the form. */
export async function hookedSite({ kind = 'minecraft', fields = {}, ...wanted }: Wanted = {}) {
  const site = await wholeSite(wanted);
  const owner = await site.person();
  const listing = await owner.list(kind);
  const receiver = await sink(204);
  await owner.saveWebhook(listing, receiver.url, fields);
  const [webhook, deliveries] = [`${listing.dashboard}/webhook`, `${listing.dashboard}/deliveries`];
  const hooked: HookedSite = {
    ...{ site, owner, listing, receiver, webhook, deliveries },
    votes: async (count, ...answers) => {
      // The sink's answers are numbered from its first request.
      const past = receiver.requests.map(() => 204);
      if (answers.length > 0) receiver.answers = [...past, ...answers];
      await site.votes(listing, count);
      await site.quiet();
    },
    redeliver: (person = owner) => person.press(deliveries, `${deliveries}/redeliver`),
    day: async () => (await owner.open(webhook)).figures.join(' '),
    health: async () => {
      const pages = await Promise.all([webhook, deliveries, listing.dashboard].map((at) => owner.open(at)));
      return [...new Set(pages.map(({ badges }) => badges[0]))].join(' or ');
    },
  };
  return hooked;
}
