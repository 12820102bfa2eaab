import path from 'node:path';
import { type Config, practiceNames, Secret } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import {
  type NotSentReason,
  openRconConnection,
  type UnknownReason,
} from '../delivery/kinds/rcon-connection.ts';
import { type PracticeAddress, practiceAddressFile, readPracticeAddress } from '../practice/address-file.ts';
import { CONTROL_LOGIN_ID, CONTROL_REFUSED } from '../practice/control.ts';

export type FoundPractice =
  | { readonly kind: 'found'; readonly address: PracticeAddress }
  | { readonly kind: 'none-configured' }
  /** Several practice servers are configured and none was named, or none has this name. */
  | { readonly kind: 'not-named'; readonly servers: readonly string[] }
  /** A running server would have written this file. */
  | { readonly kind: 'not-running'; readonly addressFile: string };

/** Finds the practice game server inside `teller run` by the address file that it writes beside the ledger. */
export async function findPractice(config: Config, wanted: string | undefined): Promise<FoundPractice> {
  const servers = practiceNames(config);
  const server = wanted ?? (servers.length === 1 ? servers[0] : undefined);
  if (servers.length === 0) return { kind: 'none-configured' };
  if (server === undefined || !servers.includes(server)) return { kind: 'not-named', servers };
  const folder = path.dirname(config.ledger);
  const address = await readPracticeAddress(folder, server);
  if (address !== null) return { kind: 'found', address };
  return { kind: 'not-running', addressFile: practiceAddressFile(folder, server) };
}

export type PracticeAnswer =
  | { readonly kind: 'answered'; readonly text: string }
  | { readonly kind: 'refused'; readonly text: string }
  | { readonly kind: 'unreachable'; readonly reason: NotSentReason | UnknownReason };

const ANSWER_WITHIN_MS = 5_000;

/** @param request one of `controlRequest` */
export async function askPractice(
  { host, port, password }: PracticeAddress,
  request: string,
  clock: Clock,
): Promise<PracticeAnswer> {
  const target = { host, port, password: new Secret(password), commandTimeoutMs: ANSWER_WITHIN_MS, clock };
  const login = { ...target, firstId: CONTROL_LOGIN_ID };
  const opened = await openRconConnection(login, new AbortController().signal);
  if (opened.kind === 'failed') return { kind: 'unreachable', reason: opened.reason };
  const answer = await opened.connection.exchange(request);
  opened.connection.close();
  if (answer.kind !== 'reply') return { kind: 'unreachable', reason: answer.reason };
  return answer.text.startsWith(CONTROL_REFUSED)
    ? { kind: 'refused', text: answer.text.slice(CONTROL_REFUSED.length) }
    : { kind: 'answered', text: answer.text };
}
