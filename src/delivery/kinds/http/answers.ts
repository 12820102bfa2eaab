import { verifySignature } from '../../../../protocol/webhook.ts';
import type { Outcome } from '../../../core/outcome.ts';
import { type ShownPlayer, shownPlayers } from '../../../core/shown-players.ts';
import type { Presence } from '../../game-server.ts';
import type { Exchanged } from './exchange.ts';

type Answer = Extract<Exchanged, { kind: 'answered' }>;

/** What an answer says about its command. */
export type Said =
  /** Nothing: only its status counts. */
  | { readonly kind: 'nothing' }
  /** How the command ended, but nobody can tell who says so. */
  | { readonly kind: 'unsigned' }
  | { readonly kind: 'ended'; readonly outcome: Outcome };

const OUTCOMES = ['delivered', 'refused', 'player-offline'] as const;
const NOTHING: Said = { kind: 'nothing' };

/** @param id that of the request: an answer to another one is not believed. */
export function saidBy(answer: Answer, id: string, secret: string): Said {
  const { outcome, reply } = objectIn(answer.body);
  const kind = OUTCOMES.find((each) => each === outcome);
  if (kind === undefined) return NOTHING;
  if (!isSigned(answer, id, secret)) return { kind: 'unsigned' };
  return { kind: 'ended', outcome: { kind, reply: typeof reply === 'string' ? reply : '' } };
}

/** Who is online, as the answer says. Never guessed: an answer with anything unknown in it is not used. */
export function playersIn(answer: Answer, id: string, secret: string): Presence {
  const { players } = objectIn(answer.body);
  const read = Array.isArray(players) ? players.map(playerIn) : [null];
  const known = read.filter((player) => player !== null);
  if (known.length < read.length) return { kind: 'cannot-tell', reason: 'http.players-unreadable' };
  if (!isSigned(answer, id, secret)) return { kind: 'cannot-tell', reason: 'http.players-unsigned' };
  const shown = shownPlayers(known);
  return shown === null
    ? { kind: 'cannot-tell', reason: 'http.players-unreadable' }
    : { kind: 'known', ...shown };
}

/** The signature covers the request's ID, a dot and the body, so that no answer fits another request. */
const isSigned = ({ signature, body }: Answer, id: string, secret: string): boolean =>
  verifySignature(signature, Buffer.concat([Buffer.from(`${id}.`), body]), secret);

function objectIn(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(body.toString('utf8'));
    return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function playerIn(written: unknown): ShownPlayer | null {
  const { name, uuid = null } =
    typeof written === 'string' ? { name: written } : ((written ?? {}) as Written);
  if (typeof name !== 'string') return null;
  if (uuid === null) return { name, uuid };
  return typeof uuid === 'string' && UUID.test(uuid) ? { name, uuid: uuid.toLowerCase() } : null;
}

interface Written {
  readonly name?: unknown;
  readonly uuid?: unknown;
}
