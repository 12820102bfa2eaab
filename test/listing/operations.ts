import type { ApiScope } from '../../protocol/listing-api.ts';
import type { Listed } from '../kit/listing-people.ts';
import type { ApiClient, Asked } from '../kit/listing-program.ts';

/** An operation with a valid request for it. */
function operation(name: string, request: Asked, ...grantedBy: readonly ApiScope[]) {
  const [method = '', path = ''] = name.split(' ');
  const ask = (api: ApiClient, { id }: Listed, asked: Asked) =>
    api.ask(method, path.replace(':id', id), { ...request, ...asked });
  return { name, grantedBy, ask };
}

const hook = { body: { webhookUrl: 'http://127.0.0.1:1/votes' } };

/** The seven operations of the specification. */
export const OPERATIONS = [
  operation('POST /bots/:id/stats', { body: { serverCount: 1 } }, 'stats:write'),
  operation('GET /webhooks/votes/check', { query: { userId: '1' } }, 'votes:read'),
  operation('POST /webhooks/votes/check', { body: { userIds: ['1'] } }, 'votes:read'),
  operation('GET /webhooks/votes', {}, 'votes:read'),
  operation('GET /webhooks/stats', {}, 'votes:read'),
  operation('POST /webhooks/register', hook, 'webhooks:write', 'votes:read'),
  operation('POST /webhooks/test', hook, 'webhooks:write', 'votes:read'),
];
