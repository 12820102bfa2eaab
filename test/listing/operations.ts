import type { ApiScope } from '../../protocol/listing-api/scopes.ts';
import type { Listing } from '../../src/listing/contracts.ts';
import type { Answer, ApiClient, Asked } from './api-client.ts';

/** An operation with a valid request for it. */
export interface OperationCase {
  readonly name: string;
  readonly grantedBy: readonly ApiScope[];
  readonly ask: (client: ApiClient, listing: Listing, asked: Asked) => Promise<Answer>;
}

const webhookUrl = 'https://example.com/votes';

/** The seven operations of the specification. */
export const OPERATIONS: readonly OperationCase[] = [
  {
    name: 'POST /bots/:id/stats',
    grantedBy: ['stats:write'],
    ask: (client, { id }, asked) => client.post(`/bots/${id}/stats`, { body: { serverCount: 1 }, ...asked }),
  },
  {
    name: 'GET /webhooks/votes/check',
    grantedBy: ['votes:read'],
    ask: (client, _, asked) => client.get('/webhooks/votes/check', { query: { userId: '1' }, ...asked }),
  },
  {
    name: 'POST /webhooks/votes/check',
    grantedBy: ['votes:read'],
    ask: (client, _, asked) => client.post('/webhooks/votes/check', { body: { userIds: ['1'] }, ...asked }),
  },
  {
    name: 'GET /webhooks/votes',
    grantedBy: ['votes:read'],
    ask: (client, _, asked) => client.get('/webhooks/votes', asked),
  },
  {
    name: 'GET /webhooks/stats',
    grantedBy: ['votes:read'],
    ask: (client, _, asked) => client.get('/webhooks/stats', asked),
  },
  {
    name: 'POST /webhooks/register',
    grantedBy: ['webhooks:write', 'votes:read'],
    ask: (client, _, asked) => client.post('/webhooks/register', { body: { webhookUrl }, ...asked }),
  },
  {
    name: 'POST /webhooks/test',
    grantedBy: ['webhooks:write', 'votes:read'],
    ask: (client, _, asked) => client.post('/webhooks/test', { body: { webhookUrl }, ...asked }),
  },
];
