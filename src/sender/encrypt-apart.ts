import { Buffer } from 'node:buffer';
import { ownModule } from '../platform/own-module.ts';
import { startThread } from '../platform/thread.ts';
import type { Encrypt } from './send-vote.ts';

const MODULE = ownModule('encryption-thread', import.meta.url);

/**
 * Makes a v1 block on a thread that ends with it, for a process that sends such a vote now and then: to load node-forge, the
 * main thread would read some forty files and stand still meanwhile (rule 13).
 */
export const encryptApart: Encrypt = (publicKey, vote) =>
  new Promise((resolve, reject) => {
    const thread = startThread(MODULE, { publicKey, vote });
    thread.on('message', (block: Uint8Array | null) => resolve(block === null ? null : Buffer.from(block)));
    thread.on('error', reject);
    thread.on('exit', () => reject(new Error('the thread ended without a block')));
  });
