import { existsSync } from 'node:fs';
import { publicKeyText } from '../../protocol/votifier/key-text.ts';
import { createFirstConfig, createMissingSecrets } from '../../src/config/first-start.ts';
import { readKeyPair } from '../../src/config/keys.ts';
import { loadConfig } from '../../src/config/load.ts';
import { systemRandom } from '../../src/platform/random.ts';

// A process that makes a first start in its working folder, where a config may be, and prints the key pair and token that it uses.
const file = 'config.json';
if (existsSync(file)) await createMissingSecrets(file, systemRandom);
else await createFirstConfig('.', systemRandom);
const { keys, sites } = await loadConfig(file);
const { publicKey } = await readKeyPair(keys);
const token = sites.get('default')?.token?.reveal();
process.stdout.write(`${JSON.stringify({ msg: 'ready', publicKey: publicKeyText(publicKey), token })}\n`);
