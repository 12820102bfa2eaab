import { readFile } from 'node:fs/promises';
import { Problem } from '../core/problem.ts';
import { type Fields, flag, type Given, type Operation, word } from './dashboard-operation.ts';
import { readSecret } from './webhook-secret.ts';

const BEFORE = ['--before <cursor>', 'go on from where the last page ended (its "older")'] as const;

const FILTERS = [
  ['--state <state>', 'undelivered, or one of sending, will-retry, delivered, rejected, gave-up'],
  ['--kind <kind>', 'vote, redelivery, test or probe'],
  ['--player <name>', 'votes for this player, or of this user ID'],
  ['--since <time>', 'votes from this time on, UTC: 2026-06-03T14:05'],
  ['--until <time>', 'votes before this time'],
] as const;

const log = (path: string) => (given: Given) => {
  const asked = ['before', 'state', 'kind', 'player', 'since', 'until'].flatMap((name) => {
    const value = flag(given, name);
    return value === undefined ? [] : [[name, value] as [string, string]];
  });
  return asked.length === 0 ? path : `${path}?${new URLSearchParams(asked)}`;
};

/** The webhook, its deliveries, and the vote listener. */
export const deliveryOperations: readonly Operation[] = [
  { name: 'webhook', does: 'the webhook, its health and its last 24 hours', about: 'own', page: '/webhook' },
  {
    name: 'set-webhook',
    does: 'set up or replace the webhook; clears an auto-disable',
    arguments: [['<url>', 'where votes are posted']],
    options: [
      [
        '--secret <secret>',
        'generate, none, keep, or your own: file:PATH, env:NAME, text (default: generate)',
      ],
      ['--paused', 'save it switched off'],
    ],
    about: 'own',
    page: '/webhook',
    form: '/webhook',
    fields: async (given) => ({
      url: word(given),
      ...(await secretFields(flag(given, 'secret') ?? 'generate')),
      ...(given.flags.paused === true ? {} : { active: 'on' }),
    }),
  },
  { name: 'test-webhook', does: 'send a test event', about: 'own', page: '/webhook', form: '/webhook/test' },
  {
    name: 'probe-webhook',
    does: 'send a test event with a forged signature: a good receiver refuses it',
    about: 'own',
    page: '/webhook',
    form: '/webhook/probe',
  },
  {
    name: 'verify-delivery',
    does: 'say what matches and what does not in a delivery that a receiver got',
    options: [
      ['--body <file>', 'the raw body'],
      ['--header <value>', 'the value of X-Webhook-Signature'],
      ['--secret <secret>', 'file:PATH, env:NAME, or the text itself'],
    ],
    about: 'own',
    page: '/webhook/verify',
    form: '/webhook/verify',
    fields: async (given) => ({
      body: await readBody(flag(given, 'body')),
      header: flag(given, 'header') ?? '',
      secret: (await readSecret(flag(given, 'secret'))) ?? '',
    }),
  },
  {
    name: 'events',
    does: 'the delivery log with one row per event, newest first',
    options: [BEFORE, ...FILTERS],
    about: 'own',
    page: log('/deliveries'),
    rows: 'events',
    columns: ['at', 'kind', 'state', 'player', 'userId', 'attempts', 'nextAttemptAt', 'id'],
  },
  {
    name: 'deliveries',
    does: 'the same with one row per attempt, newest first',
    options: [BEFORE, ...FILTERS],
    about: 'own',
    page: log('/deliveries'),
    rows: 'deliveries',
    columns: [
      'startedAt',
      'kind',
      'status',
      'httpStatus',
      'attempt',
      'durationMs',
      'nextAttemptAt',
      'deliveryId',
      'eventId',
    ],
  },
  {
    name: 'delivery',
    does: 'one delivery with its request and the beginning of its response',
    arguments: [['<id>', 'its X-Service-Delivery']],
    about: 'own',
    page: (given) => `/deliveries/${encodeURIComponent(word(given))}`,
  },
  {
    name: 'undelivered',
    does: 'events that are not sent again by themselves',
    options: [BEFORE],
    about: 'own',
    page: log('/deliveries/undelivered'),
    rows: 'undelivered',
    columns: ['eventId', 'attempts', 'createdAt', 'endedAt'],
  },
  {
    name: 'redeliver',
    does: 'send an event once more',
    arguments: [['<event>', 'its ID']],
    about: 'own',
    page: '/deliveries',
    form: '/deliveries/redeliver',
    fields: (given) => ({ event: word(given) }),
  },
  {
    name: 'redeliver-all',
    does: 'send everything undelivered since a time once more, 8 a minute',
    arguments: [['<since>', 'when the first vote was cast, UTC: 2026-06-03T14:05']],
    options: [['--yes', 'without asking']],
    question: 'Redeliver every undelivered event since then?',
    about: 'own',
    page: '/deliveries',
    form: '/deliveries/redeliver-all',
    fields: (given) => ({ since: word(given) }),
  },
  {
    name: 'stop-redelivery',
    does: 'stop what redeliver-all began',
    about: 'own',
    page: '/deliveries',
    form: '/deliveries/redeliver-all/stop',
  },
  {
    name: 'listener',
    does: 'the vote listener, and what became of votes sent to it',
    about: 'own',
    page: '/listener',
  },
  {
    name: 'set-listener',
    does: 'choose where votes that name a player are sent',
    arguments: [['<host>', 'name or address of the listener']],
    options: [
      ['--port <port>', 'its port (default: 8192)'],
      ['--token <token>', 'protocol version 2: file:PATH, env:NAME, or the token itself'],
      ['--public-key <file>', 'protocol version 1'],
    ],
    about: 'own',
    page: '/listener',
    form: '/listener',
    fields: async (given) => ({
      host: word(given),
      port: flag(given, 'port') ?? '',
      ...(await credentialFields(given)),
    }),
  },
  {
    name: 'remove-listener',
    does: 'send votes to no listener',
    about: 'own',
    page: '/listener',
    form: '/listener/remove',
  },
  {
    name: 'test-vote',
    does: 'send a real vote for a named player to the listener',
    arguments: [['<player>', 'as in the game']],
    about: 'own',
    page: '/listener',
    form: '/listener/test',
    fields: (given) => ({ player: word(given) }),
  },
];

async function secretFields(secret: string): Promise<Fields> {
  if (['generate', 'none', 'keep'].includes(secret)) return { secret };
  return { secret: 'own', ownSecret: (await readSecret(secret)) ?? '' };
}

async function credentialFields(given: Given): Promise<Fields> {
  const [token, keyFile] = [flag(given, 'token'), flag(given, 'publicKey')];
  if ((token === undefined) === (keyFile === undefined)) {
    throw new Problem('usage', 'either --token or --public-key is needed');
  }
  if (keyFile !== undefined)
    return { method: 'public-key', credential: await readText('--public-key', keyFile) };
  return { method: 'token', credential: (await readSecret(token)) ?? '' };
}

const readBody = (file: string | undefined): Promise<string> => {
  if (file === undefined) throw new Problem('usage', '--body is needed: the file with the raw body');
  return readText('--body', file);
};

const readText = (name: string, file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Problem('usage', `${name}: ${file} cannot be read (${error.code})`);
  });
