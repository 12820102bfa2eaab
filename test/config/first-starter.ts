import { publicKeyText } from '../../protocol/votifier/key-text.ts';
import { createFirstConfig } from '../../src/config/first-start.ts';
import { readKeyPair } from '../../src/config/keys.ts';
import { loadConfig } from '../../src/config/load.ts';
import { systemRandom } from '../../src/runtime/random.ts';

// A process that makes its first start in the working folder and says which pair and token it goes on with.
const { file } = await createFirstConfig('.', systemRandom);
const { keys, sites } = await loadConfig(file);
const { publicKey } = await readKeyPair(keys);
const token = sites.get('default')?.token?.reveal();
process.stdout.write(`${JSON.stringify({ msg: 'ready', publicKey: publicKeyText(publicKey), token })}\n`);
