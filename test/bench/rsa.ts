/**
 * What one raw RSA operation costs: decrypts v1 blocks with a cached key, and prints CPU seconds for each 1,000. One JSON
 * argument: an `RsaOrder`.
 */
import { constants, generateKeyPairSync, privateDecrypt, publicEncrypt } from 'node:crypto';

export interface RsaOrder {
  readonly operations: number;
}

export interface RsaCost {
  readonly cpuPer1000: number;
}

const { operations } = JSON.parse(process.argv[2] ?? '') as RsaOrder;
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const block = publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_PADDING }, Buffer.from('VOTE\n'));
const decrypt = (count: number): void => {
  for (let done = 0; done < count; done++)
    privateDecrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, block);
};
decrypt(200);
const before = process.cpuUsage();
decrypt(operations);
const { user, system } = process.cpuUsage(before);
const cost: RsaCost = { cpuPer1000: (user + system) / 1e3 / operations };
process.stdout.write(`${JSON.stringify(cost)}\n`);
