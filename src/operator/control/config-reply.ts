import type { Config } from '../../config/config.ts';
import { examineSource } from '../../config/load.ts';
import { unparsed } from '../../config/source.ts';
import type { Clock } from '../../core/clock.ts';
import type { ListeningAddress } from '../../platform/listen.ts';

/** The config in effect, for a command of the same user. Of the secrets it has those that are in the file itself. */
export interface ConfigReply {
  /** The file as it was last loaded (`Config.written`). */
  readonly written: string;
  /** What the file cannot say, because a flag does or because a change of it needs a restart. */
  readonly kept: Pick<Config, 'keys' | 'ledger' | 'timeZone'>;
  readonly listener: ListeningAddress;
  /** Where the listener really is: `listener` may leave the port to the operating system. */
  readonly listening: ListeningAddress;
  readonly isOnPracticeClock: boolean;
}

export function configReply(
  { config, listener: listening }: { readonly config: Config; readonly listener: ListeningAddress },
  { practice }: Pick<Clock, 'practice'>,
): ConfigReply {
  const { written, keys, ledger, timeZone, listener } = config;
  return {
    written: written.reveal(),
    kept: { keys, ledger, timeZone },
    listener: { host: listener.host, port: listener.port },
    listening: { host: listening.host, port: listening.port },
    isOnPracticeClock: practice !== undefined,
  };
}

/** The config of a reply, with the secrets that its files and this environment have; null if another version wrote it. */
export async function configIn(
  { written, kept, listener }: ConfigReply,
  file: string,
): Promise<Config | null> {
  const { config } = await examineSource({ ...unparsed([]), value: JSON.parse(written) as unknown }, file);
  return config && { ...config, ...kept, listener: { ...config.listener, ...listener } };
}
