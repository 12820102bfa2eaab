import { ReportedVotes } from '../../../protocol/listing-api/reported-votes.ts';
import type { VotesQuery } from '../../../protocol/listing-api/schemas.ts';
import { type CallOptions, caller, type ListingClientOptions, type Read } from './caller.ts';
import type { CallResult } from './result.ts';
import type { OutputOf } from './schema-types.ts';

/**
 * What Teller asks of a listing's developer API. No call rejects because of the network. A query is sent as given,
 * because only the service can judge it: a client that refused a limit of 101 itself would still refuse it after the
 * service accepts more.
 */
export class ListingClient {
  private readonly read: Read;

  constructor(options: ListingClientOptions) {
    this.read = caller(options);
  }

  /** Newest first [API-9]; dates as in [API-8]. */
  votes(
    query: OutputOf<typeof VotesQuery> = {},
    options: CallOptions = {},
  ): Promise<CallResult<ReportedVotes>> {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) parameters.set(name, String(value));
    }
    return this.read(`/webhooks/votes?${parameters}`, ReportedVotes, options);
  }
}
