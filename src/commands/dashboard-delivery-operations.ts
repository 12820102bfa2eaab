import { readFile } from 'node:fs/promises';
import { Problem } from '../core/problem.ts';
import { type Fields, flag, type Given, type Operation, word } from './dashboard-operation.ts';
import { readSecret } from './webhook-secret.ts';

const BEFORE = ['--before <cursor>', 'continue after the previous page: the cursor that it printed'] as const;

const STATE = [
  '--state <state>',
  'only in this state: sending, retrying, delivered, undelivered, or failed for tests',
] as const;

const log = (path: string) => (given: Given) => {
  const asked = ['before', 'state'].flatMap((name) => {
    const value = flag(given, name);
    return value === undefined ? [] : [[name, value] as [string, string]];
  });
  return asked.length === 0 ? path : `${path}?${new URLSearchParams(asked)}`;
};

/** The webhook, its deliveries, and the vote listener. */
export const deliveryOperations: readonly Operation[] = [
  {
    name: 'webhook',
    does: 'show the webhook, its health and its activity in the last 24 hours',
    about: 'own',
    page: '/webhook',
  },
  {
    name: 'set-webhook',
    does: 'set up or replace the webhook, and enable it again if it was disabled automatically',
    arguments: [['<url>', 'the URL that votes are posted to']],
    options: [
      [
        '--secret <secret>',
        'generate, none, keep, or your own as file:PATH, env:NAME or the secret itself (default: generate)',
      ],
      ['--paused', 'save it paused: votes cast meanwhile get no event'],
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
  {
    name: 'test-webhook',
    does: 'send a test event to the webhook',
    about: 'own',
    page: '/webhook',
    form: '/webhook/test',
  },
  {
    name: 'events',
    does: 'list the delivery log with one row per event, newest first',
    options: [BEFORE, STATE],
    about: 'own',
    page: log('/deliveries'),
    rows: 'events',
    columns: ['at', 'kind', 'state', 'player', 'userId', 'attempts', 'nextAttemptAt', 'id'],
  },
  {
    name: 'deliveries',
    does: 'list the delivery log with one row per attempt, newest first',
    options: [BEFORE, STATE],
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
    does: 'show one delivery with its request and the start of its response',
    arguments: [['<id>', 'its ID, from the X-Service-Delivery header']],
    about: 'own',
    page: (given) => `/deliveries/${encodeURIComponent(word(given))}`,
  },
  {
    name: 'undelivered',
    does: 'list events that were not delivered and will not be retried',
    options: [BEFORE],
    about: 'own',
    page: log('/deliveries/undelivered'),
    rows: 'undelivered',
    columns: ['eventId', 'attempts', 'createdAt', 'endedAt'],
  },
  {
    name: 'redeliver',
    does: 'send an event again',
    arguments: [['<event>', 'the event ID']],
    about: 'own',
    page: '/deliveries',
    form: '/deliveries/redeliver',
    fields: (given) => ({ event: word(given) }),
  },
  {
    name: 'listener',
    does: 'show the vote listener, and what became of the votes sent to it',
    about: 'own',
    page: '/listener',
  },
  {
    name: 'set-listener',
    does: 'set the vote listener that votes with a player name are sent to',
    arguments: [['<host>', 'the host name or address of the listener']],
    options: [
      ['--port <port>', 'its port (default: 8192)'],
      ['--token <token>', 'for protocol version 2: file:PATH, env:NAME, or the token itself'],
      ['--public-key <file>', 'for protocol version 1: the file with the public key'],
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
    does: 'remove the vote listener, so that votes are no longer sent to one',
    about: 'own',
    page: '/listener',
    form: '/listener/remove',
  },
  {
    name: 'test-vote',
    does: 'send a real vote for a named player to the listener',
    arguments: [['<player>', 'the player’s name in the game']],
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
    throw new Problem('usage', 'give either --token or --public-key');
  }
  if (keyFile !== undefined)
    return { method: 'public-key', credential: await readText('--public-key', keyFile) };
  return { method: 'token', credential: (await readSecret(token)) ?? '' };
}

const readText = (name: string, file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Problem('usage', `${name}: ${file} cannot be read (${error.code})`);
  });
