import { expect, test } from 'vitest';
import { signPayload } from '../../protocol/votifier/v2.ts';
import { openPort, type Port } from '../kit/port.ts';
import { TOKEN } from '../kit/vote.ts';
import { naming } from '../support/naming.ts';

const NOW = '1780315200000';

const target = (sites: object = { default: { token: TOKEN } }): Promise<Port> => openPort({}, { sites });

const sendV1 = ({ sent, blockOf }: Port, text: string): Promise<string> => sent(blockOf(text));

/** Signs the payload exactly as it is written here. */
async function sendV2({ greeted }: Port, payloadFor: (challenge: string) => string, token = TOKEN) {
  const client = await greeted();
  const payload = payloadFor(await client.challenge());
  const signature = signPayload(payload, token).toString('base64');
  const body = Buffer.from(JSON.stringify({ payload, signature }));
  const head = Buffer.from('s:  ');
  head.writeUInt16BE(body.length, 2);
  client.write(Buffer.concat([head, body]));
  return await client.untilClosed();
}

const codesOf = (at: Port): readonly (string | undefined)[] => at.refused().map((line) => line.split(' ')[0]);
const logged = ({ teller }: Port): readonly string[] => teller.log.map(({ sentence }) => sentence);

const fields = (more: object) => (challenge: string) =>
  JSON.stringify({
    serviceName: 'List',
    username: 'Steve',
    address: '192.0.2.1',
    timestamp: NOW,
    challenge,
    ...more,
  });

const OK = '{"status":"ok"}\r\n';

test('a vote without a service name counts over v1 and v2, and shares the window of unlisted sites', async () => {
  const at = await target();
  await sendV1(at, `VOTE\n\nSteve\n192.0.2.1\n${NOW}\n`);
  expect(await sendV2(at, fields({ serviceName: '', username: 'Alex' }))).toBe(OK);
  await sendV1(at, `VOTE\nOther\nSteve\n192.0.2.1\n${NOW}\n`);
  expect((await at.votes()).map(({ service, site, decision }) => [service, site, decision])).toEqual([
    ['', 'default', 'rewarded'],
    ['', 'default', 'rewarded'],
    ['Other', 'default', 'unlisted'],
  ]);
  expect(codesOf(at)).toEqual([]);
  expect(logged(at)).toContainEqual(naming('Steve', '(no service name)'));
  expect(logged(at)).toContainEqual(naming('"": {}'));
});

test('a vote without a service name uses the window, the token and the protocols of the entry "" if there is one', async () => {
  const at = await target({
    default: { token: TOKEN },
    '': { token: 'token-of-the-nameless', cooldown: '12h', protocols: ['v2'] },
  });
  expect(await sendV2(at, fields({ serviceName: '' }))).toContain('"cause":"InvalidSignature"');
  expect(await sendV2(at, fields({ serviceName: '' }), 'token-of-the-nameless')).toBe(OK);
  await sendV1(at, `VOTE\n\nAlex\n192.0.2.1\n${NOW}\n`);
  expect(await at.votes()).toMatchObject([{ service: '', site: '', nextAt: '2026-06-02T00:00:00.000Z' }]);
  expect(codesOf(at)).toEqual(['v2-signature', 'site-protocol']);
});

test.each([
  ['username', 12345, '12345'],
  ['username', true, 'true'],
  ['address', 16909060, 'Steve'],
  ['address', false, 'Steve'],
  ['address', ['192.0.2.1'], 'Steve'],
  ['timestamp', true, 'Steve'],
  ['timestamp', {}, 'Steve'],
  ['timestamp', [1780315200], 'Steve'],
])('a signed v2 vote with a number or a boolean in %s (%j) counts', async (field, value, player) => {
  const at = await target();
  expect(await sendV2(at, fields({ [field]: value }))).toBe(OK);
  const [vote] = await at.votes();
  expect([vote?.player, vote?.service]).toEqual([player, 'List']);
  if (field === 'timestamp') expect(vote?.claimedAt).toBeNull();
});

