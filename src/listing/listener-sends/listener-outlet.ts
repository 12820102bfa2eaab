import type { Log } from '../../core/log.ts';
import type { EndedJob, Outlet } from '../outbox/outlet.ts';
import { sendReasonSentence } from './send-reasons.ts';
import type { ListenerSettings, NewSend, SendEnd, SendStore } from './send-store.ts';
import { CUT_OFF, SETTINGS_REMOVED, type Send, wireVote } from './sending.ts';

export interface SendJob extends NewSend {
  /** null if they were removed after the vote was cast. */
  readonly settings: ListenerSettings | null;
}

export interface ListenerOutletParts {
  readonly store: SendStore;
  readonly send: Send;
  readonly log: Log;
  /** The service's own name, the same for every listing and vote (VT-06). */
  readonly serviceName: string;
}

const PER_LISTENER_MAX = 8;

/**
 * Sends votes to listeners, at most once (VT-10). The mark is written with the vote, so claiming writes nothing. Votes
 * that an earlier process marked but did not finish are recorded as cut off when the service starts, and never claimed.
 */
export class ListenerOutlet implements Outlet<SendJob, SendEnd | null, SendEnd> {
  readonly perListingMax = PER_LISTENER_MAX;
  readonly dueListings;

  constructor(private readonly parts: ListenerOutletParts) {
    this.dueListings = parts.store.dueListings.bind(parts.store);
  }

  claim(listingId: string, limit: number, _now: number, inProgress: Iterable<SendJob>): SendJob[] {
    const { store } = this.parts;
    const others = [...inProgress].filter((job) => job.listingId === listingId).map(({ id }) => id);
    const settings = store.settings(listingId);
    return store.waiting(listingId, limit, others).map((marked) => ({ ...marked, settings }));
  }

  /** A vote is due when it is cast. */
  nextDueAt(): null {
    return null;
  }

  /** Resolves with null if the service stops before the listener answers. */
  send({ settings, player, startedAt }: SendJob, stop: AbortSignal): Promise<SendEnd | null> {
    if (settings === null) return Promise.resolve(SETTINGS_REMOVED);
    const sent = this.parts.send(wireVote(this.parts.serviceName, player, startedAt), settings);
    return new Promise((resolve) => {
      const cutOff = (): void => resolve(null);
      stop.addEventListener('abort', cutOff, { once: true });
      void sent.then((end) => {
        stop.removeEventListener('abort', cutOff);
        resolve(end);
      });
    });
  }

  record({ job, answer }: EndedJob<SendJob, SendEnd | null>): SendEnd {
    const end = answer ?? CUT_OFF;
    this.parts.store.end(job.id, end);
    return end;
  }

  report({ listingId, voteId }: SendJob, end: SendEnd): void {
    const { log } = this.parts;
    const fields = { code: end.code, listing: listingId, vote: voteId };
    const sentence = sendReasonSentence(end);
    if (end.outcome === 'failed') log.info(fields, `a vote did not reach its listener: ${sentence}`);
    else log.debug(fields, sentence);
  }

  reportPause(error: Error): void {
    const fields = { code: 'listener-send-unrecorded', err: error };
    this.parts.log.error(
      fields,
      `sending votes to listeners is paused, because the database cannot be written: ${error.message}`,
    );
  }
}
