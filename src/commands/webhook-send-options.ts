import { GAMES } from '../../protocol/webhook.ts';
import type { Random } from '../core/random.ts';
import { readUrl } from '../listing/targets/written.ts';
import type { Wanted } from '../notify/webhook/compose.ts';
import type { FlagsOf } from './command.ts';
import { Command } from './commander.ts';
import { Flags } from './flags.ts';
import { readSecret, SECRET_HELP } from './webhook-secret.ts';

const DEFAULT_PLAYER = 'Steve';
const DEFAULT_GAME = 'minecraft';

const NOTES = `
Any address is allowed, including those of this machine and its network; the listing service itself posts only to
public addresses. Like the service, it does not follow redirects and times out after 10 s. A secret that you type stays
in the shell's history; with file: and env: it does not.

Exit code 0: the answer was 2xx; with --bad-signature, the delivery was refused. 1: anything else.
`;

/** The command and its flags, without its action. */
export const newWebhookSendCommand = () =>
  new Command('send')
    .description(
      'post one delivery the way the listing service does; any address is allowed, including loopback',
    )
    .requiredOption('--url <url>', 'the URL of the receiver')
    .option('--secret <secret>', `sign it with this secret: ${SECRET_HELP} (default: not signed)`)
    .option('--bad-signature', 'sign it with a random secret, so that the receiver must refuse it')
    .option('--test', 'send a test delivery, which earns nothing')
    .option(
      '--event-id <id>',
      'the event ID; repeat one to see whether the event is paid twice (default: a new one)',
    )
    .option('--attempt <number>', 'the attempt number to send', '1')
    .option(
      '--player <name>',
      `the player to reward; "" for a vote without a player (default: ${DEFAULT_PLAYER})`,
    )
    .option('--user-id <id>', 'the user ID of the voter', '80351110224678912')
    .option('--listing-id <id>', 'the ID of the listing', '01972f3e-5a00-7000-8000-000000000001')
    .option('--game <game>', `${GAMES.join(', ')}; or bot, for a bot listing`, DEFAULT_GAME)
    .option('--json', 'print one JSON array with what was sent and what was answered')
    .addHelpText('after', NOTES);

/** The flags as typed. */
export type WebhookSendFlags = FlagsOf<typeof newWebhookSendCommand>;

/** How the delivery is signed; `bad`: with a random secret. */
export type Signing = 'good' | 'bad' | 'none';

export interface WebhookSending {
  readonly url: URL;
  readonly wanted: Wanted;
  readonly signature: Signing;
  /** A secret that must not be printed, even if the receiver answers with it. */
  readonly hidden: string | null;
}

const ATTEMPTS_MAX = 1_000_000;
const TEXT_MAX = 256;
/** ASCII only, because it is also sent in a header. */
const EVENT_ID = /^[\x21-\x7e]{1,128}$/;

/** @throws Problem that names everything wrong with the flags, or with the secret that they name */
export async function readWebhookSending(flags: WebhookSendFlags, random: Random): Promise<WebhookSending> {
  const faults = new Flags();
  const url = receiverUrl(flags.url, faults);
  const attempt = faults.wholeNumber('--attempt', flags.attempt, 1, ATTEMPTS_MAX) ?? 1;
  const game = faults.oneOf('--game', flags.game, ['bot', ...GAMES] as const) ?? DEFAULT_GAME;
  refuseEventId(flags, faults);
  refuseTexts(flags, faults);
  if (flags.secret === '') faults.fault('--secret must not be empty; leave it out for an unsigned delivery');
  faults.done();
  const secret = await readSecret(flags.secret);
  const isBad = flags.badSignature === true;
  return {
    url,
    wanted: {
      eventId: flags.eventId ?? null,
      isTest: flags.test === true,
      attempt,
      listingId: flags.listingId,
      userId: flags.userId,
      game: game === 'bot' ? null : game,
      playerName: playerOf(flags),
      secret: isBad ? `nobody-${random.bytes(32).toString('hex')}` : secret,
    },
    signature: signingOf(isBad, secret),
    hidden: secret,
  };
}

function signingOf(isBad: boolean, secret: string | null): Signing {
  if (isBad) return 'bad';
  return secret === null ? 'none' : 'good';
}

/** An empty --player means a vote without a player. */
const playerOf = ({ player = DEFAULT_PLAYER }: WebhookSendFlags): string | null =>
  player === '' ? null : player;

/** A placeholder for a bad URL until the error is thrown. */
const NOWHERE = new URL('about:blank');

function receiverUrl(text: string, faults: Flags): URL {
  const url = readUrl(text);
  if (url === null) {
    faults.fault('--url must be an http or https URL, such as "http://127.0.0.1:3000/hook"');
    return NOWHERE;
  }
  if (url.username !== '' || url.password !== '') {
    faults.fault('--url must not have a user name or password, because the service does not send them');
  }
  return url;
}

function refuseEventId({ eventId, test }: WebhookSendFlags, faults: Flags): void {
  if (eventId === undefined) return;
  if (test === true)
    faults.fault('give --event-id or --test, not both: the event ID of a test is always "test"');
  else if (eventId === 'test')
    faults.fault('--event-id must not be "test", which is reserved for tests: use --test');
  else if (!EVENT_ID.test(eventId)) {
    faults.fault('--event-id must be 1 to 128 ASCII characters without spaces');
  }
}

function refuseTexts({ player = '', userId, listingId, game }: WebhookSendFlags, faults: Flags): void {
  for (const [flag, text] of Object.entries({
    '--player': player,
    '--user-id': userId,
    '--listing-id': listingId,
  })) {
    if (text.length > TEXT_MAX) faults.fault(`${flag} must be at most ${TEXT_MAX} characters long`);
  }
  if (player !== '' && game !== DEFAULT_GAME) {
    faults.fault('--player works only with --game minecraft, because other votes name no player');
  }
  if (userId === '') faults.fault('--user-id must not be empty, because every vote has a voter');
  if (listingId === '') faults.fault('--listing-id must not be empty');
}