test('a signed v2 vote with a number or a boolean in serviceName is for the site of that name', async () => {
  const at = await target({ default: { token: 'another-token' }, 2026: { token: TOKEN } });
  expect(await sendV2(at, fields({ serviceName: 2026 }))).toBe(OK);
  expect(await at.votes()).toMatchObject([{ service: '2026', site: '2026' }]);
});

test.each([
  ['username', null, 'v2-payload-username'],
  ['username', { name: 'Steve' }, 'v2-payload-username'],
  ['username', 2 ** 60, 'v2-payload-username'],
  ['serviceName', null, 'v2-payload-service'],
  ['serviceName', ['List'], 'v2-payload-service'],
  ['challenge', null, 'v2-payload-challenge'],
])(
  'a signed v2 vote with a number or a boolean is refused if %s is %j, and the answer and the log name that field',
  async (field, value, code) => {
    const at = await target();
    const answer = JSON.parse(await sendV2(at, fields({ [field]: value })));
    expect(answer).toMatchObject({ cause: 'InvalidPayload', error: expect.stringContaining(field) });
    expect(codesOf(at)).toEqual([code]);
    expect(logged(at).join('\n')).toContain(field);
  },
);

test.each([
  ['spaces', '  ', ' '],
  ['a CR', '', '\r'],
  ['a tab', '\t', '\t'],
  ['a byte order mark', '\ufeff', ''],
  ['a no-break space', '\u00a0', '\u00a0'],
])(
  'white space around a name (%s) is ignored, and the payload is signed as sent',
  async (_, before, after) => {
    const at = await target({ default: { token: 'another-token' }, 'My-List.com': { token: TOKEN } });
    const wrapped = (name: string) => `${before}${name}${after}`;
    const names = { serviceName: wrapped('My-List.com'), username: wrapped('Steve') };
    expect(await sendV2(at, (challenge) => `${fields(names)(challenge)}\n`)).toBe(OK);
    await sendV1(at, `VOTE\n${wrapped('My-List.com')}\n${wrapped('Alex')}\n\n${NOW}\n`);
    expect((await at.votes()).map(({ service, site, player }) => [service, site, player])).toEqual([
      ['My-List.com', 'My-List.com', 'Steve'],
      ['My-List.com', 'My-List.com', 'Alex'],
    ]);
  },
);

test('white space around a name does not make a vote different from the same vote without it', async () => {
  const at = await target();
  await sendV1(at, `VOTE\nMy-List.com\nSteve\n\n${NOW}\n`);
  await sendV1(at, `VOTE\nMy-List.com \nSteve\r\n\n${NOW}\r\n`);
  expect((await at.teller.run('explain', 'Steve', '--json')).json).toMatchObject([
    { service: 'My-List.com', repeats: 1 },
  ]);
});

test('white space around a name is also ignored in a config entry, and the entry keeps its window', async () => {
  const at = await target({ default: { token: TOKEN }, 'My-List.com ': { cooldown: '12h' } });
  await sendV1(at, `VOTE\nMy-List.com\nSteve\n\n${NOW}\n`);
  expect(await at.votes()).toMatchObject([
    { service: 'My-List.com', site: 'My-List.com ', nextAt: '2026-06-02T00:00:00.000Z' },
  ]);
});

test.each([
  ['a\tb', 'a\\tb'],
  ['a\rb', 'a\\rb'],
  ['a\ufeffb', 'a\\ufeffb'],
  ['👩\u200d🚀 List', '👩\\u200d🚀 List'],
  ['a\u001b[31mb', 'a\\u001b[31mb'],
  ['a\u202eb', 'a\\u202eb'],
])('odd characters inside a service name %j are kept, and shown as %s', async (serviceName, shown) => {
  const at = await target({ default: { token: TOKEN }, [serviceName]: {} });
  expect(await sendV2(at, fields({ serviceName }))).toBe(OK);
  await sendV1(at, `VOTE\n${serviceName}\nAlex\n\n${NOW}\n`);
  expect(await at.votes()).toMatchObject([
    { service: serviceName, site: serviceName },
    { service: serviceName, site: serviceName },
  ]);
  expect(logged(at)).toContainEqual(naming('Steve', ` ${shown}`));
});
