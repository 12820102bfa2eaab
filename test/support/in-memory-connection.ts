import { Duplex } from 'node:stream';
import { systemRandom } from '../../src/platform/random.ts';
import { Conversation, type ConversationParts } from '../../src/votes/listener/conversation.ts';
import { Decryption } from '../../src/votes/listener/decryption.ts';
import type { ReceivedVote } from '../../src/votes/listener/vote-intake.ts';
import { FakeClock } from './fake-clock.ts';
import { testPrivateKey } from './vectors.ts';
import { TOKEN } from './votifier-client.ts';

/** The votes and refusals that one connection led to. */
export interface ConversationResult {
  readonly votes: readonly ReceivedVote[];
  readonly refusals: readonly string[];
}

/** A socket without a network. The listener reads its bytes in exactly the pieces that are pushed. */
class InMemorySocket extends Duplex {
  readonly remoteAddress = '127.0.0.1';

  override _read(): void {}
  override _write(_chunk: Buffer, _encoding: string, done: () => void): void {
    done();
  }
}

/**
 * Runs one connection through the listener's code, with its bytes split into exactly these pieces. `afterPieces` is
 * called before the sender closes its side.
 */
export async function conversationOf(
  pieces: readonly Buffer[],
  settings: Partial<ConversationParts> = {},
  afterPieces: (conversation: Conversation) => void = () => {},
): Promise<ConversationResult> {
  const votes: ReceivedVote[] = [];
  const refusals: string[] = [];
  const socket = new InMemorySocket({ allowHalfOpen: true, autoDestroy: true });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const clock = new FakeClock();
  const parts: ConversationParts = {
    intake: {
      tokenOf: () => TOKEN,
      accept: async (vote) => {
        votes.push(vote);
        return null;
      },
    },
    refusals: {
      count: (code, service, sender) =>
        refusals.push([code, service ?? '', sender].filter((part) => part !== '').join(' ')),
    },
    decryption: new Decryption({ privateKey: testPrivateKey, clock }),
    protocols: ['v1', 'v2'],
    proxyProtocol: 'off',
    isTrustedProxy: () => true,
    deadlineMs: 5_000,
    clock,
    random: systemRandom,
    ...settings,
  };
  const observer = {
    onAddress: (change: () => void) => change(),
    onDeciding() {},
    onAnswered() {},
    onClosed() {},
  };
  const conversation = new Conversation(socket as never, parts, observer);
  conversation.start();
  for (const piece of pieces) {
    if (piece.length > 0) socket.push(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  afterPieces(conversation);
  if (!socket.destroyed) socket.push(null);
  await closed;
  return { votes, refusals };
}
