import { isIP } from 'node:net';
import * as z from 'zod';
import { isCidr } from './address.ts';
import { DURATION, parseDuration } from './duration.ts';
import { parseInstant } from './instant.ts';
import { isZone, parseMinute } from './local-time.ts';
import { nearestWord } from './nearest-word.ts';
import { DEFAULT_SITE, SERVICE_NAME_MAX, serviceNameOf } from './service-name.ts';

/**
 * The types of values in a config. `title` is the type's name in `config explain`. Each type has one error sentence,
 * which follows the key: "listener.port: must be …". For a value of another kind, `example` or the default follows.
 */

/** Marks keys that are read only at start: `teller reload` reports a change of them and does not apply it. */
export const RESTART = { reload: 'restart' } as const;

/**
 * An object with a fixed set of keys. The error for an unknown key suggests the nearest one.
 *
 * @param whyNot the sentence for a key that exists elsewhere and is not allowed here; null for any other key.
 */
export function section<Shape extends z.ZodRawShape>(
  shape: Shape,
  whyNot: (key: string) => string | null = () => null,
) {
  const known = Object.keys(shape);
  const sentenceFor = (key: string): string => whyNot(key) ?? unknownKeySentence(key, known);
  const unknownKey = z.custom(() => false, {
    error: ({ path }) => sentenceFor(String(path?.at(-1))),
    params: { code: 'config-unknown-key' },
  });
  // The cast restores the strict type: with catchall, zod's type would allow any key.
  return z.object(shape).catchall(unknownKey) as unknown as z.ZodObject<Shape, z.core.$strict>;
}

export const NO_SUCH_KEY = 'unknown key';

const unknownKeySentence = (key: string, known: readonly string[]): string => {
  const meant = nearestWord(key, known);
  return meant === null
    ? `${NO_SUCH_KEY}; allowed are ${known.join(', ')}`
    : `${NO_SUCH_KEY}; perhaps you meant '${meant}'`;
};

/** The error sentence of a type. */
export const errorSentence = (sentence: string) => ({
  error: ({ input }: { readonly input?: unknown }): string =>
    input === undefined ? `is missing; it ${sentence}` : sentence,
});

export function wholeNumber(min: number, max: number, title = 'number') {
  const error = errorSentence(`must be a whole number from ${min} to ${max}, without quotes`);
  return z.int(error).min(min, error).max(max, error).meta({ title });
}

/** With 0, the operating system picks a free port. */
export const listeningPort = wholeNumber(0, 65_535, 'port');

export const connectingPort = wholeNumber(1, 65_535, 'port');

const milliseconds = (text: string): number => parseDuration(text) ?? Number.NaN;

export function duration(min: string, max: string) {
  const error = errorSentence(
    `must be a duration from "${min}" to "${max}", in quotes and with its unit (ms, s, m, h, d)`,
  );
  const isWithin = (ms: number): boolean => ms >= milliseconds(min) && ms <= milliseconds(max);
  return z
    .string(error)
    .regex(DURATION, error)
    .meta({ title: `duration from ${min} to ${max}`, example: max })
    .transform(milliseconds)
    .refine(isWithin, error);
}

const COOLDOWN = { min: '1s', max: '366d' };
const COOLDOWN_SENTENCE = `must be a duration from "${COOLDOWN.min}" to "${COOLDOWN.max}", in quotes and with its unit (ms, s, m, h, d), or a day: "day", "day 04:00" or "day 04:00 America/New_York"`;

/** How often a site's votes are rewarded. A day without a time zone begins in that of the config. */
export const cooldown = z
  .string(errorSentence(COOLDOWN_SENTENCE))
  .meta({ title: `duration from ${COOLDOWN.min} to ${COOLDOWN.max}, or day`, example: '24h' })
  .transform((text, context) => {
    const parsed = parseCooldown(text);
    if (parsed !== null) return parsed;
    context.addIssue({ code: 'custom', message: COOLDOWN_SENTENCE });
    return z.NEVER;
  });

type WrittenCooldown =
  | { readonly kind: 'span'; readonly ms: number }
  | { readonly kind: 'day'; readonly beginsAt: number; readonly zone: string | null };

function parseCooldown(text: string): WrittenCooldown | null {
  const [word, begins = '00:00', zone = null, ...rest] = text.split(' ');
  if (word !== 'day') return parseSpan(text);
  const beginsAt = parseMinute(begins);
  const isValid = beginsAt !== null && rest.length === 0 && (zone === null || isZone(zone));
  return isValid ? { kind: 'day', beginsAt, zone } : null;
}

function parseSpan(text: string): WrittenCooldown | null {
  const ms = milliseconds(text);
  return ms >= milliseconds(COOLDOWN.min) && ms <= milliseconds(COOLDOWN.max) ? { kind: 'span', ms } : null;
}

const noZone = errorSentence('must be the name of a time zone, such as "Europe/Berlin"');

export const timeZone = z.string(noZone).refine(isZone, noZone).meta({ title: 'time zone' });

