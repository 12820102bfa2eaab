/** Votes of the benchmark: who casts them, and how they are sent. */
import { connect } from 'node:net';
import { encodeV2Frame } from '../../protocol/votifier/v2.ts';

export const TOKEN = 'bench-token-of-thirty-two-characters';
/** As many listings as a large server has. */
export const SERVICES = Array.from({ length: 30 }, (_, index) => `List${index + 1}.example`);

/** The fields of a vote on the wire. */
export interface Ballot {
  readonly serviceName: string;
  readonly username: string;
  readonly address: string;
  readonly timestamp: number;
}

export const v1Text = ({ serviceName, username, address, timestamp }: Ballot): string =>
  `VOTE\n${serviceName}\n${username}\n${address}\n${timestamp}\n`;

export function v2Frame({ timestamp, ...ballot }: Ballot, greeting: string, token = TOKEN): Buffer {
  const challenge = greeting.slice(0, -1).split(' ')[2] ?? '';
  return encodeV2Frame({ ...ballot, timestamp: String(timestamp), challenge }, token);
}

export interface Exchange {
  /** By default 127.0.0.1. */
  readonly host?: string | undefined;
  readonly port: number;
  readonly localAddress?: string;
  /** What to send after the greeting. */
  readonly block: (greeting: string) => Buffer;
  /** Called when it has been written. */
  readonly onWritten?: () => void;
}

export interface ExchangeResult {
  /** Everything that the listener sent. */
  readonly received: string;
  readonly isBroken: boolean;
}

/** A sender that is not answered gives up. */
const PATIENCE_MS = 15_000;

/** One vote from connect to close. */
export const exchange = ({
  host = '127.0.0.1',
  port,
  localAddress,
  block,
  onWritten,
}: Exchange): Promise<ExchangeResult> =>
  new Promise((resolve) => {
    const from = localAddress === undefined ? {} : { localAddress };
    const socket = connect({ host, port, noDelay: true, ...from });
    let received = '';
    let isBroken = false;
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error('no answer')));
    socket.on('error', () => {
      isBroken = true;
    });
    socket.on('data', (chunk) => {
      const isGreeting = received === '';
      received += chunk.toString('latin1');
      if (!isGreeting) return;
      socket.write(block(received));
      onWritten?.();
    });
    socket.on('close', () => resolve({ received, isBroken }));
  });

export const isAnsweredOk = ({ received, isBroken }: ExchangeResult): boolean =>
  !isBroken && /\n\{"status": ?"ok"\}\s*$/.test(received);

/**
 * Draws numbers from 0 to `count - 1` by Zipf's law, as players vote: number n is drawn in proportion to 1 / (n + 1).
 *
 * @param random a number from 0 (included) to 1 (excluded).
 */
export function zipf(count: number, random: () => number): () => number {
  const cumulated = new Float64Array(count);
  let total = 0;
  for (let number = 0; number < count; number++) {
    total += 1 / (number + 1);
    cumulated[number] = total;
  }
  return () => firstAbove(cumulated, random() * total);
}

/** The index of the first value that is greater; the values ascend. */
function firstAbove(values: Float64Array, limit: number): number {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] as number) > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}
