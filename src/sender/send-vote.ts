import type { KeyObject } from 'node:crypto';
import type { Socket } from 'node:net';
import { isV1PublicKey } from '../../protocol/votifier/key-text.ts';
import { V1_TEXT_MAX_BYTES } from '../../protocol/votifier/v1.ts';
import type { WireVote } from '../../protocol/votifier/vote.ts';
import { placeText } from '../core/address.ts';
import type { Clock } from '../core/clock.ts';
import { type Connect, connectAnywhere, connectEnding } from './connection.ts';
import type { Conversation } from './conversation.ts';
import { Exchange, SEND_LIMITS, type SendLimits } from './exchange.ts';
import { type Ending, resultOf, type SendResult } from './result.ts';
import { V1Conversation } from './v1-conversation.ts';
import { exceedsV2, V2_TOO_LONG, V2Conversation } from './v2-conversation.ts';

export type Auth =
  | { readonly version: 'v2'; readonly token: string }
  | { readonly version: 'v1'; readonly publicKey: KeyObject };

/** A listener, and the token or key with which votes are sent to it. */
export interface Target extends Place {
  readonly auth: Auth;
}

/** Where a listener is. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

export interface SendOptions {
  readonly clock: Clock;
  readonly connect?: Connect;
  readonly limits?: SendLimits;
  /** How a v1 block is made; by default in this thread. */
  readonly encrypt?: Encrypt;
}

/** null: the vote is too long for a block. */
export type Encrypt = (publicKey: KeyObject, vote: WireVote) => Promise<Buffer | null>;

/**
 * Sends one vote to one listener, once. The caller decides whether to send a failed vote again; `reached` says whether
 * it might then be recorded twice. Never rejects, and leaves no open socket.
 */
export async function sendVote(vote: WireVote, target: Target, options: SendOptions): Promise<SendResult> {
  const opening = await conversationFor(vote, target.auth, options.encrypt);
  const ending = 'code' in opening ? opening : await exchange(opening, target, options);
  return resultOf(ending, addressOf(target));
}

/**
 * Loads node-forge, which a process that only listens does not need. A server that sends votes calls this before it
 * listens, because loading code reads files on the main thread (rule 13).
 */
export const loadV1Encryption = () => import('../../protocol/votifier/v1-encrypt.ts');

const encryptHere: Encrypt = async (publicKey, vote) =>
  (await loadV1Encryption()).encryptV1Block(publicKey, vote);

/** Checks the vote and the key before anything is sent. */
export async function conversationFor(
  vote: WireVote,
  auth: Auth,
  encrypt: Encrypt = encryptHere,
): Promise<Conversation | Ending> {
  const fields = [vote.serviceName, vote.username, vote.address, vote.timestamp];
  if (fields.some((field) => /[\r\n]/.test(field))) return { code: 'line-break' };
  if (auth.version === 'v1') return openV1(vote, auth.publicKey, encrypt);
  return exceedsV2(vote, auth.token) ? V2_TOO_LONG : new V2Conversation(vote, auth.token);
}

async function openV1(
  vote: WireVote,
  publicKey: KeyObject,
  encrypt: Encrypt,
): Promise<Conversation | Ending> {
  if (!isV1PublicKey(publicKey)) return { code: 'key-unusable' };
  const block = await encrypt(publicKey, vote);
  if (block !== null) return new V1Conversation(block);
  return { code: 'vote-too-long', detail: `a version 1 block holds ${V1_TEXT_MAX_BYTES} bytes` };
}

function exchange(conversation: Conversation, target: Target, options: SendOptions): Promise<Ending> {
  const { clock, connect = connectAnywhere, limits = SEND_LIMITS } = options;
  let socket: Socket;
  try {
    socket = connect(target.host, target.port);
  } catch (error) {
    return Promise.resolve(connectEnding(error));
  }
  return new Exchange(socket, conversation, clock, limits).run();
}

/** A listener as a person writes it. */
export const addressOf = ({ host, port }: Place): string => placeText(host, port);