/** A string on one line. */
export function line(max: number, title = 'text') {
  const error = errorSentence(`must be a string of 1 to ${max} characters on one line`);
  return z
    .string(error)
    .max(max, error)
    .regex(/^[^\p{Cc}]*[^\p{Cc}\s][^\p{Cc}]*$/u, error)
    .meta({ title, example: 'a name' });
}

const noServiceName = errorSentence(`must be a service name of up to ${SERVICE_NAME_MAX} characters`);

/** Any characters that a sender may send, or none. White space around the name is ignored. */
export const serviceName = z
  .string(noServiceName)
  .refine((text) => serviceNameOf(text).length <= SERVICE_NAME_MAX, noServiceName)
  .meta({ title: 'service name', example: 'My-List.com' });

/** A service that has an entry of its own, for lists in which `default` would mean no service. */
export const listedService = serviceName.refine((text) => serviceNameOf(text) !== DEFAULT_SITE, {
  error: 'must not be `default`, which stands for services without an entry',
});

const noOrigin = errorSentence(
  'must be an http or https address without a path, such as "https://votes.example.com"',
);

/** Scheme, host and port, as in the header `Origin`. */
export const origin = z
  .string(noOrigin)
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), noOrigin)
  .refine(
    (text) => !URL.canParse(text) || new URL(text).origin === text.replace(/\/$/, '').toLowerCase(),
    noOrigin,
  )
  .meta({ title: 'web address' })
  .transform((text) => new URL(text).origin);

const noUrl = errorSentence(
  'must be an http or https address without a user or password, such as "https://votes.example.com/api/v1"',
);

/** An http or https URL of up to `max` of the characters that the pattern allows. */
export const webUrl = (max: number, pattern: RegExp, error: ReturnType<typeof errorSentence>) =>
  z
    .string(error)
    .refine(
      (text) => text.length <= max && pattern.test(text) && URL.canParse(text) && isPlainUrl(new URL(text)),
      error,
    )
    .meta({ title: 'web address', example: 'https://votes.example.com/api/v1' });

/** A user or password in the URL would not be sent, and would appear in logs. */
export const isPlainUrl = ({ protocol, username, password }: URL): boolean =>
  /^https?:$/.test(protocol) && username === '' && password === '';

/** A URL that Teller sends requests to. */
export const httpUrl = webUrl(2048, /^/, noUrl);

const noInstant = errorSentence('must be a date or a time, such as "2026-06-01" or "2026-06-01T12:00Z"');

/** Milliseconds since the Unix epoch. */
export const instant = z
  .string(noInstant)
  .meta({ title: 'instant' })
  .transform((text) => parseInstant(text) ?? Number.NaN)
  .refine((ms) => !Number.isNaN(ms), noInstant);

const noHost = errorSentence('must be an IP address or a host name, without scheme or port');

/**
 * A name or an IPv4 address without a colon, because a port would follow it; or an IPv6 address, optionally with a
 * zone.
 */
const HOST = /^(?:[A-Za-z0-9._-]{1,253}|[0-9A-Fa-f]*(?::[0-9A-Fa-f.]*){2,8}(?:%[A-Za-z0-9._-]{1,32})?)$/;

export const host = z.string(noHost).regex(HOST, noHost).meta({ title: 'address', example: '127.0.0.1' });

export const file = line(4096, 'file');

export const folder = line(4096, 'folder');

const noSecret = errorSentence('must be a string in quotes: "file:PATH", "env:NAME" or the secret itself');

/** A secret or a reference to one, which `secret.ts` resolves. Never shown in an error (rule 10). */
export const secretReference = z
  .string(noSecret)
  .meta({ title: 'secret', example: 'file:data/secrets/NAME' });

const noNetwork = errorSentence(
  'must be a network in CIDR notation, such as "127.0.0.0/8"; for a single address, add /32 (IPv4) or /128 (IPv6)',
);

/** Short forms are refused: 10/8 could mean 10.0.0.0/8 or, as `ipaddr.js` and inet_aton read it, 0.0.0.10/8. */
const isNetwork = (text: string): boolean => isIP(text.split('/', 1)[0] as string) !== 0 && isCidr(text);

export const network = z
  .string(noNetwork)
  .refine(isNetwork, noNetwork)
  .meta({ title: 'network', example: '127.0.0.0/8' });

/** A regular expression to search for in a game server's reply; case is ignored. */
export const replyPattern = line(500, 'pattern').transform((source, context) => {
  try {
    return new RegExp(source, 'i');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    context.addIssue({ code: 'custom', message: `is not a regular expression: ${reason}` });
    return z.NEVER;
  }
});

export function list<Item extends z.ZodType>(item: Item, min: number, max: number) {
  const error = errorSentence(`must be a list of ${min} to ${max} entries, in brackets`);
  return z.array(item, error).min(min, error).max(max, error);
}

/** A list without duplicates. */
export const distinct = <Item extends z.ZodType>(item: Item, min: number, max: number) =>
  list(item, min, max).refine((items) => new Set(items.map(String)).size === items.length, {
    error: 'has a duplicate entry',
  });
