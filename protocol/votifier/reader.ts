import { type Refusal, refused } from './refusals.ts';
import { V1_BLOCK_BYTES } from './v1.ts';
import { V2_BODY_LEAST_BYTES, V2_BODY_MAX_BYTES, V2_HEADER_BYTES, V2_MAGIC } from './v2.ts';
import { JsonObjectScan, type JunkCode, nameJunk } from './wire.ts';

export type ReaderResult =
  | { readonly kind: 'need-more' }
  | { readonly kind: 'v1-block'; readonly block: Buffer }
  | { readonly kind: 'v2-body'; readonly body: string }
  | Refusal;

const NEED_MORE: ReaderResult = { kind: 'need-more' };
const OPEN_BRACE = 0x7b;
/** [V2-9] The most bytes of a character in UTF-8, for senders that announce a number of characters. */
const BYTES_PER_CHARACTER = 4;
/** After the brace, everything that can still become the bare form. */
const BARE_START = /^\{[ \t\r\n]{0,64}"(?:payload|signature)"/;
const BARE_PREFIXES = ['"payload"', '"signature"'];

/**
 * Distinguishes v1 from v2 and cuts one message out of the bytes of one connection, in whatever pieces they arrive. It
 * decides once: what follows a whole message is ignored.
 */
export class VotifierReader {
  private received: Buffer = Buffer.alloc(0);
  private result: ReaderResult = NEED_MORE;
  private scan: JsonObjectScan | null = null;

  /** @returns the message, a refusal, or need-more; once decided, always the same decision. */
  push(chunk: Buffer): ReaderResult {
    if (this.result.kind !== 'need-more') return this.result;
    this.received = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk]);
    this.result = this.decide();
    return this.result;
  }

  /** The sender has closed its side: an incomplete message stays incomplete. */
  end(): ReaderResult {
    if (this.result.kind === 'need-more') {
      this.result = refused(this.received.length === 0 ? 'empty' : (this.junk() ?? 'incomplete'));
    }
    return this.result;
  }

  /** The protocol that the bytes look like, if they are not a vote; null: none that is known. */
  junk(): JunkCode | null {
    return nameJunk(this.received);
  }

  /** The first byte does not decide: one v1 block in 256 begins like the bare form, one in 65,536 like a frame. */
  private decide(): ReaderResult {
    const { received } = this;
    if (received[0] === OPEN_BRACE) return this.decideBare();
    if (received[0] !== V2_MAGIC >> 8 || (received.length > 1 && received[1] !== (V2_MAGIC & 0xff))) {
      return this.v1();
    }
    if (received.length <= V2_HEADER_BYTES) return NEED_MORE;
    const announced = received.readUInt16BE(2);
    if (received[V2_HEADER_BYTES] !== OPEN_BRACE || announced < V2_BODY_LEAST_BYTES) return this.v1();
    if (announced > V2_BODY_MAX_BYTES) return refused('v2-oversized');
    return this.v2(V2_HEADER_BYTES, announced * BYTES_PER_CHARACTER);
  }

  /** [R-2] `{`, white space, then "payload" or "signature": one proxy forwarder sends this form. */
  private decideBare(): ReaderResult {
    const start = this.received.toString('latin1', 0, 96);
    if (BARE_START.test(start)) return this.v2(0, V2_BODY_MAX_BYTES);
    const word = start.slice(1).replace(/^[ \t\r\n]{0,64}/, '');
    return BARE_PREFIXES.some((prefix) => prefix.startsWith(word)) ? NEED_MORE : this.v1();
  }

  private v1(): ReaderResult {
    if (this.received.length < V1_BLOCK_BYTES) return NEED_MORE;
    return { kind: 'v1-block', block: this.received.subarray(0, V1_BLOCK_BYTES) };
  }

  /** [V2-9] The object's own end counts, not the announced length, which some clients count in characters. */
  private v2(start: number, maxBytes: number): ReaderResult {
    this.scan ??= new JsonObjectScan(start);
    const end = this.scan.read(this.received);
    // An object that closes too late is refused like an open one, so that the result does not depend on the pieces.
    if ((end ?? this.received.length) - start > maxBytes) return refused('v2-malformed');
    if (end === null) return NEED_MORE;
    try {
      return { kind: 'v2-body', body: utf8.decode(this.received.subarray(start, end)) };
    } catch {
      return refused('v2-malformed');
    }
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
