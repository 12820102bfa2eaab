import { readProxyHeader } from '../../../protocol/proxy/header.ts';
import { nameJunk } from '../../../protocol/votifier/junk.ts';
import { type Refusal, refused } from '../../../protocol/votifier/refusals.ts';

export type ProxyResult =
  | { readonly kind: 'need-more' }
  | Refusal
  /** The header is complete: the sender's address if the header has one, and the bytes after the header. */
  | { readonly kind: 'passed'; readonly address: string | null; readonly rest: Buffer };

/** Reads the PROXY header at the start of each connection, if the config requires one. */
export class ProxyStep {
  private received = Buffer.alloc(0);

  constructor(private readonly isTrustedPeer: boolean) {}

  /** Whether a header has begun but is not complete. */
  get isCut(): boolean {
    return this.received.length > 0;
  }

  push(chunk: Buffer): ProxyResult {
    this.received = Buffer.concat([this.received, chunk]);
    const header = readProxyHeader(this.received);
    switch (header.kind) {
      case 'need-more':
        return header;
      case 'missing':
        return refused(nameJunk(this.received) ?? 'proxy-missing');
      case 'malformed':
        return refused('proxy-malformed');
      case 'header':
        if (!this.isTrustedPeer) return refused('proxy-untrusted');
        return { kind: 'passed', address: header.address, rest: this.received.subarray(header.bytes) };
    }
  }
}
