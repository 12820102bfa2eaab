import { describe, expect, test } from 'vitest';
import { listing } from '../../kit/listing.ts';

const REGISTER = '/webhooks/register';
const CHECK = '/webhooks/votes/check';
const PLAIN = { 'Content-Type': 'text/plain' };
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

describe('a message says what was wrong and what is right', () => {
  test('about a request', async () => {
    const site = await listing();
    const { token } = await site.owned('minecraft', 'votes:read', 'webhooks:write');
    const requests: [string, string, object, string[]][] = [
      ['POST', CHECK, { body: {} }, ['userIds', 'playerNames', '1 to 50']],
      [
        'POST',
        CHECK,
        { body: { userIds: ['1'], playerNames: ['Steve'] } },
        ['either', 'userIds', 'playerNames'],
      ],
      ['POST', CHECK, { body: { userIds: ['1'], more: 1 } }, ['nothing else']],
      ['POST', CHECK, { body: [] }, ['userIds', 'playerNames']],
      ['POST', CHECK, { body: { userIds: [] } }, ['userIds: ', '1 to 50']],
      ['POST', CHECK, { body: { userIds: Array(51).fill('1') } }, ['userIds: ', '1 to 50']],
      ['POST', CHECK, { body: { userIds: '1' } }, ['userIds: ', 'list']],
      ['POST', CHECK, { body: { userIds: ['1', 2, 3, 4] } }, ['userIds.1: ', 'string']],
      ['POST', CHECK, { body: { playerNames: ['a b'] } }, ['playerNames.0: ', 'white space']],
      ['GET', CHECK, {}, ['userId', 'playerName']],
      ['GET', '/webhooks/votes', { query: { startDate: 'yesterday' } }, ['startDate: ', '2026-06-03']],
      ['GET', '/webhooks/votes', { query: { limit: '101' } }, ['limit: ', '1 to 100']],
      ['POST', REGISTER, { body: {} }, ['webhookUrl: ', 'missing', 'URL']],
      [
        'POST',
        REGISTER,
        { body: { webhookUrl: 'http://a.example', events: ['x'] } },
        ['events.0: ', 'vote.created'],
      ],
      [
        'POST',
        REGISTER,
        { body: { webhookUrl: 'http://a.example', isActive: 'yes' } },
        ['isActive: ', 'true or false'],
      ],
      ['POST', REGISTER, { body: { webhookUrl: 'http://a.example', secret: '' } }, ['secret: ', '1 to 256']],
      ['POST', REGISTER, { body: 5 }, ['object']],
      ['POST', REGISTER, { text: '{"webhookUrl":' }, ['JSON', 'quotes']],
      ['POST', REGISTER, { text: '{}', headers: PLAIN }, ['application/json']],
      ['POST', CHECK, { text: 'userIds=1', headers: FORM }, ['application/json']],
    ];
    for (const [method, path, sent, facts] of requests) {
      const { code, body } = await site.api.ask(method, path, { token, ...sent });
      expect([sent, code]).toEqual([sent, 'VALIDATION_FAILED']);
      for (const fact of facts) expect(body.message).toContain(fact);
      expect(body.message).not.toContain('Invalid input');
    }
  });

  test('about a report, and about its limit with its number and what it counts', async () => {
    const site = await listing();
    const { listed, token } = await site.owned('bot');
    const said = async (report: object) =>
      (await site.api.post(`/bots/${listed.id}/stats`, { token, body: report })).body.message;
    for (const [report, facts] of [
      [{}, ['serverCount: ', 'missing', '0 to 10,000,000']],
      [{ serverCount: 1.5 }, ['serverCount: ', 'whole number']],
      [{ serverCount: '1' }, ['serverCount: ', 'whole number']],
      [{ serverCount: 1, shardCount: 10_001 }, ['shardCount: ', '0 to 10,000']],
    ] as const) {
      const message = await said(report);
      for (const fact of facts) expect(message).toContain(fact);
      expect(message).not.toContain('Invalid input');
    }
    await said({ serverCount: 1 });
    expect(await said({ serverCount: 1 })).toContain('is 1 report a minute');
  });
});
