import type { KeyObject } from 'node:crypto';
import type { Worker } from 'node:worker_threads';
import { decryptV1Block, V1_BLOCK_BYTES } from '../../protocol/votifier/v1.ts';
import type { Cancel, Clock } from '../core/clock.ts';
import { ownModule } from '../platform/own-module.ts';
import { startThread } from '../platform/thread.ts';

interface Waiting {
  readonly block: Buffer;
  readonly onText: (text: string) => void;
}

/** How long the main thread decrypts everything after the thread is lost, until another is started. */
const WITHOUT_THREAD_MS = 60_000;
/** Blocks in one message to the thread: few enough that one which is no longer needed is rarely decrypted. */
const BATCH_MAX = 16;

/**
 * Decrypts v1 blocks (rule 13). One block takes 0.3 to 1 ms, so a lone one is decrypted at once, on the main thread: to
 * pass it to a thread and back would cost a fifth more. Every further block of the same turn, and every block that
 * arrives while others wait, goes to one thread, which is started when it is first needed. Otherwise a flood of junk
 * would leave the main thread no time for other votes. Each connection has at most one block, so the cap on
 * connections also bounds this queue (rule 11).
 *
 * Rejected, measured with 3,000 blocks of junk a second on two cores, as the median time of a v2 vote: every block on
 * the main thread: 770 ms; one block in each turn, on the main thread: 590 ms, because node accepts one connection in
 * each turn. With the thread it is 12 ms. Every block on the thread: 15 ms, but a lone vote waits for two messages, and
 * 55 ms for the thread to start.
 */
export class Decryption {
  private readonly waiting = new Set<Waiting>();
  /** What the thread decrypts now. */
  private batch: readonly Waiting[] = [];
  private thread: Worker | null = null;
  private hasDecrypted = false;
  /** In monotonic time. */
  private mayHaveThreadFrom = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly privateKey: KeyObject,
    private readonly clock: Clock,
  ) {}

  /**
   * Calls back with the result of `decryptV1Block`, possibly before it returns. After a call of the returned function,
   * the block is not decrypted if that has not begun.
   */
  decrypt(block: Buffer, onText: (text: string) => void): Cancel {
    if (this.clock.monotonic() < this.mayHaveThreadFrom || this.isLone()) {
      onText(decryptV1Block(this.privateKey, block));
      return () => {};
    }
    const entry = { block, onText };
    this.waiting.add(entry);
    if (this.batch.length === 0) this.sendBatch();
    return () => this.waiting.delete(entry);
  }

  /** Call this when no block is waiting. */
  async close(): Promise<void> {
    await this.thread?.terminate();
    this.thread = null;
  }

  /** Whether no other block is waiting, and none was decrypted in this turn of the event loop. */
  private isLone(): boolean {
    if (this.hasDecrypted || this.batch.length > 0) return false;
    this.hasDecrypted = true;
    this.clock.nextTurn(() => (this.hasDecrypted = false));
    return true;
  }

  private sendBatch(): void {
    this.batch = [...this.waiting].slice(0, BATCH_MAX);
    if (this.batch.length === 0) return;
    // An array of its own, because a buffer of a socket would be copied as a whole.
    const blocks = new Uint8Array(this.batch.length * V1_BLOCK_BYTES);
    this.batch.forEach((entry, index) => {
      this.waiting.delete(entry);
      blocks.set(entry.block, index * V1_BLOCK_BYTES);
    });
    try {
      this.thread ??= this.startThread();
      this.thread.postMessage(blocks, [blocks.buffer]);
    } catch (error) {
      this.continueWithoutThread(error as Error);
    }
  }

  private startThread(): Worker {
    const module = ownModule('decryption-thread', import.meta.url);
    const thread = startThread(module, this.privateKey);
    thread.on('message', (texts: readonly string[]) => this.receive(texts));
    thread.on('error', (error) => this.continueWithoutThread(error));
    return thread;
  }

  private receive(texts: readonly string[]): void {
    const answered = this.batch;
    // First, so that the thread has work while these votes are handled.
    this.sendBatch();
    for (const [index, { onText }] of answered.entries()) onText(texts[index] ?? '');
  }

  /** For example while a container may have no more threads. Votes matter more than the time that they take. */
  private continueWithoutThread(error: Error): void {
    process.emitWarning(
      `v1 votes are decrypted on the main thread, because no thread runs (another is tried in a minute): ${error.message}`,
    );
    this.mayHaveThreadFrom = this.clock.monotonic() + WITHOUT_THREAD_MS;
    this.thread = null;
    const left = [...this.batch, ...this.waiting];
    this.batch = [];
    this.waiting.clear();
    for (const { block, onText } of left) onText(decryptV1Block(this.privateKey, block));
  }
}
