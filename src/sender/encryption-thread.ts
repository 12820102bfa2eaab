import type { KeyObject } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { encryptV1Block } from '../../protocol/votifier/v1-encrypt.ts';
import type { WireVote } from '../../protocol/votifier/vote.ts';

/** The thread of `encryptApart`: answers with one block and ends. */
const { publicKey, vote } = workerData as { readonly publicKey: KeyObject; readonly vote: WireVote };

parentPort?.postMessage(encryptV1Block(publicKey, vote));
