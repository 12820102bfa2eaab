import type { KeyObject } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { decryptV1Block, V1_BLOCK_BYTES } from '../../protocol/votifier/v1.ts';

/** The thread of `Decryption`: gets v1 blocks, one after another in one array, and answers with their texts. */
const key = workerData as KeyObject;

parentPort?.on('message', ({ buffer }: Uint8Array<ArrayBuffer>) => {
  const texts: string[] = [];
  for (let start = 0; start < buffer.byteLength; start += V1_BLOCK_BYTES) {
    texts.push(decryptV1Block(key, Buffer.from(buffer, start, V1_BLOCK_BYTES)));
  }
  parentPort?.postMessage(texts);
});
