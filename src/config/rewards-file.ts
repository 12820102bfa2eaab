import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { type ConfigFault, type FaultAtPath, pathText } from './fault.ts';
import { readSource } from './read-source.ts';
import { type ConfigSource, syntaxFault, unparsed } from './source.ts';
import { NOT_UTF8, utf8Text } from './utf8.ts';

/** Bytes of a file of rewards: a thousand rewards with three long commands each fit in. */
export const REWARDS_BYTES_MAX = 4 * 1024 * 1024;

/** Where the file that `rewards` names is, absolute; null if the config has the list itself. */
export function rewardsFileOf(value: unknown, configFile: string): string | null {
  const name = rewardsNameIn(value);
  return name === null ? null : path.resolve(path.dirname(configFile), name);
}

function rewardsNameIn(value: unknown): string | null {
  const { rewards = null } = (value ?? {}) as { readonly rewards?: unknown };
  return typeof rewards === 'string' ? rewards : null;
}

/**
 * The config with the rewards of the file that it names in their place; the same config if it names none.
 * @param readFrom where the content of the named file is read from; a restore reads it from the backup
 * @param text what the named file is to contain, instead of what it contains
 */
export async function withRewards(
  source: ConfigSource,
  configFile: string,
  readFrom = (file: string): string => file,
  text?: string,
): Promise<ConfigSource> {
  const name = rewardsNameIn(source.value);
  if (name === null) return source;
  const file = path.resolve(path.dirname(configFile), name);
  if (text !== undefined) return included(source, await readSource(text, file), name);
  const read = await readRewards(file, configFile, readFrom);
  if (!(read instanceof Uint8Array)) return joined(source, [], [source.locate({ ...read, path: AT })]);
  const present = utf8Text(read);
  const inner = present === null ? unparsed([notUtf8]) : await readSource(present, file);
  return included(source, inner, name);
}

const AT = ['rewards'];
const notUtf8 = syntaxFault(NOT_UTF8, { line: 1, column: 1 });

type FileFault = Omit<FaultAtPath, 'path'>;

async function readRewards(
  file: string,
  configFile: string,
  readFrom: (file: string) => string,
): Promise<Uint8Array | FileFault> {
  try {
    const from = await realpath(readFrom(file));
    return (await faultOf(from, file, configFile)) ?? (await readFile(from));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      const sentence = `the file ${file} does not exist; create it with the list of rewards, or write the list here`;
      return { code: 'config-rewards-missing', sentence };
    }
    const sentence = `the file ${file} cannot be read (${code}); give the user that runs Teller access to it`;
    return { code: 'config-rewards-unreadable', sentence };
  }
}

async function faultOf(from: string, file: string, configFile: string): Promise<FileFault | null> {
  if (from === (await realpath(configFile).catch(() => path.resolve(configFile)))) {
    const sentence = 'must not be the config itself; name another file that contains the list of rewards';
    return { code: 'config-rewards-self', sentence };
  }
  const found = await stat(from);
  if (!found.isFile()) {
    const what = found.isDirectory() ? 'a folder' : 'no file';
    const sentence = `${file} is ${what}; name the file that contains the list of rewards`;
    return { code: 'config-rewards-not-file', sentence };
  }
  if (found.size <= REWARDS_BYTES_MAX) return null;
  const sentence = `the file ${file} has ${found.size} bytes, but a list of rewards has at most ${REWARDS_BYTES_MAX}; is it another file?`;
  return { code: 'config-rewards-too-large', sentence };
}

function included(source: ConfigSource, inner: ConfigSource, name: string): ConfigSource {
  const ofFile = (fault: ConfigFault, at: string): ConfigFault => ({ ...fault, path: at, file: name });
  const whole = (sentence: string): ConfigFault =>
    ofFile(inner.locate({ code: 'config-value', path: [], sentence }), 'rewards');
  const isList = Array.isArray(inner.value);
  const faults = inner.faults.map((fault) =>
    ofFile(fault, fault.code === 'config-syntax' ? '' : `rewards${fault.path}`),
  );
  const noList = inner.value === undefined || isList ? [] : [whole(NO_LIST)];
  const list = isList ? inner.value : [];
  return {
    ...joined(source, list, isList ? faults : [...faults.filter(isSyntax), ...noList]),
    locate: (fault) =>
      fault.path[0] === 'rewards'
        ? ofFile(inner.locate({ ...fault, path: fault.path.slice(1) }), pathText(fault.path))
        : source.locate(fault),
  };
}

const NO_LIST = 'this file must contain the list of rewards itself, without a key around it';

const isSyntax = ({ code }: ConfigFault): boolean => code === 'config-syntax';

const joined = (source: ConfigSource, rewards: unknown, faults: readonly ConfigFault[]): ConfigSource => ({
  value: { ...(source.value as object), rewards },
  faults: [...source.faults, ...faults],
  locate: source.locate,
});
