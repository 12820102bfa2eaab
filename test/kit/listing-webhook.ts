/** A listing whose votes go to a receiver, as its owner sees it. */
import type { ServerResponse } from 'node:http';
import { listing, type Site, type SiteWanted } from './listing.ts';
import type { Shown } from './listing-page.ts';
import type { Cast, Kind, Listed, Person } from './listing-people.ts';
import { type ReceiverAnswer, receiver as startReceiver } from './receiver.ts';

type Fields = Readonly<Record<string, string | readonly string[]>>;

export type Hooked = Awaited<ReturnType<typeof hook>>;

export interface HookedWanted extends SiteWanted {
  readonly kind?: Kind;
  /** Further fields of the webhook's form. */
  readonly fields?: Fields;
  /** Further fields of the form for a new listing. */
  readonly listed?: Readonly<Record<string, string>>;
  /** The URL of the webhook; by default that of the receiver. */
  readonly url?: string;
}

/** A site with a listing whose webhook was saved with the form. */
export async function hooked(wanted: HookedWanted = {}): Promise<Hooked> {
  const site = await listing(wanted);
  const owner = await site.person();
  const listed = await owner.list(wanted.kind, wanted.listed);
  return hook(site, owner, listed, wanted);
}

/** The same for a further listing of a site. */
export async function hook(
  site: Site,
  owner: Person,
  listed: Listed,
  { url, fields = {} }: HookedWanted = {},
) {
  const receiver = await startReceiver(204);
  const [webhook, deliveries] = [`${listed.dashboard}/webhook`, `${listed.dashboard}/deliveries`];
  const answerNext = (...answers: readonly ReceiverAnswer[]) => {
    receiver.answers = answers;
  };
  /** The events of the log, newest first, as a script gets them. */
  // biome-ignore lint/suspicious/noExplicitAny: values of a page
  const events = async (query = ''): Promise<readonly any[]> =>
    (await owner.values(`${deliveries}${query}`)).events;
  /** Saves the webhook with the form, with the same receiver and without a secret unless said otherwise. */
  const save = (more: Fields = {}): Promise<Shown> => owner.saveWebhook(listed, url ?? receiver.url, more);
  await save(fields);
  return {
    ...{ site, owner, listed, receiver, webhook, deliveries, events, save },
    /** Casts a vote, and waits until nothing more is due. */
    vote: async (player: string | null = null): Promise<Cast> => {
      const cast = await site.cast(listed, player);
      await site.quiet();
      return cast;
    },
    /** Casts `count` votes, answers them with `answers`, and waits until nothing more is due. */
    votes: async (count: number, ...answers: readonly ReceiverAnswer[]): Promise<void> => {
      if (answers.length > 0) answerNext(...answers);
      for (let vote = 0; vote < count; vote++) await site.cast(listed);
      await site.quiet();
    },
    /** Casts a vote, and returns the receiver's response, for the test to send. */
    held: async (player?: string): Promise<ServerResponse> => {
      const held = new Promise<ServerResponse>((resolve) => answerNext(resolve));
      await site.cast(listed, player);
      return held;
    },
    /** Lets all retries pass. */
    spend: async (): Promise<void> => {
      for (let retry = 0; retry < 5; retry++) {
        const [{ nextAttemptAt }] = (await events('?state=retrying')) as [{ nextAttemptAt: string }];
        await site.pass(Date.parse(nextAttemptAt) - site.clock.now());
      }
    },
    /** The attempts of all events in the log, newest first. */
    // biome-ignore lint/suspicious/noExplicitAny: values of a page
    attempts: async (): Promise<readonly any[]> => (await owner.values(deliveries)).deliveries,
    /** The state of each event, newest first. */
    states: async (): Promise<readonly string[]> => (await events()).map(({ state }) => state),
    /** The figures on the webhook's page: delivered, failed, being retried, undelivered. */
    day: async () => (await owner.open(webhook)).figures.join(' '),
    /** The health of the webhook, which has to be the same on all pages. */
    health: async () => {
      const pages = await Promise.all([webhook, deliveries, listed.dashboard].map((at) => owner.open(at)));
      return [...new Set(pages.map(({ badges }) => badges[0]))].join(' or ');
    },
    /** Redelivers an event as a script, by default the newest one. */
    redeliver: async (event?: string) =>
      owner.answer(`${deliveries}/redeliver`, { event: event ?? (await events())[0].id }),
    /** Sends a test event with the button. */
    test: () => owner.press(webhook, `${webhook}/test`),
  };
}

/** What the sentences say about why an attempt has no HTTP status. */
const REASONS: readonly (readonly [code: string, said: RegExp])[] = [
  ['port-refused', /connection was refused/],
  ['not-recorded', /could not write to its database/],
  ['address-not-allowed', /Nothing was sent: /],
  ['host-unresolvable', /cannot be resolved/],
  ['out-of-sockets', /no socket left/],
  ['tls-failed', /TLS handshake failed/],
  ['connection-lost', /ended before the answer was complete/],
  ['not-http', /not valid HTTP/],
  ['timeout connecting', /10 seconds: the connection was not established/],
  ['timeout securing', /10 seconds: the TLS handshake did not finish/],
  ['timeout waiting', /10 seconds: the answer did not begin/],
  ['timeout answering', /10 seconds: the answer began but was never complete/],
];

/** The code of such a sentence, wherever it stands; otherwise the text. */
export const reasonIn = (text: string | null): string | null =>
  REASONS.find(([, said]) => said.test(text ?? ''))?.[0] ?? text;
